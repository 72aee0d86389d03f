// A front end reads programs of one format. Those of the core are folders of core/import with one descriptor each,
// which front_ends.def lists; others are in libraries (core/import/library). find_front_end.h chooses among them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ir/module.h"

namespace bp::import {

// Sizes or elements of one parameter of the entry, which is given by its name, as x or %x, or its number.
struct ParameterIntegers {
  std::string parameter;
  std::vector<std::int64_t> integers;
};

// A parameter of the entry, as it is written: unknown sizes are `ir::unbounded`. An invalid shape: not even the number
// of dimensions is known.
struct Parameter {
  std::string name;
  ir::Shape shape;
};

struct ReadOptions {
  std::vector<std::string> *warnings = nullptr;  // "file:line:column: ..." are appended; not owned
  // Shapes of the parameters of a program whose types leave sizes open; all other sizes are derived from them.
  std::vector<ir::Shape> parameter_shapes = {};
  // The same for some parameters: their sizes alone.
  std::vector<ParameterIntegers> parameter_sizes = {};
  // Elements of parameters on which sizes depend, integers or truth values (0 and 1), in row-major order. Used only if
  // sizes depend on them: then the program is for these elements, and ignores the argument. StableHLO: for a scalar
  // they are deduced, if only one value agrees with the shapes.
  std::vector<ParameterIntegers> parameter_values = {};
  // If set, receives the numbers of the parameters on whose elements sizes depend, and these elements; not owned.
  std::map<std::size_t, std::vector<std::int64_t>> *size_parameters = nullptr;
  // The name of the front end to read it with, as `backplane formats` lists it. Empty: the one that is found by the
  // content and the name of the file.
  std::string format = {};
  // The file with the weights of a program that has them in a file of its own. Empty: the front end looks for it.
  std::string weights = {};

  // Whether anything is given of the parameters.
  bool is_specialized() const {
    return !parameter_shapes.empty() || !parameter_sizes.empty() || !parameter_values.empty();
  }
};

// One program of a file.
struct Source {
  std::string_view text;         // a view into the whole file
  std::uint32_t first_line = 1;  // line of the file at which the program begins, if it is text
  std::string_view file_text;    // the whole file
  std::string file;              // its name, for messages and for files beside it; may be empty
  // If set, owns the bytes: a module may keep views into them in place of copies.
  std::shared_ptr<const void> owner = {};
};

// Its functions may be called by several threads at a time.
struct FrontEnd {
  std::string_view name;         // as in core/import/NAME
  std::string_view description;  // for people: "ONNX model"
  std::string_view endings;      // usual endings of files: ".onnx"
  std::string_view first_bytes;  // for people: how a file is recognized
  // Whether a file is of this format, judging by its content.
  std::function<bool(std::string_view bytes)> recognizes;
  // Splits a file into its programs. nullptr: it is one program.
  std::function<std::vector<Source>(std::string_view bytes, const std::string &file)> split;
  // Reads and verifies one program.
  std::function<Result<ir::Module>(const Source &source, const ReadOptions &options)> read;
  // Returns the parameters of a program, as they are written. nullptr: no sizes of such programs are open.
  std::function<Result<std::vector<Parameter>>(const Source &source)> parameters;
  // Writes a module that was verified. nullptr: the format is only read.
  std::function<Result<std::string>(const ir::Module &module)> write;
  // Whether such programs have their weights in another file, which ReadOptions::weights may name.
  bool has_weights_file = false;
};

}  // namespace bp::import
