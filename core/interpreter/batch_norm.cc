// Batch normalization: statistics of each feature over all other dimensions, in f64.
#include <algorithm>
#include <cmath>

#include "core/interpreter/strided_copy.h"

namespace bp::interpreter {
namespace {

using ir::AttributeKey;

// View of the operand as [outer][feature][inner].
struct FeatureShape {
  std::int64_t outer, features, inner;

  FeatureShape(const Instruction &instruction, const Shape &operand) {
    auto d = static_cast<std::size_t>(instruction.number(AttributeKey::FeatureIndex));
    outer = ir::product(operand.sizes().first(d));
    features = operand.size(d);
    inner = ir::product(operand.sizes().subspan(d + 1));
  }
  std::int64_t count() const { return outer * inner; }

  // Calls body(first element, end, feature) for each `inner` consecutive elements of a feature in [begin, end).
  template <class Body>
  void for_each_run(std::int64_t begin, std::int64_t end, Body &&body) const {
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t f = begin; f < end; ++f) {
        const auto first = static_cast<std::size_t>((o * features + f) * inner);
        body(first, first + static_cast<std::size_t>(inner), static_cast<std::size_t>(f));
      }
    }
  }
};

// Returns an array of one dimension or more, converted from f64 to the element type of the shape.
Result<Literal> literal_of(const Evaluator &evaluator, Shape shape, std::span<const double> values) {
  const ElementType type = shape.element_type();
  shape.set_element_type(ElementType::F64);
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  std::ranges::copy(values, result.mutable_elements<double>().begin());
  return converted(evaluator, result, type);
}

// The operands in f64, in which everything is computed.
class WideOperands {
 public:
  // Unsupported if the operands are no floating-point numbers.
  static Result<WideOperands> make(const Evaluator &evaluator, Operands operands) {
    WideOperands wide;
    for (const Literal &operand : operands) {
      if (!ir::is_floating(operand.shape().element_type())) {
        return unsupported("batch normalization of {}", ir::to_string(operand.shape().element_type()));
      }
      BP_ASSIGN(Literal in_f64, converted(evaluator, operand, ElementType::F64));
      wide.operands_.push_back(std::move(in_f64));
    }
    return wide;
  }
  std::span<const double> operator[](std::size_t i) const { return operands_[i].elements<double>(); }

 private:
  std::vector<Literal> operands_;
};

// Returns (x - mean) * scale / sqrt(variance + epsilon) + offset for an x of the given shape.
Result<Literal> normalized(const Evaluator &evaluator, const Instruction &instruction, const Shape &result_shape,
                           const WideOperands &operands, const FeatureShape &shape, std::span<const double> mean,
                           std::span<const double> variance) {
  const double epsilon = instruction.real(AttributeKey::Epsilon);
  const std::span<const double> x = operands[0], scale = operands[1], offset = operands[2];
  std::vector<double> out(x.size());
  evaluator.parallel(shape.features, 1, [&](std::int64_t begin, std::int64_t end) {
    shape.for_each_run(begin, end, [&](std::size_t first, std::size_t last, std::size_t f) {
      const double factor = scale[f] / std::sqrt(variance[f] + epsilon);
      for (std::size_t i = first; i < last; ++i) {
        out[i] = (x[i] - mean[f]) * factor + offset[f];
      }
    });
  });
  return literal_of(evaluator, result_shape, out);
}

// Returns, per feature, the sum of element(i, feature) over all elements i.
template <class Element>
std::vector<double> feature_sums(const Evaluator &evaluator, const FeatureShape &shape, Element &&element) {
  std::vector<double> sums(static_cast<std::size_t>(shape.features));
  evaluator.parallel(shape.features, 1, [&](std::int64_t begin, std::int64_t end) {
    shape.for_each_run(begin, end, [&](std::size_t first, std::size_t last, std::size_t f) {
      double sum = 0;
      for (std::size_t i = first; i < last; ++i) {
        sum += element(i, f);
      }
      sums[f] += sum;
    });
  });
  return sums;
}

Result<Literal> train(const Evaluator &evaluator, const Instruction &instruction, const Shape &x_shape,
                      const WideOperands &operands) {
  const FeatureShape shape(instruction, x_shape);
  const std::span<const double> x = operands[0];
  const auto count = static_cast<double>(shape.count());
  std::vector<double> mean = feature_sums(evaluator, shape, [&](std::size_t i, std::size_t) { return x[i]; });
  for (double &sum : mean) {
    sum /= count;
  }
  std::vector<double> variance = feature_sums(evaluator, shape, [&](std::size_t i, std::size_t f) {
    const double distance = x[i] - mean[f];
    return distance * distance;
  });
  for (double &sum : variance) {
    sum /= count;
  }
  BP_ASSIGN(Literal output, normalized(evaluator, instruction, x_shape, operands, shape, mean, variance));
  BP_ASSIGN(Literal mean_literal, literal_of(evaluator, instruction.shape().elements()[1], mean));
  BP_ASSIGN(Literal variance_literal, literal_of(evaluator, instruction.shape().elements()[2], variance));
  return Literal::tuple({std::move(output), std::move(mean_literal), std::move(variance_literal)});
}

// Returns the gradients. Operands: x, scale, mean, variance, gradient of the output.
//   grad offset = sum g
//   grad scale  = sum g * (x - mean) / sqrt(variance + epsilon)
//   grad x      = scale / sqrt(variance + epsilon) *
//                 (g - mean(g) - (x - mean) * mean(g * (x - mean)) / (variance + epsilon))
Result<Literal> gradients(const Evaluator &evaluator, const Instruction &instruction, const Shape &x_shape,
                          const Shape &scale_shape, const WideOperands &operands) {
  const FeatureShape shape(instruction, x_shape);
  const double epsilon = instruction.real(AttributeKey::Epsilon);
  const auto count = static_cast<double>(shape.count());
  const std::span<const double> x = operands[0], scale = operands[1], mean = operands[2], variance = operands[3],
                                g = operands[4];
  const std::vector<double> sum_g = feature_sums(evaluator, shape, [&](std::size_t i, std::size_t) { return g[i]; });
  const std::vector<double> sum_gx =
      feature_sums(evaluator, shape, [&](std::size_t i, std::size_t f) { return g[i] * (x[i] - mean[f]); });
  std::vector<double> grad_x(x.size());
  evaluator.parallel(shape.features, 1, [&](std::int64_t begin, std::int64_t end) {
    shape.for_each_run(begin, end, [&](std::size_t first, std::size_t last, std::size_t f) {
      const double power = variance[f] + epsilon, factor = scale[f] / std::sqrt(power);
      const double mean_g = sum_g[f] / count, slope = sum_gx[f] / count / power;
      for (std::size_t i = first; i < last; ++i) {
        const double distance = x[i] - mean[f];
        grad_x[i] = factor * (g[i] - mean_g - distance * slope);
      }
    });
  });
  std::vector<double> grad_scale(sum_gx.size());
  for (std::size_t f = 0; f < sum_gx.size(); ++f) {
    grad_scale[f] = sum_gx[f] / std::sqrt(variance[f] + epsilon);
  }
  BP_ASSIGN(Literal x_literal, literal_of(evaluator, x_shape, grad_x));
  BP_ASSIGN(Literal scale_literal, literal_of(evaluator, scale_shape, grad_scale));
  BP_ASSIGN(Literal offset_literal, literal_of(evaluator, scale_shape, sum_g));
  return Literal::tuple({std::move(x_literal), std::move(scale_literal), std::move(offset_literal)});
}

}  // namespace

Result<Literal> evaluate_batch_norm_training(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(const WideOperands wide, WideOperands::make(evaluator, operands));
  return train(evaluator, instruction, operands[0].shape(), wide);
}

Result<Literal> evaluate_batch_norm_inference(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(const WideOperands wide, WideOperands::make(evaluator, operands));
  const Shape &shape = operands[0].shape();
  return normalized(evaluator, instruction, shape, wide, FeatureShape(instruction, shape), wide[3], wide[4]);
}

Result<Literal> evaluate_batch_norm_grad(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  BP_ASSIGN(const WideOperands wide, WideOperands::make(evaluator, operands));
  return gradients(evaluator, instruction, operands[0].shape(), operands[1].shape(), wide);
}

}  // namespace bp::interpreter
