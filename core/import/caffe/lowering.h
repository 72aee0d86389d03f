// Lowers a net to a module: each layer by its row of layers.def.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/caffe/inputs.h"
#include "core/import/caffe/layer.h"
#include "core/import/caffe/options.h"
#include "core/ir/module.h"

namespace bp::import::caffe {

class Lowering {
 public:
  // `weights`: a net of which layers of the same names have the weights; nullptr: they are in the net itself, if there
  // are any. Both must outlive the lowering.
  Lowering(const Net &net, const Net *weights, const Options &options)
      : net_(net), weights_(weights), options_(options) {}

  Result<ir::Module> run();

 private:
  struct Entry {
    Array array;
    std::size_t order = 0;  // in which arrays were given
    bool is_input = false;
    bool is_used = false;
  };

  Result<ir::Shape> shape_of(const Input &input, std::size_t number) const;
  Status define_inputs(GraphBuilder &builder, const std::vector<Input> &inputs);
  void layer(GraphBuilder &builder, const ChosenLayer &chosen);
  // Lowers what takes the place of a loss.
  void loss(GraphBuilder &builder, const ChosenLayer &chosen);
  Array bottom(GraphBuilder &builder, const LayerProto &proto, const std::string &name);
  void define(GraphBuilder &builder, const LayerProto &proto, std::size_t top, const Array &array);
  const std::vector<Message> &blobs_of(const LayerProto &proto) const;
  void warn(const LayerProto &proto, std::string message) const;
  // Returns the arrays that no layer uses, in the order of the layers that give them.
  Arrays outputs() const;

  const Net &net_;
  const Net *weights_;
  const Options &options_;
  BuildState state_;
  std::size_t order_ = 0;  // of the last array
  std::vector<ChosenLayer> layers_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string_view, const LayerProto *> weights_by_name_;
};

}  // namespace bp::import::caffe
