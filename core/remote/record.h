// The layer behind --layer=record=FILE: writes every call between core and plugin to a file, with what is needed to make
// it again and what came of it.
#pragma once

#include <memory>

#include "core/host/entry.h"
#include "core/remote/recording.h"

namespace bp::remote {

// Any number of plugins may share a file.
host::Layer record_layer(std::shared_ptr<RecordingFile> file);

}  // namespace bp::remote
