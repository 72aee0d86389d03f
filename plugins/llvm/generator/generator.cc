#include "plugins/llvm/generator/generator.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <unordered_set>

#include "plugins/llvm/scalar/element_type.h"
#include "plugins/llvm/scalar/elementwise.h"
#include "plugins/llvm/scalar/lanes.h"

namespace bp::emit {

using llvm::Value;

void Generator::bind_parameters(ComputationView computation, std::span<const std::uint32_t> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    bindings_[computation.parameters()[i]] = {.alias = values[i]};
  }
}

void Generator::bind_scalars(ComputationView computation) {
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView instruction = module_.instruction(computation.first_instruction() + n);
    if (is_elementwise(instruction.op()) && instruction.shape().rank() == 0 && !instruction.shape().packed()) {
      bind_element(instruction.result(), element(instruction.result(), {}));
    }
  }
}

std::uint32_t Generator::resolve(std::uint32_t value) const {
  for (auto found = bindings_.find(value); found != bindings_.end() && found->second.alias != BP_NONE;
       found = bindings_.find(value)) {
    value = found->second.alias;
  }
  return value;
}

Value *Generator::pointer_of(std::uint32_t value) const {
  const auto found = bindings_.find(resolve(value));
  return found == bindings_.end() || !found->second.strides.empty() ? nullptr : found->second.pointer;
}

KernelBuilder::Key Generator::element_key(std::uint32_t value, std::span<const Index> indices) const {
  const Shape &shape = module_.shape_of(value);
  KernelBuilder::Key key = {3, value, reinterpret_cast<std::uintptr_t>(k_.mask())};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (shape.dims[i] > 1) {
      KernelBuilder::append(key, indices[i]);
    }
  }
  return key;
}

Value *Generator::element(std::uint32_t value, std::span<const Index> indices) {
  value = resolve(value);
  const auto bound = bindings_.find(value);
  if (bound != bindings_.end() && bound->second.element != nullptr) {
    return bound->second.element;
  }
  const Shape &shape = module_.shape_of(value);
  if (shape.elements == 0) {  // reached only if every lane is off
    return llvm::Constant::getNullValue(compute_type(k_.b.getContext(), shape.dtype));
  }
  KernelBuilder::Key key = element_key(value, indices);
  if (Value *known = k_.find(key)) {
    return known;
  }
  Value *result = bound != bindings_.end() ? load(bound->second, shape, indices)
                                           : compute(module_.definition(value), value, indices);
  k_.remember(std::move(key), result);
  return result;
}

Value *Generator::compute(InstructionView instruction, std::uint32_t value, std::span<const Index> indices) {
  const std::uint16_t op = instruction.op();
  if (is_elementwise(op)) {
    return elementwise(instruction, indices);
  }
  const std::size_t result = value - instruction.result();
  switch (op) {
    case BP_OP_CONSTANT: return constant_element(instruction, indices);
    case BP_OP_IOTA: return iota(instruction, indices);
    case BP_OP_BROADCAST:
    case BP_OP_TRANSPOSE:
    case BP_OP_REVERSE:
    case BP_OP_SLICE:
    case BP_OP_DYNAMIC_SLICE: return moved(instruction, 0, indices);
    case BP_OP_RESHAPE:
      return element(instruction.operand(0),
                     k_.reshape(indices, instruction.shape().dims, instruction.operand_shape(0).dims));
    case BP_OP_BITCAST: return bitcast(instruction, indices);
    case BP_OP_BITCAST_CONVERT: return bitcast_convert(instruction, indices);
    case BP_OP_DYNAMIC_UPDATE_SLICE:
      return moved(instruction, 1, indices, [&] { return element(instruction.operand(0), indices); });
    case BP_OP_CONCATENATE: return concatenate(instruction, indices, 0);
    case BP_OP_PAD: return moved(instruction, 0, indices, [&] { return element(instruction.operand(1), {}); });
    case BP_OP_GATHER: return gather(instruction, indices);
    case BP_OP_MAP: return map(instruction, indices);
    case BP_OP_REDUCE:
    case BP_OP_REDUCE_WINDOW: {
      const std::vector<Value *> all =
          op == BP_OP_REDUCE ? reduce(instruction, indices) : reduce_window(instruction, indices);
      for (std::size_t i = 0; i < all.size(); ++i) {
        k_.remember(element_key(instruction.result(i), indices), all[i]);
      }
      return all[result];
    }
    case BP_OP_FUSION:
    case BP_OP_CALL:
      bind_parameters(instruction.called(0), instruction.operands());
      return element(instruction.called(0).roots()[result], indices);
    default:  // opt-barrier, domain, add-dependency: the value of an operand
      return element(instruction.operand(result), indices);
  }
}

Value *Generator::elementwise(InstructionView instruction, std::span<const Index> indices) {
  std::vector<Value *> operands;
  for (const std::uint32_t operand : instruction.operands()) {
    const bool is_scalar = module_.shape_of(operand).rank() == 0;
    operands.push_back(element(operand, is_scalar ? std::span<const Index>() : indices));
  }
  k_.same_lanes(operands);
  return emit_elementwise(k_.b, instruction, operands);
}

Value *Generator::map(InstructionView instruction, std::span<const Index> indices) {
  std::vector<Value *> arguments;
  for (const std::uint32_t operand : instruction.operands()) {
    arguments.push_back(element(operand, indices));
  }
  k_.same_lanes(arguments);
  return call(instruction.called(0), arguments)[0];
}

Index Generator::operand_index(InstructionView instruction, const plugin::IndexExpression &expression,
                               std::span<const Index> indices, Value *&exists) {
  const auto require = [&](Value *condition) {
    if (exists == nullptr) {
      exists = condition;
      return;
    }
    Value *both[] = {exists, condition};
    k_.same_lanes(both);
    exists = k_.b.CreateAnd(both[0], both[1]);
  };
  Index index = expression.has_dimension() ? indices[static_cast<std::size_t>(expression.dimension)] : k_.constant(0);
  index = k_.add(k_.multiply(index, expression.stride), expression.offset);
  if (expression.has_start()) {
    const std::uint32_t start = instruction.operand(static_cast<std::size_t>(expression.start_operand));
    const Index clamped = clamped_start(start, {}, expression.start_limit);
    index = k_.add(index, k_.multiply(clamped, expression.start_factor));
  }
  if (expression.may_be_negative()) {
    require(k_.not_less_than(index, 0));
  }
  if (expression.may_be_beyond()) {
    require(k_.less_than(index, (expression.size - 1) * expression.divisor + 1));
  }
  if (expression.divisor > 1) {
    require(k_.less_than(k_.part(index, 1, expression.divisor), 1));
    index = k_.part(index, expression.divisor, 0);
  }
  return index;
}

Value *Generator::moved(InstructionView instruction, std::size_t operand, std::span<const Index> indices,
                        const std::function<Value *()> &otherwise) {
  Value *exists = nullptr;
  Indices from;
  for (const plugin::IndexExpression &expression : instruction.index_map(operand).dimensions) {
    from.push_back(operand_index(instruction, expression, indices, exists));
  }
  return select_lanes(exists, [&] { return element(instruction.operand(operand), from); }, otherwise);
}

// The same position in memory, so a reshape of the dimensions in memory order.
Value *Generator::bitcast(InstructionView instruction, std::span<const Index> indices) {
  const Shape &shape = instruction.shape(), &from = instruction.operand_shape(0);
  Indices ordered, result_indices(from.rank());
  std::vector<std::int64_t> dims, from_dims;
  for (const std::int64_t d : shape.major_to_minor()) {
    ordered.push_back(indices[static_cast<std::size_t>(d)]);
    dims.push_back(shape.dims[static_cast<std::size_t>(d)]);
  }
  for (const std::int64_t d : from.major_to_minor()) {
    from_dims.push_back(from.dims[static_cast<std::size_t>(d)]);
  }
  const Indices reshaped = k_.reshape(ordered, dims, from_dims);
  for (std::size_t i = 0; i < from.rank(); ++i) {
    result_indices[static_cast<std::size_t>(from.major_to_minor()[i])] = reshaped[i];
  }
  return from.dtype == shape.dtype ? element(instruction.operand(0), result_indices)
                                   : bits_to_compute(k_.b, bits(instruction.operand(0), result_indices), shape.dtype);
}

bool is_splat(InstructionView constant) {
  const Shape &shape = constant.shape();
  const auto bytes = constant.bytes(BP_ATTR_VALUE);
  if (shape.packed()) {
    return shape.elements == 1;
  }
  return std::equal(bytes.begin() + storage_bytes(shape.dtype), bytes.end(), bytes.begin());
}

Value *Generator::constant_element(InstructionView instruction, std::span<const Index> indices) {
  const Shape &shape = instruction.shape();
  llvm::LLVMContext &context = k_.b.getContext();
  const auto bytes = instruction.bytes(BP_ATTR_VALUE);
  if (is_splat(instruction)) {
    return constant_from_bytes(context, shape.dtype, bytes.data());
  }
  auto *data = llvm::ConstantDataArray::getRaw(
      llvm::StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()), bytes.size(), k_.b.getInt8Ty());
  auto *global = new llvm::GlobalVariable(*k_.b.GetInsertBlock()->getModule(), data->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, data);
  global->setAlignment(llvm::Align(64));
  bind(instruction.result(), global);
  return load({.pointer = global}, shape, indices);
}

Value *Generator::iota(InstructionView instruction, std::span<const Index> indices) {
  const std::uint16_t dtype = instruction.shape().dtype;
  const std::uint16_t real = is_complex(dtype) ? part_type(dtype) : dtype;
  Value *index = k_.value(indices[static_cast<std::size_t>(instruction.number(BP_ATTR_IOTA_DIMENSION))]);
  llvm::Type *type = with_lanes_of(compute_type(k_.b.getContext(), real), index);
  Value *number =
      round_to_type(k_.b, is_float(real) ? k_.b.CreateSIToFP(index, type) : k_.b.CreateZExtOrTrunc(index, type), real);
  return is_complex(dtype) ? make_complex(k_.b, {number, llvm::Constant::getNullValue(type)}) : number;
}

Index Generator::clamped_start(std::uint32_t value, std::span<const Index> indices, std::int64_t limit) {
  Value *start = element(value, indices);
  const bool with_sign = is_signed(module_.shape_of(value).dtype);
  if (start->getType()->getScalarSizeInBits() < 32) {
    llvm::Type *type = with_lanes_of(k_.b.getInt32Ty(), start);
    start = with_sign ? k_.b.CreateSExt(start, type) : k_.b.CreateZExt(start, type);
  }
  // Lanes stay at 32 bits unless a start below the limit would be negative in them.
  if (start->getType()->isIntegerTy(32) ||
      (start->getType()->getScalarSizeInBits() == 32 && !with_sign && limit > INT32_MAX)) {
    llvm::Type *type = with_lanes_of(k_.b.getInt64Ty(), start);
    start = with_sign ? k_.b.CreateSExt(start, type) : k_.b.CreateZExt(start, type);
  }
  const std::int64_t largest = start->getType()->getScalarSizeInBits() == 32 ? INT32_MAX : INT64_MAX;
  const auto constant = [&](std::int64_t v) {
    return llvm::ConstantInt::get(start->getType(), static_cast<std::uint64_t>(v), true);
  };
  if (with_sign) {
    start = k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, start, constant(0));
  }
  start = k_.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, start, constant(std::min(limit, largest)));
  return k_.of_lanes(start);
}

Value *Generator::select_lanes(Value *condition, const std::function<Value *()> &inside,
                               const std::function<Value *()> &otherwise) {
  if (condition == nullptr) {
    return inside();
  }
  if (!condition->getType()->isVectorTy()) {
    return k_.branch(
        condition, [&] { return std::vector<Value *>{inside()}; },
        [&] { return std::vector<Value *>{otherwise()}; })[0];
  }
  Value *in = nullptr;
  k_.with_mask(condition, [&] { in = inside(); });
  Value *out = otherwise();
  return emit_select(k_.b, condition, k_.splat(in), k_.splat(out));
}

Value *Generator::concatenate(InstructionView instruction, std::span<const Index> indices, std::size_t operand) {
  const auto dimension = static_cast<std::size_t>(instruction.number(BP_ATTR_DIMENSIONS));
  const plugin::IndexExpression along = instruction.index_map(operand).dimensions[dimension];
  const auto here = [&] {
    Indices from(indices.begin(), indices.end());
    from[dimension] = k_.add(from[dimension], along.offset);
    return element(instruction.operand(operand), from);
  };
  if (operand + 1 == instruction.operand_count()) {
    return here();
  }
  const std::int64_t end = along.size - along.offset;
  return select_lanes(k_.less_than(indices[dimension], end), here, [&]() -> Value * {
    // Lanes of this operand must not read the next operands.
    Value *rest = nullptr;
    Value *beyond = k_.not_less_than(indices[dimension], end);
    if (beyond->getType()->isVectorTy()) {
      k_.with_mask(beyond, [&] { rest = concatenate(instruction, indices, operand + 1); });
      return rest;
    }
    return concatenate(instruction, indices, operand + 1);
  });
}

Value *Generator::gather(InstructionView instruction, std::span<const Index> indices) {
  const Shape &operand = instruction.operand_shape(0);
  const Shape &starts = instruction.operand_shape(1);
  const auto offset_dims = instruction.numbers(BP_ATTR_OFFSET_DIMS);
  const auto collapsed = instruction.numbers(BP_ATTR_COLLAPSED_SLICE_DIMS);
  const auto start_map = instruction.numbers(BP_ATTR_START_INDEX_MAP);
  const auto slice_sizes = instruction.numbers(BP_ATTR_SLICE_SIZES);
  const auto operand_batching = instruction.numbers(BP_ATTR_OPERAND_BATCHING_DIMS);
  const auto starts_batching = instruction.numbers(BP_ATTR_START_INDICES_BATCHING_DIMS);
  const auto vector_dim = static_cast<std::size_t>(instruction.number(BP_ATTR_INDEX_VECTOR_DIM));
  const auto contains = [](std::span<const std::int64_t> list, std::size_t d) {
    return std::ranges::find(list, static_cast<std::int64_t>(d)) != list.end();
  };
  Indices start_indices(starts.rank(), k_.constant(0));
  std::size_t next = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!contains(offset_dims, d)) {
      next += next == vector_dim ? 1 : 0;
      start_indices[next++] = indices[d];
    }
  }
  Indices from(operand.rank(), k_.constant(0));
  std::size_t offset = 0;
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    if (!contains(collapsed, d) && !contains(operand_batching, d)) {
      from[d] = indices[static_cast<std::size_t>(offset_dims[offset++])];
    }
  }
  for (std::size_t i = 0; i < operand_batching.size(); ++i) {
    from[static_cast<std::size_t>(operand_batching[i])] = start_indices[static_cast<std::size_t>(starts_batching[i])];
  }
  for (std::size_t i = 0; i < start_map.size(); ++i) {
    const auto d = static_cast<std::size_t>(start_map[i]);
    if (vector_dim < starts.rank()) {
      start_indices[vector_dim] = k_.constant(static_cast<std::int64_t>(i));
    }
    from[d] = k_.add(from[d], clamped_start(instruction.operand(1), start_indices, operand.dims[d] - slice_sizes[d]));
  }
  return element(instruction.operand(0), from);
}

std::unordered_map<std::uint32_t, Value *> Generator::values_of(ComputationView computation,
                                                                std::span<Value *const> arguments) {
  std::unordered_map<std::uint32_t, Value *> values;
  const auto parameters = computation.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values[parameters[i]] = arguments[i];
  }
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView instruction = module_.instruction(computation.first_instruction() + n);
    if (instruction.op() == BP_OP_PARAMETER) {
      continue;
    }
    std::vector<Value *> operands;
    for (const std::uint32_t operand : instruction.operands()) {
      operands.push_back(values[operand]);
    }
    if (instruction.op() == BP_OP_CONSTANT) {
      values[instruction.result()] = constant_element(instruction, {});
    } else if (is_elementwise(instruction.op())) {
      k_.same_lanes(operands);
      values[instruction.result()] = emit_elementwise(k_.b, instruction, operands);
    } else if (!instruction.calls().empty()) {
      const std::vector<Value *> results = call(instruction.called(0), operands);
      for (std::size_t i = 0; i < results.size(); ++i) {
        values[instruction.result(i)] = results[i];
      }
    } else {  // the same scalar, perhaps with another type
      const std::uint16_t from = instruction.operand_shape(0).dtype, to = instruction.shape().dtype;
      values[instruction.result()] =
          from == to ? operands[0] : bits_to_compute(k_.b, compute_to_bits(k_.b, operands[0], from), to);
    }
  }
  return values;
}

Value *Generator::value_in(ComputationView computation, std::uint32_t value, std::span<Value *const> arguments) {
  return values_of(computation, arguments).at(value);
}

std::vector<Value *> Generator::call(ComputationView computation, std::span<Value *const> arguments) {
  const std::unordered_map<std::uint32_t, Value *> values = values_of(computation, arguments);
  std::vector<Value *> results;
  for (const std::uint32_t root : computation.roots()) {
    results.push_back(values.at(root));
  }
  return results;
}

}  // namespace bp::emit
