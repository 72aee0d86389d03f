#include "conformance/coverage/coverage.h"

namespace bp::coverage {
namespace {

using ir::Opcode;

constexpr std::string_view no_order = "complex numbers have no order; StableHLO's is written out when it is read";
constexpr std::string_view no_zero =
    "the type has no zero, with which elements beyond the run-time size would be masked";
constexpr std::string_view no_partner = "needs somebody at the other end: a device of a simulation, or a host program";

constexpr Exception all[] = {
    {Opcode::Maximum, Answer::Nowhere, "complex", no_order},
    {Opcode::Minimum, Answer::Nowhere, "complex", no_order},
    {Opcode::DynamicReshape, Answer::Interpreter, "f8e8m0fnu", no_zero},
    {Opcode::TopK, Answer::Nowhere, "complex", "complex numbers have no order"},
    {Opcode::GetDimensionSize, Answer::Interpreter, "f8e8m0fnu", no_zero},
    {Opcode::SetDimensionSize, Answer::Interpreter, "f8e8m0fnu", no_zero},
    {Opcode::ScaledDot, Answer::Nowhere, "pred, signed, unsigned, complex", "scales are for floats"},
    {Opcode::CustomCall, Answer::Interpreter, "all", "what it calls is registered with the interpreter"},
    {Opcode::RngBitGenerator, Answer::Nowhere, "floats", "random bits are integers"},
    {Opcode::Send, Answer::Nowhere, "all", no_partner},
    {Opcode::SendDone, Answer::Nowhere, "all", no_partner},
    {Opcode::Recv, Answer::Nowhere, "all", no_partner},
    {Opcode::RecvDone, Answer::Nowhere, "all", no_partner},
    {Opcode::Infeed, Answer::Nowhere, "all", no_partner},
    {Opcode::Outfeed, Answer::Nowhere, "all", no_partner},
};

}  // namespace

std::span<const Exception> exceptions() {
  return all;
}

}  // namespace bp::coverage
