#include "conformance/coverage/coverage.h"

namespace bp::coverage {
namespace {

using ir::Opcode;

constexpr std::string_view no_zero =
    "the type has no neutral number with which elements beyond the run-time size could be masked";
constexpr std::string_view no_partner = "needs a partner: another device of a simulation, or a host program";

constexpr Exception all[] = {
    {Opcode::DynamicReshape, Answer::Interpreter, "f8e8m0fnu, complex", no_zero},
    {Opcode::GetDimensionSize, Answer::Interpreter, "f8e8m0fnu, complex", no_zero},
    {Opcode::SetDimensionSize, Answer::Interpreter, "f8e8m0fnu, complex", no_zero},
    {Opcode::CustomCall, Answer::Interpreter, "all", "its function is registered with the interpreter only"},
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
