// The index of a package: what is in it, without the bytes. JSON in the file; docs/packages.md lists the members.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/sha256.h"
#include "core/ir/module.h"
#include "core/runtime/memory.h"

namespace bp::package {

// A parameter or result of a program as written.
struct Value {
  std::string name;
  ir::Shape shape;
};

// The parameters and results of a program as written: passes rename results.
struct Interface {
  std::vector<Value> parameters;
  std::vector<Value> results;  // the operands of a tuple at the root, or the root
};
Interface interface_of(const ir::Module &module);

// The backend that compiled, and for what.
struct MadeBy {
  std::string device;   // its id
  std::string version;  // of its plugin
  Sha256 build{};       // hash of the plugin's file
  std::string target;
};

// A value of the executable's module that its text leaves out.
struct LargeConstant {
  ir::Shape shape;
  Sha256 blob{};
};

struct ProgramEntry {
  std::string name;
  std::size_t device = 0;          // in Index::devices
  Sha256 image{};                  // bp_module; names the constants by the hashes of their contents
  std::optional<Sha256> artifact;  // nothing: the backend has kernels only
  std::vector<ir::Shape> parameters;
  ir::Shape result;
  runtime::MemoryFigures memory;
  bool is_memory_complete = false;  // whether scratch and resident are known: it was loaded before it was saved
};

// As runtime::Step; instructions are named.
struct StepEntry {
  std::optional<std::size_t> program, executable;  // neither: an instruction on the host
  std::string instruction;
  std::vector<std::string> inputs, outputs;
};

struct ExecutableEntry {
  Sha256 module{};                       // HLO text
  std::vector<LargeConstant> constants;  // in the order of the text
  bool is_on_host = false;               // the host runs all of it
  std::optional<std::size_t> program;    // the only one; otherwise there are steps
  std::vector<StepEntry> steps;
  std::vector<std::pair<std::string, std::size_t>> called;  // computations that other executables run
};

struct Index {
  std::string backplane;  // version of the core that made the package
  std::string name;       // of the module
  std::uint32_t opset = 0;
  Interface interface;
  std::vector<MadeBy> devices;
  std::vector<ProgramEntry> programs;
  std::vector<ExecutableEntry> executables;  // after those that they contain; the last one is the whole
  std::map<std::string, Sha256> sections;    // further content, by name
};

}  // namespace bp::package
