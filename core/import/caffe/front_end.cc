// The descriptor, the file of weights, and what the caller gives of parameters.
#include "core/import/front_end.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <boost/filesystem/directory.hpp>
#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/path.hpp>

#include "core/base/mapped_file.h"
#include "core/import/caffe/caffe.h"
#include "core/import/input_number.h"

namespace bp::import::caffe {
namespace {

namespace fs = boost::filesystem;

struct Weights {
  std::string file;
  SharedBytes bytes;
  std::string reason;  // why there is no file
};

// Returns the .caffemodel files in a folder, in order of their names.
std::vector<fs::path> files_of_weights(const fs::path &folder) {
  std::vector<fs::path> files;
  boost::system::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    if (entry->path().extension() == ".caffemodel") {
      files.push_back(entry->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Finds the file that has the weights of some layers: the one that is named as the net is, or the only one in its
// folder that has them.
Result<Weights> find_weights(const std::string &file, const std::vector<std::string> &layers) {
  fs::path own = file;
  own.replace_extension(".caffemodel");
  boost::system::error_code problem;
  if (fs::exists(own, problem)) {
    BP_ASSIGN(SharedBytes bytes, map_file(own.string()));
    return Weights{own.string(), std::move(bytes), {}};
  }
  const fs::path folder = own.parent_path().empty() ? fs::path(".") : own.parent_path();
  std::vector<std::string> names, fitting_names;
  Weights weights;
  for (const fs::path &path : files_of_weights(folder)) {
    names.push_back(path.filename().string());
    Result<SharedBytes> bytes = map_file(path.string());
    if (bytes.ok() && has_weights(bytes->text(), layers)) {
      fitting_names.push_back(names.back());
      weights = {path.string(), std::move(*bytes), {}};
    }
  }
  if (fitting_names.size() == 1) {
    return weights;
  }
  const std::string found = names.empty()           ? "there is none"
                            : fitting_names.empty() ? fmt::format("{} does not", fmt::join(names, ", "))
                                                    : fmt::format("{} do", fmt::join(fitting_names, ", "));
  return Weights{{},
                 {},
                 fmt::format("weights are read from {}, which is not there, or from the only file *.caffemodel "
                             "in the folder that has them ({}), or from the one that is given (--model-weights)",
                             own.filename().string(), found)};
}

Result<ir::Module> read_net_of(const Source &source, const ReadOptions &options) {
  Options inner{.file = source.file, .shapes = options.parameter_shapes, .warnings = options.warnings};
  if (!options.parameter_sizes.empty()) {
    BP_ASSIGN(const std::vector<InputInfo> found, inputs(source.text, inner));
    for (const ParameterIntegers &given : options.parameter_sizes) {
      BP_ASSIGN(const std::size_t number, input_number(found, given.parameter, source.file));
      inner.shapes.resize(std::max(inner.shapes.size(), number + 1));
      inner.shapes[number] = ir::Shape::array(ir::ElementType::F32, given.integers);
    }
  }
  BP_ASSIGN(const std::vector<std::string> layers, layers_without_weights(source.text, inner));
  Weights weights;
  if (!options.weights.empty()) {
    BP_ASSIGN(weights.bytes, map_file(options.weights));
    weights.file = options.weights;
  } else if (!layers.empty() && !source.file.empty()) {
    BP_ASSIGN(weights, find_weights(source.file, layers));
  }
  inner.weights_file = weights.file;
  Result<ir::Module> module = read(source.text, weights.bytes.text(), inner);
  if (!module.ok() && !weights.reason.empty()) {
    return std::move(module).error().note(std::move(weights.reason));
  }
  return module;
}

Result<std::vector<Parameter>> parameters_of_net(const Source &source) {
  BP_ASSIGN(const std::vector<InputInfo> found, inputs(source.text, {source.file}));
  std::vector<Parameter> parameters;
  for (const InputInfo &input : found) {
    parameters.push_back({input.name, input.shape});
  }
  return parameters;
}

}  // namespace

extern const FrontEnd front_end;
const FrontEnd front_end = {"caffe",
                            "a Caffe net",
                            ".prototxt .caffemodel",
                            "a text or protocol buffer that begins with the fields of NetParameter",
                            is_caffe,
                            nullptr,
                            read_net_of,
                            parameters_of_net,
                            nullptr,
                            true};

}  // namespace bp::import::caffe
