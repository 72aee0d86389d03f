// Backplane from C++: read a program, load a backend by name, compile, run.
//
//   BP_ASSIGN(bp::Backend backend, bp::Backend::load("cpu"));
//   BP_ASSIGN(bp::Module module, bp::read_module("model.hlo"));
//   BP_ASSIGN(bp::Compiled compiled, backend.compile(std::move(module)));
//   BP_ASSIGN(bp::Literal result, compiled.executable.run(std::move(arguments)));
//
// Values are bp::Literal (core/ir/literal.h), dense and row-major; a tuple is a literal of its elements. For many runs
// without copies, bind the buffers of a program once: bp::Execution (core/runtime/program.h).
// core/dlpack.h takes and gives arrays of other libraries.
// Errors are values: bp::Result<T> (core/base/result.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cancellation.h"
#include "core/base/result.h"
#include "core/compile/compile.h"
#include "core/import/front_end.h"
#include "core/interpreter/host_calls.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"
#include "core/package/package.h"
#include "core/remote/isolation.h"
#include "core/runtime/executable.h"

namespace bp {

using compile::Artifact;          // {bytes, report}
using compile::Compiled;          // {executable, report}
using import::Parameter;          // {name, shape}
using import::ParameterIntegers;  // {parameter, integers}
using import::ReadOptions;
using interpreter::HostCalls;  // what an application serves
using ir::Literal;
using ir::Module;
using ir::Shape;
using package::Interface;  // {parameters, results}
using package::Package;
using remote::Isolation;  // {seconds, bytes}
using runtime::Executable;
using runtime::Execution;
using runtime::MemoryFigures;
using runtime::Program;

struct CompileOptions {
  // If set, a directory (created if missing) for the module before the first pass and after each pass that changed it,
  // then for the module, plan, image and artifact of each program.
  std::string dump_dir;
  // Whether compile() fails with Unsupported if the backend leaves any instruction to the host.
  bool device_only = false;
  bool fuse = true;  // whether instructions are fused
  // Names of passes that do not run; compile() fails if there is no such pass, or if it cannot do without it.
  std::vector<std::string> disabled_passes = {};
  compile::ClusterOptions clusters = {};
  bool verify = false;  // whether the results of passes and the planner are checked during compilation
  // Whether the compiler evaluates instructions that depend on constants only. Tests of backends turn this off.
  bool fold_constants = true;
  // Maximum number of bytes of one program, in addition to the memory its backend requests; 0: no limit. Cheap values
  // are recomputed to stay below it; if that is not enough, compile() fails with OutOfMemory.
  std::int64_t memory_limit = 0;
  // If set, a directory in which artifacts are kept for later compilations (core/compile/artifact_cache.h).
  std::string cache_dir;
  compile::ArtifactCache *cache = nullptr;  // if set, keeps the artifacts in place of the directory
  // If set, compile() fails with Cancelled or DeadlineExceeded once it is over; a device that does not report its
  // progress is waited for.
  std::shared_ptr<const Cancellation> cancellation = {};
  // If set, called with what the device reports of its progress with one program, on any thread.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  // Targets of custom calls, "infeed" and "outfeed", which the application runs: see interpreter::HostCalls and
  // compile::Options.
  std::vector<std::string> host_functions = {};
  // Whether the executable keeps its artifacts, so that save_package() can write it.
  bool keep_artifacts = false;
  // Whether compile() fails if this machine cannot load a program, such as one for another target. Otherwise, together
  // with keep_artifacts, only running it does, and Report::not_loaded says why.
  bool must_load = true;
};

struct BackendOptions {
  static constexpr std::uint32_t max_threads = 1024;
  // Key and value of settings for the backend; an unknown key is an error.
  std::vector<std::pair<std::string, std::string>> settings;
  // If set, a directory into which backends that support it write intermediate code, such as LLVM IR.
  std::string dump_dir;
  // Layers between the core and the plugin, the last one outermost: core/layers/validate.h, core/layers/trace.h,
  // core/remote/record.h.
  std::vector<host::Layer> layers = {};
  // Ids of host services that are not offered to the plugin, such as "bp.log/1". For tests.
  std::set<std::string, std::less<>> withdrawn_services = {};
  // If set, each plugin runs in a process of its own: if it crashes or hangs, the backend is lost, and has to be loaded
  // again. See core/remote/isolate.h.
  std::optional<Isolation> isolation = {};
  // Number of threads that loops of the backend, and instructions on the host, may run on, including the caller's, at
  // most max_threads; 0: one for each processor that the process could use at its first loop (core/base/processors.h),
  // in a pool that all backends share.
  std::uint32_t thread_count = 0;
  // If set, the thread pool for the loops of the backend instead. Not owned, must outlive the backend.
  ThreadPool *threads = nullptr;
  // Called with the log messages of the backend, severity BP_LOG_* (bp.log/1), from any thread. Empty: warnings go to
  // stderr.
  std::function<void(std::uint32_t severity, std::string_view message)> log = {};
};

class PolymorphicExecutable;  // core/polymorphic.h

// A backend that is ready for use: a device of a plugin, or the interpreter, which is part of the core. Copies share
// the device.
class Backend {
 public:
  // Loads "interpreter", a name found by core/host/discovery.h, or the path of a plugin (contains a '/'). Several
  // names, separated by commas, share a program: each backend gets the instructions that the backends before it do not
  // run. The settings are for the first one.
  static Result<Backend> load(std::string_view name, const BackendOptions &options = {});

  const std::string &name() const { return name_; }  // as given to load()
  bool is_interpreter() const { return device_ == nullptr; }
  // The device of the plugin, the first one if there are several; nullptr for the interpreter. Gives access to id,
  // version and file.
  const std::shared_ptr<const host::Device> &device() const { return device_; }
  // Returns all devices, in the order of the name; empty for the interpreter.
  std::vector<std::shared_ptr<const host::Device>> devices() const;

  // Verifies the module, runs passes and planner, and compiles with the backend. The interpreter runs the module
  // unchanged.
  Result<Compiled> compile(Module module, const CompileOptions &options = {}) const;
  // Returns what compiles a StableHLO program, which leaves sizes open, whenever it is run with arguments of other
  // shapes. Keeps up to `max_executables`. `file`: for messages. `format`: as in ReadOptions.
  Result<PolymorphicExecutable> compile_polymorphic(std::string text, std::string file,
                                                    const CompileOptions &options = {},
                                                    std::size_t max_executables = 16, std::string format = {}) const;
  // Returns the artifact that the backend compiles, for machines like its target, without loading it. Fails with
  // Unsupported if the backend leaves anything to the host, or makes no artifacts, as the interpreter.
  Result<Artifact> make_artifact(Module module, const CompileOptions &options = {}) const;
  // Loads what save_package() has written, without compiling. InvalidInput if the file is damaged or of another kind,
  // or was made for other backends than this one; if the backend refuses an artifact, its error, which says what the
  // package was made for and what is here. If there is a key (read_public_key(), core/base/signature.h), InvalidInput
  // also unless its owner has signed the package.
  Result<Executable> load_package(const std::string &path, const std::optional<PublicKey> &signed_by = {}) const;

 private:
  explicit Backend(std::string name) : name_(std::move(name)) {}
  std::string name_;
  std::shared_ptr<const host::Device> device_;
  std::vector<std::shared_ptr<const host::Device>> others_;
  std::uint32_t thread_count_ = 0;
};

// Writes an executable that was compiled with keep_artifacts to a file that load_package() loads, also on another
// machine. `interface`: the names of parameters and results, as the model has them: package::interface_of(module).
Status save_package(const Executable &executable, Interface interface, const std::string &path);

// Reads and verifies the module of a file in one of the formats that `backplane formats` lists, such as HLO, StableHLO
// and ONNX (core/import/find_front_end.h). Several modules in one file are an error.
// A file of 16 MiB or more is mapped: it must not be shortened while the module exists, which may keep views into it.
Result<Module> read_module(const std::string &path, const ReadOptions &options = {});
// Returns all modules of a file, in order, at least one. A text may hold several, each beginning with a line "// -----"
// or, in HLO, with HloModule. Fails with the error of the first module that cannot be read.
Result<std::vector<Module>> read_modules(const std::string &path, const ReadOptions &options = {});
// Returns the parameters of the program in a file as they are written; unknown sizes are ir::unbounded. InvalidInput if
// the format has no open sizes, as HLO. `format`: as in ReadOptions.
Result<std::vector<Parameter>> read_parameters(const std::string &path, const std::string &format = {});
// Same as read_parameters() for the content of a file.
Result<std::vector<Parameter>> parse_parameters(std::string_view text, const std::string &file,
                                                const std::string &format = {});
// Same as read_module() for the content of a file; `file` is its name in messages.
Result<Module> parse_module(std::string_view text, const std::string &file, const ReadOptions &options = {});

}  // namespace bp
