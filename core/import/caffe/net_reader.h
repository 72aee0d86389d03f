// The readers of nets.
#pragma once

#include "core/import/caffe/net.h"

namespace bp::import::caffe {

// Whether bytes are a net, judging by their first fields: as text, or as bytes.
bool is_net_text(std::string_view bytes);
bool is_net_bytes(std::string_view bytes);

// Read a net. The text or bytes must outlive it; `file` is for messages.
Result<std::unique_ptr<const Net>> read_net_text(std::string_view text, const std::string &file);
Result<std::unique_ptr<const Net>> read_net_bytes(std::string_view bytes, const std::string &file);
Result<std::unique_ptr<const Net>> read_net(std::string_view text_or_bytes, const std::string &file);

// --- For the readers of texts and of binary files ---

// Whether a field of NetParameter has layers.
bool has_layers(const FieldRow &row);
// Takes a layer that was read into a net, with the first problem that it has.
void add_layer(Net &net, Message message, std::optional<Error> problem);
// Checks what must hold of every net.
Status check_net(const Net &net);

}  // namespace bp::import::caffe
