// Trials of the device's routines (bp.custom-call/draft-1), directly at the ABI.
#include <fmt/format.h>

#include <array>

#include "conformance/suite/contract_trials.h"
#include "conformance/suite/stage.h"
#include "core/host/diagnostics.h"
#include "core/host/image.h"
#include "core/runtime/memory.h"
#include "core/text/parser.h"

namespace bp::conformance {
namespace {

// --- BP-ROUTINE-02: each routine gets shapes that few routines take ---

Result<Verdict> call_on(const host::Device &device, const bp_routine_t &routine, std::string_view shape) {
  BP_ASSIGN(const ir::Module module,
            text::parse_module(fmt::format("ENTRY main {{ x = {0} parameter(0)  ROOT r = {0} custom-call(x), "
                                           "custom_call_target=\"{1}\" }}",
                                           shape, routine.target)));
  BP_ASSIGN(const host::Image image, host::build_image(module, host::Stage::Legalize));
  const plugin::Value root = image.view().entry().roots()[0];
  const std::uint64_t size = std::max<std::uint64_t>(root.size(), 1);
  BP_ASSIGN(const runtime::Block operand, runtime::Block::allocate(size));
  BP_ASSIGN(const runtime::Block result, runtime::Block::allocate(size));
  std::ranges::fill(operand.bytes(), std::byte{0});
  const std::array<const void *, 1> operands = {operand.bytes().data()};
  const std::array<void *, 1> results = {result.bytes().data()};
  const bp_call_t call = {image.module(), root.instruction().index(), 0, operands.data(), results.data()};
  host::Diagnostics diagnostics;
  const bp_status status =
      diagnostics.call([&](const bp_diag_t *diag) { return routine.kernel(device.abi(), &call, diag); });
  if (status != BP_OK && (status != BP_INVALID || diagnostics.reports().empty())) {
    return failure(fmt::format(
        "BP-ROUTINE-02: the routine {} refuses {} with \"{}\" and {} reports, expected \"{}\" "
        "and a report",
        routine.target, shape, host::status_name(status), diagnostics.reports().size(), host::status_name(BP_INVALID)));
  }
  return Verdict();
}

Result<Verdict> routines_refuse(Subject &subject) {
  BP_ASSIGN(const Backend *backend, subject.backend());
  const host::Device &device = *backend->device();
  const bp_device_custom_call_t &table = *device.custom_call();
  for (const bp_routine_t &routine : std::span(table.routines, table.routine_count)) {
    for (const std::string_view shape : {"f32[3]", "s4[5]", "c128[2,0]", "pred[]", "bf16[1,1,7]"}) {
      BP_ASSIGN(Verdict verdict, call_on(device, routine, shape));
      if (verdict.status != CaseStatus::Pass) {
        return verdict;
      }
    }
  }
  return Verdict();
}
Verdict refuses_shapes(Subject &subject) {
  return verdict_or_error(routines_refuse(subject));
}

constexpr ContractTrial routine_table[] = {
    {"BP-ROUTINE-02", "bp.custom-call/draft-1", refuses_shapes},
};

}  // namespace

const std::span<const ContractTrial> routine_trials = routine_table;

}  // namespace bp::conformance
