#include "conformance/coverage/coverage.h"

namespace bp::coverage {
namespace {

using ir::Opcode;

constexpr std::string_view no_zero =
    "no number of the type leaves all others as they are, with which elements beyond the run-time size would be masked";
constexpr std::string_view no_partner = "needs somebody at the other end: a device of a simulation, or a host program";

// Exceptions of every device of this repository.
constexpr Exception of_all[] = {
    {Opcode::DynamicReshape, Answer::Interpreter, "f8e8m0fnu, complex", no_zero},
    {Opcode::GetDimensionSize, Answer::Interpreter, "f8e8m0fnu, complex", no_zero},
    {Opcode::SetDimensionSize, Answer::Interpreter, "f8e8m0fnu, complex", no_zero},
    {Opcode::CustomCall, Answer::Interpreter, "all", "what it calls is registered with the interpreter"},
    {Opcode::Send, Answer::Nowhere, "all", no_partner},
    {Opcode::SendDone, Answer::Nowhere, "all", no_partner},
    {Opcode::Recv, Answer::Nowhere, "all", no_partner},
    {Opcode::RecvDone, Answer::Nowhere, "all", no_partner},
    {Opcode::Infeed, Answer::Nowhere, "all", no_partner},
    {Opcode::Outfeed, Answer::Nowhere, "all", no_partner},
};

constexpr std::string_view no_state = "its state, from one run to the next, is kept by the device";
// Additional exceptions of the device that has only the primitive ops.
constexpr Exception of_primitives[] = {
    {Opcode::Rng, Answer::Interpreter, "pred, signed, unsigned, floats", no_state},
    {Opcode::RngGetAndUpdateState, Answer::Interpreter, "yes", no_state},
};

}  // namespace

std::vector<Exception> exceptions(std::string_view device_id) {
  std::vector<Exception> known;
  if (device_id == "dev.backplane.cpu" || device_id == "dev.backplane.nvptx" ||
      device_id == "dev.backplane.primitives") {
    known.assign(std::begin(of_all), std::end(of_all));
  }
  if (device_id == "dev.backplane.primitives") {
    known.insert(known.end(), std::begin(of_primitives), std::end(of_primitives));
  }
  return known;
}

}  // namespace bp::coverage
