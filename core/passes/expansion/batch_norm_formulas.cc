// Narrow floats are computed in f32. With mean m and variance v over all dimensions except the feature dimension, n
// elements each, and r = rsqrt(v + epsilon):
//   training, inference   y = (x - m) * r * scale + offset
//   gradient              d = sum(g * (x - m)); offset: sum(g); scale: d * r;
//                         operand: scale * r * (g - sum(g) / n - (x - m) * d * r^2 / n)
// The variance is the mean of (x - m)^2 and not the mean of x^2 minus m^2, which would cancel. Where x has run-time
// sizes, n is their product, and values that are broadcast to x get these sizes, too.
#include "core/passes/expansion/batch_norm_formulas.h"
#include "core/passes/array_builder.h"

namespace bp::passes {
namespace {

using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;

class Expander {
 public:
  Expander(ir::Module &module, ir::Instruction batch_norm, ir::ComputationId sum)
      : original_(batch_norm), builder_(module, batch_norm.parent().id()), sum_(sum) {
    builder_.copy_origin_from(batch_norm);
    const ir::Shape &shape = batch_norm.operand(0).shape();
    type_ = shape.element_type();
    compute_type_ = compute_type(type_);
    feature_ = batch_norm.number(ir::AttributeKey::FeatureIndex);
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      if (static_cast<std::int64_t>(i) != feature_) {
        reduced_.push_back(static_cast<std::int64_t>(i));
        count_ *= shape.is_dynamic(i) ? 1 : static_cast<double>(shape.size(i));
      }
    }
    full_ = ir::Shape::array(compute_type_, shape.sizes());
    per_feature_ = ir::Shape::array(compute_type_, {shape.size(static_cast<std::size_t>(feature_))});
  }

  InstructionId training() {
    InstructionId x = operand(0), mean = mean_of(x), centered = subtract({x, spread(mean)});
    InstructionId variance = mean_of(multiply({centered, centered}));
    InstructionId y = normalize(centered, variance);
    return builder_.tuple(std::vector{result(y), result(mean), result(variance)});
  }

  InstructionId inference() {
    InstructionId centered = subtract({operand(0), spread(operand(3))});
    return result(normalize(centered, operand(4)));
  }

  InstructionId gradient() {
    InstructionId g = operand(4), scale = operand(1);
    InstructionId centered = subtract({operand(0), spread(operand(2))});
    InstructionId r = inverse_deviation(operand(3));
    InstructionId sum_g = sum_of(g), d = sum_of(multiply({g, centered}));
    InstructionId share = divide_by_count(multiply({d, multiply({r, r})}));
    InstructionId inner =
        subtract({subtract({g, spread(divide_by_count(sum_g))}), multiply({centered, spread(share)})});
    InstructionId grad_operand = multiply({inner, spread(multiply({scale, r}))});
    return builder_.tuple(std::vector{result(grad_operand), result(multiply({d, r})), result(sum_g)});
  }

 private:
  InstructionId operand(std::size_t i) {
    InstructionId id = original_.operands()[i];
    return compute_type_ == type_ ? id : builder_.convert(id, compute_type_);
  }
  InstructionId result(InstructionId id) { return compute_type_ == type_ ? id : builder_.convert(id, type_); }

  // Operands are passed as initializer lists, whose elements C++ evaluates in order, so the order of the instructions
  // does not depend on the compiler.
  using Pair = std::initializer_list<InstructionId>;
  InstructionId multiply(Pair operands) { return builder_.add(Opcode::Multiply, operands); }
  InstructionId subtract(Pair operands) { return builder_.add(Opcode::Subtract, operands); }
  const ir::Shape &x_shape() const { return original_.operand(0).shape(); }
  bool is_dynamic(std::int64_t dimension) const { return x_shape().is_dynamic(static_cast<std::size_t>(dimension)); }
  static auto dimension_is(std::int64_t dimension) {
    return [dimension](ir::Module &m, InstructionId id) { m.set_number(id, ir::AttributeKey::Dimensions, dimension); };
  }
  InstructionId size_of_x(std::int64_t dimension) {
    return builder_.add(Opcode::GetDimensionSize, {original_.operands()[0]}, dimension_is(dimension));
  }
  // Gives a dimension of the value the run-time size that x has there, if only x has one.
  InstructionId with_size_of_x(InstructionId id, std::size_t own_dimension, std::int64_t dimension) {
    if (!is_dynamic(dimension) || builder_.shape(id).is_dynamic(own_dimension)) {
      return id;
    }
    return builder_.add(Opcode::SetDimensionSize, {id, size_of_x(dimension)},
                        dimension_is(static_cast<std::int64_t>(own_dimension)));
  }

  // Broadcasts one value per feature to all elements of the feature.
  InstructionId spread(InstructionId per_feature) {
    ir::Shape full = full_;
    full.set_dynamic(static_cast<std::size_t>(feature_), builder_.shape(per_feature).is_dynamic(0));
    InstructionId result = builder_.broadcast(per_feature, full, std::span(&feature_, 1));
    for (std::size_t d = 0; d < full.rank(); ++d) {
      result = with_size_of_x(result, d, static_cast<std::int64_t>(d));
    }
    return result;
  }
  InstructionId to_each_feature(InstructionId scalar) {
    return with_size_of_x(builder_.broadcast(scalar, per_feature_), 0, feature_);
  }
  InstructionId constant_per_feature(double value) { return to_each_feature(builder_.constant(compute_type_, value)); }
  InstructionId sum_of(InstructionId id) {
    return builder_.reduce(id, builder_.constant(compute_type_, 0), reduced_, sum_);
  }
  // Returns the number of elements of each feature, as a scalar.
  InstructionId count() {
    InstructionId result = builder_.constant(compute_type_, count_);
    for (const std::int64_t dimension : reduced_) {
      if (is_dynamic(dimension)) {
        result = multiply({result, builder_.convert(size_of_x(dimension), compute_type_)});
      }
    }
    return result;
  }
  InstructionId divide_by_count(InstructionId per_feature) {
    return builder_.add(Opcode::Divide, {per_feature, to_each_feature(count())});
  }
  InstructionId mean_of(InstructionId id) { return divide_by_count(sum_of(id)); }
  InstructionId inverse_deviation(InstructionId variance) {
    double epsilon = original_.real(ir::AttributeKey::Epsilon);
    return builder_.add(Opcode::Rsqrt, {builder_.add(Opcode::Add, {variance, constant_per_feature(epsilon)})});
  }
  // Scales and shifts by operands 1 and 2, scale and offset.
  InstructionId normalize(InstructionId centered, InstructionId variance) {
    InstructionId factor = multiply({inverse_deviation(variance), operand(1)});
    return builder_.add(Opcode::Add, {multiply({centered, spread(factor)}), spread(operand(2))});
  }

  ir::Instruction original_;
  ir::Builder builder_;
  ir::ComputationId sum_;
  ElementType type_, compute_type_;
  std::int64_t feature_;
  std::vector<std::int64_t> reduced_;
  double count_ = 1;  // product of the sizes that are known
  ir::Shape full_, per_feature_;
};

}  // namespace

Result<InstructionId> BatchNormFormulas::operator()(ir::Instruction instruction) {
  const ElementType type = compute_type(instruction.operand(0).shape().element_type());
  auto [sum, is_new] = sums_.emplace(type, ir::no_computation);
  if (is_new) {
    sum->second = ir::add_scalar_computation(module_, Opcode::Add, type, fmt::format("sum.{}", to_string(type)));
  }
  Expander expander(module_, instruction, sum->second);
  switch (instruction.opcode()) {
    case Opcode::BatchNormTraining: return expander.training();
    case Opcode::BatchNormInference: return expander.inference();
    default: return expander.gradient();
  }
}

}  // namespace bp::passes
