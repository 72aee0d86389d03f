// The C interface: each function converts its arguments to those of core/backplane.h, and catches exceptions.
#include "backplane/runtime.h"

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <boost/lexical_cast/try_lexical_convert.hpp>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>

#include "core/backplane.h"
#include "core/c/arrays.h"
#include "core/c/objects.h"
#include "core/host/build_configuration.h"

namespace {

using bp::Literal;
using bp::Module;
using bp::Result;
using bp::Shape;
using bp::Status;
using bp::c::at;
using bp::c::call;
using bp::c::CompileRequest;
using bp::c::copy_out;
using bp::c::describe;
using bp::c::describe_arrays;
using bp::c::expect_given;
using bp::c::make_literal;
using bp::c::read_compile_options;

// --- options of a compilation ---

Status set(bool &option, const std::string &value) {
  if (value != "0" && value != "1") {
    return bp::invalid_input("is '{}', expected 0 or 1", value);
  }
  option = value == "1";
  return {};
}
Status set(std::int64_t &option, const std::string &value) {
  if (!boost::conversion::try_lexical_convert(value, option) || option < 0) {
    return bp::invalid_input("is '{}', expected a number of at least 0", value);
  }
  return {};
}
Status set(std::string &option, const std::string &value) {
  option = value;
  return {};
}
Status set(std::vector<std::string> &option, const std::string &value) {
  boost::algorithm::split(option, value, [](char c) { return c == ','; });
  return {};
}
Status set(std::shared_ptr<const bp::Cancellation> &option, const std::string &value) {
  double seconds = 0;
  if (!boost::conversion::try_lexical_convert(value, seconds) || !(seconds > 0)) {
    return bp::invalid_input("is '{}', expected a number of seconds above 0", value);
  }
  option = bp::Cancellation::after(seconds);
  return {};
}
Status set(bp::compile::ClusterOptions &option, const std::string &value) {
  using Mode = bp::compile::ClusterOptions::Mode;
  if (value != "off" && value != "auto" && value != "marked") {
    return bp::invalid_input("is '{}', expected off, auto or marked", value);
  }
  option.mode = value == "off" ? Mode::Off : value == "auto" ? Mode::Auto : Mode::Marked;
  return {};
}
template <auto member>
Status set_member(CompileRequest &request, const std::string &value) {
  return set(request.options.*member, value);
}
Status set_format(CompileRequest &request, const std::string &value) {
  request.format = value;
  return {};
}

constexpr struct {
  std::string_view key;
  Status (*set)(CompileRequest &request, const std::string &value);
} compile_options[] = {{"device-only", set_member<&bp::CompileOptions::device_only>},
                       {"memory-limit", set_member<&bp::CompileOptions::memory_limit>},
                       {"cache-dir", set_member<&bp::CompileOptions::cache_dir>},
                       {"dump-dir", set_member<&bp::CompileOptions::dump_dir>},
                       {"deadline", set_member<&bp::CompileOptions::cancellation>},
                       {"keep-artifacts", set_member<&bp::CompileOptions::keep_artifacts>},
                       {"fuse", set_member<&bp::CompileOptions::fuse>},
                       {"disabled-passes", set_member<&bp::CompileOptions::disabled_passes>},
                       {"cluster", set_member<&bp::CompileOptions::clusters>},
                       {"host-functions", set_member<&bp::CompileOptions::host_functions>},
                       {"format", set_format}};

}  // namespace

Result<CompileRequest> bp::c::read_compile_options(const bp_option_t *given, std::uint32_t count) {
  BP_ASSIGN(const auto read, bp::c::read_options(given, count));
  CompileRequest request;
  for (const auto &[key, value] : read) {
    const auto *found = std::ranges::find(compile_options, std::string_view(key), [](const auto &o) { return o.key; });
    if (found == std::end(compile_options)) {
      return bp::invalid_input(
          "there is no option '{}' of a compilation, expected device-only, memory-limit, cache-dir, dump-dir, "
          "deadline, keep-artifacts, fuse, disabled-passes, cluster, host-functions or format",
          key);
    }
    if (Status status = found->set(request, value); !status.ok()) {
      return bp::invalid_input("the option {} {}", key, status.error().message());
    }
  }
  return request;
}

namespace {

// --- arrays ---

// Appends the arrays of a value, named after this name.
void add_leaves(const Shape &shape, const std::string &name, backplane_executable &executable) {
  for (std::size_t position = 0; position < shape.subshape_count(); ++position) {
    if (const Shape &leaf = shape.subshape(position); leaf.is_array()) {
      const std::string part =
          position == 0 ? "" : fmt::format("{{{}}}", fmt::join(shape.index_of_subshape(position), ","));
      executable.leaves.push_back(leaf);
      executable.names.push_back(name + part);
    }
  }
}

}  // namespace

void bp::c::describe_arrays(backplane_executable &executable) {
  for (const bp::package::Value &parameter : executable.interface.parameters) {
    add_leaves(parameter.shape, parameter.name, executable);
  }
  const std::size_t inputs = executable.leaves.size();
  for (const bp::package::Value &result : executable.interface.results) {
    add_leaves(result.shape, result.name, executable);
  }
  for (std::size_t i = 0; i < executable.leaves.size(); ++i) {
    (i < inputs ? executable.inputs : executable.outputs)
        .push_back(describe(executable.leaves[i], executable.names[i].c_str()));
  }
}

namespace {

Status check_static(const Module &module) {
  for (std::size_t i = 0; i < module.entry().parameter_count(); ++i) {
    if (const bp::ir::Instruction parameter = module.entry().parameter(i); !parameter.shape().is_static()) {
      return bp::unsupported("{}: has shape {}, expected sizes that are known before it runs", parameter.name(),
                             to_string(parameter.shape()))
          .at(parameter.location());
    }
  }
  return {};
}

// `read`: reads the module, for ReadOptions.
template <class Read>
Status compile(const backplane_backend *backend, const Read &read, const bp_option_t *given, std::uint32_t option_count,
               backplane_executable **made) {
  BP_ASSIGN(const CompileRequest request, read_compile_options(given, option_count));
  bp::ReadOptions reading;
  reading.format = request.format;
  BP_ASSIGN(Module module, read(reading));
  BP_TRY(check_static(module));
  backplane_executable described;
  described.interface = bp::package::interface_of(module);
  describe_arrays(described);
  BP_ASSIGN(bp::Compiled compiled, backend->backend.compile(std::move(module), request.options));
  described.executable = std::make_shared<const bp::Executable>(std::move(compiled.executable));
  *made = new backplane_executable(std::move(described));
  return {};
}

}  // namespace

const char *backplane_version(void) {
  return bp::host::core_version;
}

bp_status backplane_compile_file(const backplane_backend *backend, const char *path, const bp_option_t *options,
                                 std::uint32_t option_count, const bp_diag_t *errors,
                                 backplane_executable **executable) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(backend, "backend"));
    BP_TRY(expect_given(path, "path"));
    BP_TRY(expect_given(executable, "executable"));
    const auto read = [&](const bp::ReadOptions &reading) { return bp::read_module(path, reading); };
    return compile(backend, read, options, option_count, executable);
  });
}

bp_status backplane_compile_bytes(const backplane_backend *backend, const void *bytes, std::uint64_t size,
                                  const char *name, const bp_option_t *options, std::uint32_t option_count,
                                  const bp_diag_t *errors, backplane_executable **executable) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(backend, "backend"));
    BP_TRY(expect_given(bytes, "bytes"));
    BP_TRY(expect_given(name, "name"));
    BP_TRY(expect_given(executable, "executable"));
    const auto read = [&](const bp::ReadOptions &reading) {
      return bp::parse_module({static_cast<const char *>(bytes), size}, name, reading);
    };
    return compile(backend, read, options, option_count, executable);
  });
}

bp_status backplane_save_package(const backplane_executable *executable, const char *path, const bp_diag_t *errors) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(executable, "executable"));
    BP_TRY(expect_given(path, "path"));
    return bp::save_package(*executable->executable, executable->interface, path);
  });
}

bp_status backplane_load_package(const backplane_backend *backend, const char *path, const char *signed_by,
                                 const bp_diag_t *errors, backplane_executable **executable) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(backend, "backend"));
    BP_TRY(expect_given(path, "path"));
    BP_TRY(expect_given(executable, "executable"));
    std::optional<bp::PublicKey> key;
    if (signed_by != nullptr) {
      BP_ASSIGN(key, bp::read_public_key(signed_by));
    }
    BP_ASSIGN(const bp::Package package, bp::Package::open(path, key));
    backplane_executable loaded;
    loaded.interface = package.index().interface;
    for (const bp::package::Value &value : loaded.interface.parameters) {
      if (!value.shape.is_static()) {
        return bp::unsupported("{}: {} has shape {}, expected sizes that are known before it runs", path, value.name,
                               to_string(value.shape));
      }
    }
    describe_arrays(loaded);
    BP_ASSIGN(bp::Executable whole, package.load(backend->backend.devices()));
    loaded.executable = std::make_shared<const bp::Executable>(std::move(whole));
    *executable = new backplane_executable(std::move(loaded));
    return {};
  });
}

void backplane_release_executable(backplane_executable *executable) {
  delete executable;
}

std::uint32_t backplane_input_count(const backplane_executable *executable) {
  return static_cast<std::uint32_t>(executable->inputs.size());
}

std::uint32_t backplane_output_count(const backplane_executable *executable) {
  return static_cast<std::uint32_t>(executable->outputs.size());
}

const backplane_array_t *backplane_input(const backplane_executable *executable, std::uint32_t index) {
  return at(executable->inputs, index);
}

const backplane_array_t *backplane_output(const backplane_executable *executable, std::uint32_t index) {
  return at(executable->outputs, index);
}

std::uint32_t backplane_output_is_bounded(const backplane_executable *executable, std::uint32_t index,
                                          std::uint32_t dimension) {
  if (index >= executable->outputs.size()) {
    return 0;
  }
  const Shape &shape = executable->leaves[executable->inputs.size() + index];
  return dimension < shape.rank() && shape.is_dynamic(dimension) ? 1 : 0;
}

backplane_terms_t *backplane_make_terms(double seconds, int32_t priority) {
  // NaN, as of a computation that went wrong, is no reason to go on for ever.
  auto cancellation = seconds == 0  ? std::make_shared<bp::Cancellation>()
                      : seconds > 0 ? bp::Cancellation::after(seconds)
                                    : bp::Cancellation::after(0);
  return new (std::nothrow) backplane_terms{std::move(cancellation), priority, {}};
}

void backplane_cancel(backplane_terms_t *terms) {
  if (terms != nullptr) {
    terms->cancellation->cancel();
  }
}

void backplane_release_terms(backplane_terms_t *terms) {
  delete terms;
}

bp_status backplane_run(const backplane_executable *executable, const void *const *inputs, void *const *outputs,
                        const bp_diag_t *errors) {
  return backplane_run_with_terms(executable, inputs, outputs, nullptr, errors);
}

bp_status backplane_run_with_terms(const backplane_executable *executable, const void *const *inputs,
                                   void *const *outputs, const backplane_terms_t *terms, const bp_diag_t *errors) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(executable, "executable"));
    if (!executable->inputs.empty()) {
      BP_TRY(expect_given(inputs, "inputs"));
    }
    if (!executable->outputs.empty()) {
      BP_TRY(expect_given(outputs, "outputs"));
    }
    for (std::size_t i = 0; i < executable->outputs.size(); ++i) {
      if (const Shape &shape = executable->leaves[executable->inputs.size() + i]; !shape.is_static()) {
        return bp::unsupported("output {} has shape {}, whose size the run tells: expected backplane_run_dlpack()",
                               executable->outputs[i].name, to_string(shape, bp::ir::PrintLayout::Never));
      }
    }
    std::vector<Literal> arguments;
    for (const bp::package::Value &parameter : executable->interface.parameters) {
      BP_ASSIGN(Literal argument, make_literal(parameter.shape, inputs));
      arguments.push_back(std::move(argument));
    }
    bp::interpreter::Options host;
    if (terms != nullptr) {
      host.terms = {terms->cancellation, terms->priority};
      terms->host_calls.serve(host);
    }
    BP_ASSIGN(const Literal result, executable->executable->run(std::move(arguments), host));
    return copy_out(result, outputs);
  });
}
