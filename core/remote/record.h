// The layer of --layer=record=FILE, which writes every call between core and plugin to a file, with its outcome and all
// that is needed to make it again.
#pragma once

#include <memory>

#include "core/host/entry.h"
#include "core/remote/recording.h"

namespace bp::remote {

// Returns the layer. Any number of plugins may share a file.
host::Layer record_layer(std::shared_ptr<RecordingFile> file);

}  // namespace bp::remote
