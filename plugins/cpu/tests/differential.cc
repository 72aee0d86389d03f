#include "plugins/cpu/tests/differential.h"

#include <chrono>
#include <filesystem>

#include "core/buffers/assign.h"
#include "core/buffers/copy_insertion.h"
#include "core/host/diagnostics.h"
#include "core/host/image.h"
#include "core/interpreter/interpreter.h"
#include "core/interpreter/random_inputs.h"
#include "core/ir/verifier.h"
#include "core/passes/pipeline.h"
#include "core/runtime/program.h"

namespace bp::cpu::tests {
namespace {

class Watch {
 public:
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return passed;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::shared_ptr<const host::Device>> open_cpu(std::vector<std::pair<std::string, std::string>> settings) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  host::DeviceOptions options;
  options.settings = std::move(settings);
  BP_ASSIGN(std::shared_ptr<const host::Device> device,
            host::open_device((folder / "plugins/cpu/libbackplane_cpu.so").string(), std::move(options)));
  return device;
}

Result<Differential> run_differential(const std::shared_ptr<const host::Device> &device, ir::Module module,
                                      const DifferentialOptions &options) {
  Differential result;
  BP_TRY(ir::verify(module));
  BP_ASSIGN(std::vector<ir::Literal> arguments, interpreter::random_arguments(module, options.seed));
  ir::Literal reference;
  if (options.interpret) {
    BP_ASSIGN(reference, interpreter::interpret(module, arguments));
  }
  Watch watch;
  BP_TRY(passes::run_passes(module, options.passes));
  result.passes_seconds = watch.seconds();
  BP_TRY(buffers::insert_copies(module));
  module.header().is_scheduled = true;
  BP_ASSIGN(buffers::Plan plan, buffers::assign(module));
  BP_ASSIGN(host::Image image, host::build_image(module, host::Stage::Final, &plan));
  result.plan_seconds = watch.seconds();

  std::vector<float> costs(image.module()->instrs.count);
  host::Diagnostics claims;
  BP_TRY(claims.result(device->compiler()->claim(device->abi(), image.module(), costs.data(), claims.abi()), "cpu",
                       "claim", image.module()));
  if (!claims.reports().empty()) {
    return unsupported("{}", claims.reports()[0].message);
  }
  std::string artifact;
  const bp_ostream_t stream = {&artifact, [](const bp_ostream_t *to, const void *bytes, std::uint64_t size) {
                                 static_cast<std::string *>(to->ctx)->append(static_cast<const char *>(bytes), size);
                                 return bp_status{BP_OK};
                               }};
  host::Diagnostics compiling;
  BP_TRY(compiling.result(device->compiler()->compile(device->abi(), image.module(), &stream, compiling.abi()), "cpu",
                          "compile", image.module()));
  result.compile_seconds = watch.seconds();
  result.artifact_bytes = artifact.size();
  BP_ASSIGN(std::shared_ptr<const runtime::Program> program,
            runtime::Program::load(device, module, std::move(image), std::as_bytes(std::span(artifact))));
  result.load_seconds = watch.seconds();
  ir::Literal value;
  for (int i = 0; i < options.repeat; ++i) {
    watch.seconds();
    BP_ASSIGN(value, program->run(arguments));
    const double seconds = watch.seconds();
    result.run_seconds = i == 0 ? seconds : std::min(result.run_seconds, seconds);
  }
  if (options.interpret) {
    BP_ASSIGN(result.comparisons, interpreter::compare(value, reference));
  }
  return result;
}

}  // namespace bp::cpu::tests
