// Ahead of time: a compiled program as an object file, or as a library, and a C header with which an application calls
// it. The application then needs neither Backplane nor the backend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/aot/object_file.h"
#include "core/base/result.h"
#include "core/base/shared_bytes.h"
#include "core/package/index.h"
#include "core/runtime/executable.h"

namespace bp::aot {

enum class Constants { InObject, InFile };
enum class Arena { OfCaller, InObject };

struct Options {
  std::string name;  // what the names of functions and types begin with: is_identifier()
  Constants constants = Constants::InObject;
  Arena arena = Arena::OfCaller;
  std::uint32_t threads = 1;  // that an arena in the object is enough for
  bool freestanding = false;  // the application has no C library
};

// Whether C and C++ take it as a name.
bool is_identifier(std::string_view name);

// The memory of an array.
struct Slice {
  ir::Shape shape;           // with the layout of its bytes
  std::uint64_t size;        // bytes
  std::uint32_t allocation;  // of the image
  std::uint64_t offset;      // bytes in the allocation
};

// An array that the application passes: an argument or a result.
struct Array : Slice {
  std::string name;           // a member of the header's structs
  std::string name_in_model;  // of the parameter or result
  bool is_written = false;    // an argument that the program overwrites
};

// How the application gets a result.
enum class Delivery {
  Direct,      // the program writes to the address that the application gives
  InArgument,  // it is where the argument was that the program overwrites: Result::argument
  Copied,      // it is an argument, a constant or another result, and is copied after the run
};
struct ResultArray : Array {
  Delivery delivery = Delivery::Direct;
  std::size_t argument = 0;
};

// An allocation of the image that is in the memory of an argument.
struct Alias {
  std::uint32_t allocation;
  std::size_t argument;
};

struct ConstantArray {
  std::uint32_t allocation;
  std::uint64_t offset;  // from the first byte of the constants or of the weights file; a multiple of 64
};

struct Temporary {
  std::uint32_t allocation;
  std::uint64_t offset;  // in the arena
};

// An instruction that the application runs: a function that it defines.
struct Call {
  std::uint32_t instruction = 0;       // its index in the image
  std::string name;                    // in the model
  std::string function;                // of C; custom calls whose targets are similar may share one
  std::string target, config;          // of a custom call; an infeed or outfeed has none
  std::vector<Slice> inputs, outputs;  // row-major, without tokens
};

// Facts about a program, from which its header is made.
struct Description {
  Options options;
  std::string module;  // its name in the model
  std::string target, backend;
  std::string hash;  // of the code and the constants: 64 hexadecimal digits
  std::uint32_t allocation_count = 0;
  std::vector<Array> arguments;
  std::vector<ResultArray> results;
  std::vector<Alias> aliases;
  std::vector<ConstantArray> constants;
  std::uint64_t constant_bytes = 0;
  std::vector<Temporary> temporaries;
  std::vector<Call> calls;
  // The arena: temporaries, then scratch memory that all threads share, then that of each thread.
  std::uint64_t temporary_bytes = 0, shared_bytes = 0, thread_bytes = 0;
  // Size and bytes 16 to 47 of the weights file, which is a container as that of a package (core/package/container.h).
  std::uint64_t weights_bytes = 0;
  std::string weights_hash;

  std::uint64_t arena_bytes(std::uint32_t threads) const {
    return temporary_bytes + shared_bytes + threads * thread_bytes;
  }
  // Names of the symbols of the object. They contain the hash, so that a header links with its own object only.
  std::string symbol(std::string_view part) const;
};

struct Program {
  Description description;
  ObjectFile object;
  std::vector<SharedBytes> weights;  // content of the weights file, in pieces; empty for constants in the object
};

// Makes a program of an executable that a device runs as a whole, and that was compiled with keep_artifacts.
// Unsupported if the device does not offer it (bp.aot/draft-2) or part of the program runs elsewhere; PluginFailure if
// its objects do not keep to the rules. Calls of the application (CompileOptions::host_functions) become functions that
// the header declares.
Result<Program> make_program(const runtime::Executable &executable, const package::Interface &interface,
                             const Options &options);

}  // namespace bp::aot
