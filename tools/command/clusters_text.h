// How a model is divided between a backend and the host, as text: for `backplane opt`.
#pragma once

#include "tools/command/backend_choice.h"
#include "tools/command/model_choice.h"
#include "tools/command/pass_choice.h"

namespace bp::command {

// Prints the divided modules, or the clusters with their costs and reasons.
Status print_clusters(const ModelChoice &model, const BackendChoice &backend, const PassChoice &passes, bool explain);

}  // namespace bp::command
