// Program: how a run uses its arguments where they are, and where its results are computed.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "core/ir/storage.h"
#include "core/runtime/program.h"

namespace bp::runtime {
namespace {

std::size_t array_count(const ir::Shape &shape) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < shape.subshape_count(); ++i) {
    count += shape.subshape(i).is_array() ? 1 : 0;
  }
  return count;
}

void append_arrays(ir::Literal literal, std::vector<Value> &arrays) {
  for (std::size_t i = 0; i < literal.tuple_elements().size(); ++i) {
    append_arrays(literal.take_element(i), arrays);
  }
  if (literal.shape().is_array()) {
    arrays.emplace_back(std::move(literal));
  }
}

// Rebuilds tuples from their leaves.
ir::Literal nest(const ir::Shape &shape, std::vector<ir::Literal> &arrays, std::size_t &next) {
  if (shape.is_tuple()) {
    std::vector<ir::Literal> elements;
    for (const ir::Shape &element : shape.elements()) {
      elements.push_back(nest(element, arrays, next));
    }
    return ir::Literal::tuple(std::move(elements));
  }
  return shape.is_array() ? std::move(arrays[next++]) : ir::Literal::token();
}

}  // namespace

// Whether a leaf is a whole allocation, in the representation of literals.
bool Program::is_whole(const Leaf &leaf) const {
  return leaf.offset == 0 && leaf.size == image_.view().allocations()[leaf.allocation].size &&
         ir::is_stored_as_literal(leaf.shape);
}

// Whether an array can be an input where it is.
bool Program::fits(const DeviceArray &array, std::size_t input) const {
  const Leaf &leaf = inputs_[input];
  const bp_allocation_t &allocation = image_.view().allocations()[leaf.allocation];
  return is_on_device() && array.device() == device_ && array.space() == allocation.space && may_be_on_device_[input] &&
         leaf.size > 0 && leaf.size == array.size() &&
         allocation.alignment <=
             std::max<std::size_t>(block_alignment, device_->memory()->spaces[allocation.space].alignment);
}

void Program::find_shared_memory() {
  std::map<std::uint32_t, std::size_t> input_in;  // by allocation
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    input_in.emplace(inputs_[i].allocation, i);
    may_be_on_device_.push_back(is_whole(inputs_[i]));
  }
  for (const Leaf &output : outputs_) {
    const bp_allocation_t &allocation = image_.view().allocations()[output.allocation];
    const auto found = input_in.find(allocation.alias == BP_NONE ? output.allocation : allocation.alias);
    input_with_.emplace_back();
    if (found == input_in.end()) {
      continue;
    }
    const Leaf &input = inputs_[found->second];
    if (is_whole(input) && is_whole(output) && input.size == output.size) {
      input_with_.back() = found->second;
    }
    // An array that becomes the result keeps its shape.
    if (!input_with_.back() || !same(input.shape, output.shape, ir::CompareLayout::No)) {
      may_be_on_device_[found->second] = false;
    }
  }
  std::size_t leaf = 0;
  for (const ir::Shape &parameter : signature_.parameters) {
    takes_from_device_.push_back(parameter.is_array() && is_on_device() && may_be_on_device_[leaf] &&
                                 image_.view().allocations()[inputs_[leaf].allocation].space == main_space);
    leaf += array_count(parameter);
  }
}

// Whether an array that the host can address can be an input where it is, for a program that works on host memory.
bool Program::fits_on_host(const DeviceArray &array, std::size_t input) const {
  return !is_on_device() && may_be_on_device_[input] && array.host_address() != nullptr &&
         inputs_[input].size == array.size();
}

// Lets the execution use an argument: where it is, if the run may; otherwise as a copy.
Result<Program::Bound> Program::bind(std::size_t input, Value argument, Execution &execution) const {
  const Leaf &leaf = inputs_[input];
  Bound bound;
  if (argument.on_device() != nullptr &&
      (fits(*argument.on_device(), input) || fits_on_host(*argument.on_device(), input))) {
    bound.array = argument.on_device();
    argument = {};
    if (is_donated(input) && (bound.array->is_borrowed() || !is_only_owner(bound.array))) {
      BP_ASSIGN(bound.array, bound.array->copy());
    }
    if (is_on_device()) {
      execution.set_device_input(input, bound.array->location());
    } else {
      BP_TRY(execution.set_input(input, bound.array->host_address()));
    }
    bound.is_in_place = true;
    return bound;
  }
  if (is_on_device() && is_addressable(image_.view().allocations()[leaf.allocation].space)) {
    bound.to_write = std::move(argument);
    return bound;
  }
  BP_ASSIGN(bound.literal, std::move(argument).view());
  bound.is_in_place = ir::is_stored_as_literal(leaf.shape) && !(is_donated(input) && bound.literal.shares_bytes());
  if (bound.is_in_place) {
    BP_TRY(execution.set_input(input, bound.literal.bytes().data()));
    return bound;
  }
  BP_ASSIGN(bound.converted, Block::allocate(leaf.size));
  ir::store(bound.literal, leaf.shape, bound.converted.bytes());
  BP_TRY(execution.set_input(input, bound.converted.bytes().data()));
  return bound;
}

// Writes an argument into memory of the execution that the host can address.
Status Program::write_input(std::size_t input, const Value &argument, Execution &execution) const {
  const Leaf &leaf = inputs_[input];
  const std::span<std::byte> bytes = execution.input(input);
  const std::shared_ptr<const DeviceArray> &array = argument.on_device();
  if (array != nullptr && array->host_address() == nullptr && ir::is_stored_as_literal(leaf.shape)) {
    return copy(*array->device(), host_location(bytes.data()), array->location(), bytes.size());
  }
  BP_ASSIGN(const ir::Literal literal, argument.view());
  ir::store(literal, leaf.shape, bytes);
  return {};
}

// Returns an array for a result that the program, which works on host memory, computes in memory of another device;
// nullptr if that is not possible.
std::shared_ptr<const DeviceArray> Program::make_result(const Leaf &leaf, const ResultPlace &place) {
  auto block = Block::allocate_on(*place.device, main_space, leaf.size);
  if (!block.ok()) {
    return nullptr;  // the result is on the host, and copied later
  }
  auto array = std::make_shared<const DeviceArray>(place.device, main_space, *std::move(block), leaf.shape);
  return array->host_address() == nullptr ? nullptr : array;
}

// Arguments and results are by input and output. Results are on the host unless they are to stay on the device.
Result<std::vector<Value>> Program::run_arrays(std::vector<Value> arguments, bool results_stay,
                                               std::span<const ResultPlace> places,
                                               const interpreter::Options &host) const {
  Execution execution = Execution::prepare(shared_from_this());
  execution.set_host(host);
  std::vector<Bound> bound;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    BP_ASSIGN(Bound argument, bind(i, std::exchange(arguments[i], {}), execution));
    bound.push_back(std::move(argument));
  }
  // A result is computed directly in its literal or block, or in that of a donated argument, if that has the buffer's
  // representation and the buffer is a whole output.
  enum class Destination { Done, Device, Buffer };
  std::vector<Value> results;
  std::vector<Destination> destinations;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Leaf &leaf = outputs_[i];
    const bp_allocation_t &allocation = image_.view().allocations()[leaf.allocation];
    const bool is_own = allocation.kind == BP_ALLOC_OUTPUT && allocation.alias == BP_NONE && is_whole(leaf);
    if (const auto input = input_with_[i]; input && bound[*input].is_in_place) {
      const Bound &argument = bound[*input];
      results.push_back(argument.array != nullptr ? Value(argument.array)
                                                  : Value(argument.literal.with_shape(leaf.shape)));
      destinations.push_back(Destination::Done);
    } else if (results_stay && is_on_device() && is_own && leaf.size > 0) {
      execution.leave_output(i);
      results.emplace_back();
      destinations.push_back(Destination::Device);
    } else if (auto array = i < places.size() && places[i].device != nullptr && is_own && leaf.size > 0
                                ? make_result(leaf, places[i])
                                : nullptr;
               array != nullptr) {
      BP_TRY(execution.set_output(i, array->host_address()));
      results.emplace_back(std::move(array));
      destinations.push_back(Destination::Done);
    } else {
      BP_ASSIGN(ir::Literal literal, ir::Literal::zeros(leaf.shape));
      if (is_own) {
        BP_TRY(execution.set_output(i, literal.mutable_bytes().data()));
      }
      results.emplace_back(std::move(literal));
      destinations.push_back(is_own ? Destination::Done : Destination::Buffer);
    }
  }
  BP_TRY(execution.allocate());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (bound[i].to_write) {
      BP_TRY(write_input(i, *bound[i].to_write, execution));
      bound[i].to_write.reset();
    }
  }
  BP_TRY(execution.run());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Leaf &leaf = outputs_[i];
    if (destinations[i] == Destination::Device) {
      const std::uint32_t space = image_.view().allocations()[leaf.allocation].space;
      results[i] = Value(std::make_shared<const DeviceArray>(device_, space, execution.take_output(i), leaf.shape));
    } else if (destinations[i] == Destination::Buffer) {
      ir::Literal literal = std::move(results[i]).literal().value();
      ir::load(execution.output(i), leaf.shape, literal);
      results[i] = Value(std::move(literal));
    }
  }
  return results;
}

Result<ir::Literal> Program::run(std::vector<ir::Literal> arguments, const interpreter::Options &host) const {
  BP_TRY(check_arguments(signature_.name, signature_.parameters, arguments));
  std::vector<Value> given;
  for (ir::Literal &argument : arguments) {
    append_arrays(std::move(argument), given);
  }
  arguments.clear();
  BP_ASSIGN(std::vector<Value> results, run_arrays(std::move(given), false, {}, host));
  std::vector<ir::Literal> literals;
  for (Value &result : results) {
    BP_ASSIGN(ir::Literal literal, std::move(result).literal());
    literals.push_back(std::move(literal));
  }
  std::size_t next = 0;
  return nest(signature_.result, literals, next);
}

Result<std::vector<Value>> Program::run_on_device(std::vector<Value> arguments, const interpreter::Options &host,
                                                  std::span<const ResultPlace> places) const {
  BP_TRY(check_arguments(signature_.name, signature_.parameters, arguments));
  std::vector<Value> given;
  for (Value &argument : arguments) {
    if (argument.shape().is_array()) {
      given.push_back(std::move(argument));
    } else {
      BP_ASSIGN(ir::Literal literal, std::move(argument).literal());
      append_arrays(std::move(literal), given);
    }
  }
  arguments.clear();
  std::vector<ResultPlace> array_places;
  for (std::size_t i = 0; i < places.size() && !is_on_device(); ++i) {
    const ir::Shape &element = signature_.result.is_tuple() ? signature_.result.elements()[i] : signature_.result;
    array_places.resize(array_places.size() + array_count(element));
    if (element.is_array()) {
      array_places.back() = places[i];
    }
  }
  BP_ASSIGN(std::vector<Value> arrays, run_arrays(std::move(given), true, array_places, host));
  std::size_t next = 0;
  const auto take = [&](const ir::Shape &shape) -> Result<Value> {
    if (shape.is_array()) {
      return std::move(arrays[next++]);
    }
    std::vector<ir::Literal> literals;
    for (const std::size_t end = next + array_count(shape); next < end; ++next) {
      BP_ASSIGN(ir::Literal literal, std::move(arrays[next]).literal());
      literals.push_back(std::move(literal));
    }
    std::size_t first = 0;
    return Value(nest(shape, literals, first));
  };
  std::vector<Value> results;
  if (!signature_.result.is_tuple()) {
    BP_ASSIGN(Value result, take(signature_.result));
    results.push_back(std::move(result));
    return results;
  }
  for (const ir::Shape &element : signature_.result.elements()) {
    BP_ASSIGN(Value result, take(element));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace bp::runtime
