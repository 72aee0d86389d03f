// Batch normalization: statistics of each feature over all other dimensions, in double.
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

  // Calls body(first element, feature) for each `inner` consecutive elements of a feature in [begin, end).
  template <class Body>
  void for_each_run(std::int64_t begin, std::int64_t end, Body &&body) const {
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t f = begin; f < end; ++f) {
        body((o * features + f) * inner, static_cast<std::size_t>(f));
      }
    }
  }
};

template <class T>
std::vector<double> doubles(const Literal &literal) {
  std::vector<double> result;
  for (T value : literal.elements<T>()) {
    result.push_back(widen<double>(value));
  }
  return result;
}

template <class T>
Result<Literal> literal_of(const Evaluator &evaluator, const Shape &shape, const std::vector<double> &values) {
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  std::span<T> out = result.mutable_elements<T>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = narrow<T>(values[i]);
  }
  return result;
}

// Returns (x - mean) * scale / sqrt(variance + epsilon) + offset.
template <class T>
Result<Literal> normalized(const Evaluator &evaluator, const Instruction &instruction, Operands operands,
                           const FeatureShape &shape, std::span<const double> mean, std::span<const double> variance) {
  BP_ASSIGN(Literal result, evaluator.allocate(operands[0].shape()));
  double epsilon = instruction.real(AttributeKey::Epsilon);
  std::vector<double> scale = doubles<T>(operands[1]), offset = doubles<T>(operands[2]);
  const T *x = operands[0].elements<T>().data();
  T *out = result.mutable_elements<T>().data();
  evaluator.parallel(shape.features, 1, [&](std::int64_t begin, std::int64_t end) {
    shape.for_each_run(begin, end, [&](std::int64_t first, std::size_t f) {
      double factor = scale[f] / std::sqrt(variance[f] + epsilon);
      for (std::int64_t i = first; i < first + shape.inner; ++i) {
        out[i] = narrow<T>((widen<double>(x[i]) - mean[f]) * factor + offset[f]);
      }
    });
  });
  return result;
}

// Returns, per feature, the sum of element(i, feature) over all elements i.
template <class Element>
std::vector<double> feature_sums(const Evaluator &evaluator, const FeatureShape &shape, Element &&element) {
  std::vector<double> sums(static_cast<std::size_t>(shape.features));
  evaluator.parallel(shape.features, 1, [&](std::int64_t begin, std::int64_t end) {
    shape.for_each_run(begin, end, [&](std::int64_t first, std::size_t f) {
      double sum = 0;
      for (std::int64_t i = first; i < first + shape.inner; ++i) {
        sum += element(i, f);
      }
      sums[f] += sum;
    });
  });
  return sums;
}

template <class T>
Result<Literal> train(const Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  FeatureShape shape(instruction, operands[0].shape());
  const T *x = operands[0].elements<T>().data();
  auto count = static_cast<double>(shape.count());
  std::vector<double> mean =
      feature_sums(evaluator, shape, [&](std::int64_t i, std::size_t) { return widen<double>(x[i]); });
  for (double &sum : mean) {
    sum /= count;
  }
  std::vector<double> variance = feature_sums(evaluator, shape, [&](std::int64_t i, std::size_t f) {
    double distance = widen<double>(x[i]) - mean[f];
    return distance * distance;
  });
  for (double &sum : variance) {
    sum /= count;
  }
  BP_ASSIGN(Literal output, normalized<T>(evaluator, instruction, operands, shape, mean, variance));
  BP_ASSIGN(Literal mean_literal, literal_of<T>(evaluator, instruction.shape().elements()[1], mean));
  BP_ASSIGN(Literal variance_literal, literal_of<T>(evaluator, instruction.shape().elements()[2], variance));
  return Literal::tuple({std::move(output), std::move(mean_literal), std::move(variance_literal)});
}

// Returns the gradients. Operands: x, scale, mean, variance, gradient of the output.
//   grad offset = sum g
//   grad scale  = sum g * (x - mean) / sqrt(variance + epsilon)
//   grad x      = scale / sqrt(variance + epsilon) *
//                 (g - mean(g) - (x - mean) * mean(g * (x - mean)) / (variance + epsilon))
template <class T>
Result<Literal> gradients(const Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  FeatureShape shape(instruction, operands[0].shape());
  double epsilon = instruction.real(AttributeKey::Epsilon);
  auto count = static_cast<double>(shape.count());
  const T *x = operands[0].elements<T>().data(), *g = operands[4].elements<T>().data();
  std::vector<double> scale = doubles<T>(operands[1]), mean = doubles<T>(operands[2]),
                      variance = doubles<T>(operands[3]);
  std::vector<double> sum_g =
      feature_sums(evaluator, shape, [&](std::int64_t i, std::size_t) { return widen<double>(g[i]); });
  std::vector<double> sum_gx = feature_sums(evaluator, shape, [&](std::int64_t i, std::size_t f) {
    return widen<double>(g[i]) * (widen<double>(x[i]) - mean[f]);
  });
  BP_ASSIGN(Literal grad_x, evaluator.allocate(operands[0].shape()));
  T *out = grad_x.mutable_elements<T>().data();
  evaluator.parallel(shape.features, 1, [&](std::int64_t begin, std::int64_t end) {
    shape.for_each_run(begin, end, [&](std::int64_t first, std::size_t f) {
      double power = variance[f] + epsilon, factor = scale[f] / std::sqrt(power);
      double mean_g = sum_g[f] / count, slope = sum_gx[f] / count / power;
      for (std::int64_t i = first; i < first + shape.inner; ++i) {
        double distance = widen<double>(x[i]) - mean[f];
        out[i] = narrow<T>(factor * (widen<double>(g[i]) - mean_g - distance * slope));
      }
    });
  });
  std::vector<double> grad_scale(sum_gx.size());
  for (std::size_t f = 0; f < sum_gx.size(); ++f) {
    grad_scale[f] = sum_gx[f] / std::sqrt(variance[f] + epsilon);
  }
  BP_ASSIGN(Literal scale_literal, literal_of<T>(evaluator, operands[1].shape(), grad_scale));
  BP_ASSIGN(Literal offset_literal, literal_of<T>(evaluator, operands[1].shape(), sum_g));
  return Literal::tuple({std::move(grad_x), std::move(scale_literal), std::move(offset_literal)});
}

// Calls body<T>() for the float type.
template <class Body>
Result<Literal> with_float_type(ElementType type, Body &&body) {
  Result<Literal> result = unsupported("batch normalization of {}", ir::to_string(type));
  ir::visit_element_type(type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<WideType<T>>) {
      result = body.template operator()<T>();
    }
  });
  return result;
}

}  // namespace

Result<Literal> evaluate_batch_norm_training(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  return with_float_type(operands[0].shape().element_type(),
                         [&]<class T>() { return train<T>(evaluator, instruction, operands); });
}

Result<Literal> evaluate_batch_norm_inference(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  return with_float_type(operands[0].shape().element_type(), [&]<class T>() {
    FeatureShape shape(instruction, operands[0].shape());
    return normalized<T>(evaluator, instruction, operands, shape, doubles<T>(operands[3]), doubles<T>(operands[4]));
  });
}

Result<Literal> evaluate_batch_norm_grad(Evaluator &evaluator, const Instruction &instruction, Operands operands) {
  return with_float_type(operands[0].shape().element_type(),
                         [&]<class T>() { return gradients<T>(evaluator, instruction, operands); });
}

}  // namespace bp::interpreter
