// Backplane from C++: read a program, load a backend by name, compile, run.
//
//   BP_ASSIGN(bp::Backend backend, bp::Backend::load("cpu"));
//   BP_ASSIGN(bp::Module module, bp::read_module("model.hlo"));
//   BP_ASSIGN(bp::Compiled compiled, backend.compile(std::move(module)));
//   BP_ASSIGN(bp::Literal result, compiled.executable.run(std::move(arguments)));
//
// Values are bp::Literal (core/ir/literal.h), dense and row-major, tuples as tuples. For many runs without copies, give
// a program its buffers once: bp::Execution (core/runtime/program.h).
// Errors are values: bp::Result<T> (core/base/result.h).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/compile/compile.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"
#include "core/remote/isolate.h"
#include "core/runtime/executable.h"

namespace bp {

using compile::Artifact;  // {bytes, report}
using compile::Compiled;  // {executable, report}
using ir::Literal;
using ir::Module;
using ir::Shape;
using remote::Isolation;  // {seconds, bytes}
using runtime::Executable;
using runtime::Execution;
using runtime::MemoryFigures;
using runtime::Program;

struct CompileOptions {
  // If set, a directory (made if it is missing) for the module before and after each pass that changed it, then for
  // each program its module, plan, image and artifact.
  std::string dump_dir;
  // Fail with Unsupported if the backend leaves anything to the host.
  bool device_only = false;
  bool verify = false;  // check the work of passes and planner as it goes
  // Whether what the program computes from constants alone is computed by the compiler. Tests of backends say no.
  bool fold_constants = true;
  // Bytes that one program may take beside what its backend asks for; 0: any number. Cheap values are computed again to
  // get there; OutOfMemory if that is not enough.
  std::int64_t memory_limit = 0;
  // If set, a directory where what backends compile is kept for the next time (core/compile/artifact_cache.h).
  std::string cache_dir;
};

struct BackendOptions {
  std::vector<std::pair<std::string, std::string>> settings;  // for the backend: key, value; one it does not know fails
  // If set, backends that can write what they compile (such as LLVM IR) do it there.
  std::string dump_dir;
  // Between the core and the plugin, the last one on top: core/layers/validate.h, core/layers/trace.h,
  // core/remote/record.h.
  std::vector<host::Layer> layers = {};
  // Ids of the host's services that are not offered to it, for tests: "bp.log/1".
  std::set<std::string, std::less<>> withdrawn_services = {};
  // If set, every plugin runs in a process of its own, which may crash or hang and is started again: see
  // core/remote/isolate.h.
  std::optional<Isolation> isolation = {};
  // What the backend's loops run on. Borrowed, longer than the backend lives; null: the process's own, of one thread
  // per processor.
  ThreadPool *threads = nullptr;
  // Told what the backend has to say that is no error (BP_LOG_, bp.log/1), from any thread; empty: warnings to stderr.
  std::function<void(std::uint32_t severity, std::string_view message)> log = {};
};

// A backend that is ready: a device of a plugin, or the interpreter, which is part of the core. Copies share it.
class Backend {
 public:
  // "interpreter"; a name found by core/host/discovery.h; or the path of a plugin, with a '/'. Several, separated by
  // commas, share a program: each gets what those before it do not run. Settings are for the first.
  static Result<Backend> load(std::string_view name, const BackendOptions &options = {});

  const std::string &name() const { return name_; }  // as asked for
  bool is_interpreter() const { return device_ == nullptr; }
  // Of a plugin's device, the first if there are several; null for the interpreter. Its id, version and file are there.
  const std::shared_ptr<const host::Device> &device() const { return device_; }
  // All, in the order of the name; none for the interpreter.
  std::vector<std::shared_ptr<const host::Device>> devices() const;

  // Passes, plan and the backend's own compilation. Verifies the module first. The interpreter takes it as it is.
  Result<Compiled> compile(Module module, const CompileOptions &options = {}) const;
  // What the backend compiles, for a machine like its target: not loaded. Unsupported if it leaves anything to the
  // host, or makes no artifacts, as the interpreter.
  Result<Artifact> make_artifact(Module module, const CompileOptions &options = {}) const;

 private:
  explicit Backend(std::string name) : name_(std::move(name)) {}
  std::string name_;
  std::shared_ptr<const host::Device> device_;
  std::vector<std::shared_ptr<const host::Device>> others_;
};

struct ReadOptions {
  std::vector<std::string> *warnings = nullptr;  // "file:line:column: ..." are appended; not owned
  // Shapes of the parameters of a StableHLO program whose types leave sizes open: all sizes follow from them.
  std::vector<ir::Shape> parameter_shapes = {};
};
// Reads and verifies the one module of a file: HLO text, StableHLO text or a HLO protocol buffer, whichever it holds.
// Several modules are an error.
Result<Module> read_module(const std::string &path, const ReadOptions &options = {});
// All modules of a file, in its order, at least one: a text may hold several, each begun by a line "// -----" or, in
// HLO, by HloModule. The first that cannot be read is the error.
Result<std::vector<Module>> read_modules(const std::string &path, const ReadOptions &options = {});
// As read_module, of what a file would hold; `file` is its name in messages.
Result<Module> parse_module(std::string_view text, const std::string &file, const ReadOptions &options = {});

}  // namespace bp
