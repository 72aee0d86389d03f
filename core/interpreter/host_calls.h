// HostCalls: what an application does for a program while it runs. It has functions, which custom-calls name by their
// target, a source of what infeed takes, and a sink of what outfeed gives.
//
//   interpreter::HostCalls calls;
//   BP_TRY(calls.add_function("square", square));
//   calls.set_infeed(interpreter::in_order(std::move(batches)));
//   interpreter::Options host;
//   calls.serve(host);
//   BP_ASSIGN(bp::Literal result, compiled.executable.run(std::move(arguments), host));
//
// A device does not run such instructions. The host does, between the parts of the program that the device runs, and
// one after the other in the order that their tokens and operands demand.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/interpreter/options.h"
#include "core/ir/literal.h"
#include "core/ir/module.h"

namespace bp::interpreter {

// Threads: runs may use one object at the same time, but nobody may change it meanwhile. They then call the same
// functions, source and sink at the same time, each on the thread that evaluates; for a source or sink of its own, give
// each run its own object.
class HostCalls {
 public:
  // Returns the result of the custom-call, which must have the call's shape. An error ends the run, as an exception
  // does; the message is reported with the call's name and line.
  using Function =
      std::function<Result<ir::Literal>(const ir::Instruction &call, std::span<const ir::Literal> operands)>;
  // Returns the next value of infeed, which must have this shape.
  using Source = std::function<Result<ir::Literal>(const ir::Shape &shape)>;
  // Takes the value of an outfeed.
  using Sink = std::function<Status(const ir::Literal &value)>;

  // Has custom-calls of the target call a function. Targets that the interpreter evaluates itself, such as LAPACK's,
  // never get to it. A function that does more than return a result needs custom_call_has_side_effect=true, or calls
  // may be left out, joined and moved. InvalidInput if the target is empty or has a function.
  Status add_function(std::string target, Function function);
  void set_infeed(Source source) { source_ = std::move(source); }
  void set_outfeed(Sink sink) { sink_ = std::move(sink); }

  // Executes a custom-call, infeed or outfeed. Unsupported if nothing was given for it, InvalidInput if what was given
  // returns a value of another shape.
  Result<ir::Literal> execute(const ir::Instruction &instruction, std::span<const ir::Literal> operands) const;
  // Has runs with these options execute such instructions here, until this object is destroyed.
  void serve(Options &options) const;

 private:
  Result<ir::Literal> call_function(const ir::Instruction &call, std::span<const ir::Literal> operands) const;

  std::map<std::string, Function, std::less<>> functions_;  // by target
  Source source_;
  Sink sink_;
};

// Executes a custom-call, infeed or outfeed by what runs with these options serve, or refuses it.
Result<ir::Literal> execute_on_host(const Options &options, const ir::Instruction &instruction,
                                    std::span<const ir::Literal> operands);

// Calls a function of the application. Fails with OutOfMemory or Internal if it throws.
template <class Function>
auto call_application(Function &&function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    return make_error(ErrorCode::OutOfMemory, "the application's function ran out of memory");
  } catch (const std::exception &exception) {
    return make_error(ErrorCode::Internal, "the application's function threw: {}", exception.what());
  } catch (...) {
    return make_error(ErrorCode::Internal, "the application's function threw an exception of unknown type");
  }
}

// Returns a source that gives these values in order, and then fails with InvalidInput. Copies share its place in them;
// not for several runs at the same time.
HostCalls::Source in_order(std::vector<ir::Literal> values);

}  // namespace bp::interpreter
