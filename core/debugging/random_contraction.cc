// Dots and convolutions.
#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;
using Numbers = std::vector<std::int64_t>;

// Returns the type in which products of this one are often added; the type itself if there is none.
ElementType type_of_sums(ElementType type) {
  switch (type) {
    case ElementType::S8: return ElementType::S32;
    case ElementType::U8: return ElementType::U32;
    case ElementType::BF16:
    case ElementType::F16: return ElementType::F32;
    default: return type;
  }
}

// Adds a contraction of operands of this type.
template <class F>
void add_product(Scope &s, Opcode opcode, ElementType type, std::span<const Id> operands, F &&set_attributes) {
  auto product = s.b.try_add(opcode, operands, set_attributes);
  if (!product.ok()) {
    return;
  }
  if (s.palette.only_parameters && s.random.chance(4)) {
    Shape shape = s.shape(*product);
    shape.set_element_type(type_of_sums(type));
    s.b.module().set_shape(*product, shape);
  }
  s.keep(*product);
}

// Adds the product of two matrices as they are most often stored, which devices without others take, too.
void add_matrix_product(Scope &s, ElementType type) {
  std::int64_t sizes[3];  // rows, depth, columns
  const std::int64_t most = s.random.chance(2) ? 4 : 40;
  for (std::int64_t &size : sizes) {
    size = s.random.chance(5) ? 1 : s.random.between(1, most);
  }
  sizes[s.random.below(3)] = long_size(s.random, s.palette.max_elements / most);
  const auto [rows, depth, columns] = sizes;
  if (std::max(rows, columns) * depth > s.palette.max_elements || rows * depth * columns > max_operations) {
    return;
  }
  const Id lhs = s.b.parameter(Shape::array(type, {rows, depth}));
  const Id rhs = s.b.parameter(Shape::array(type, {depth, columns}));
  add_product(s, Opcode::Dot, type, std::vector{lhs, rhs}, [](ir::Module &m, Id id) {
    m.set_numbers(id, AttributeKey::LhsContractingDims, {1});
    m.set_numbers(id, AttributeKey::RhsContractingDims, {0});
  });
}

void add_dot(Scope &s) {
  const ElementType type = s.random_type();
  if (type == ElementType::Pred) {
    return;
  }
  if (s.palette.only_parameters && s.random.chance(4)) {
    return add_matrix_product(s, type);
  }
  const Id lhs = s.value(type, 1);
  const Shape left = s.shape(lhs);
  // Each dimension of lhs is batch, contracting or free; rhs has the former two, and its own, in any order.
  Numbers lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
  for (const std::int64_t d : permutation(s.random, static_cast<std::int64_t>(left.rank()))) {
    const std::int64_t role = s.random.below(3);
    if (role < 2) {
      (role == 0 ? lhs_batch : lhs_contracting).push_back(d);
    }
  }
  const auto shared = std::ssize(lhs_batch) + std::ssize(lhs_contracting);
  const std::int64_t free = s.random.below(3);
  const Numbers places = permutation(s.random, shared + free);  // of batch, contracting and free dimensions in rhs
  Numbers sizes(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t batches = lhs_batch.size();
    const bool is_batch = i < batches, is_free = static_cast<std::int64_t>(i) >= shared;
    if (!is_free) {
      (is_batch ? rhs_batch : rhs_contracting).push_back(places[i]);
    }
    sizes[static_cast<std::size_t>(places[i])] =
        is_free ? s.random.of(s.palette.sizes)
                : left.size(static_cast<std::size_t>(is_batch ? lhs_batch[i] : lhs_contracting[i - batches]));
  }
  std::int64_t operations = left.element_count();
  for (std::size_t i = static_cast<std::size_t>(shared); i < places.size(); ++i) {
    operations *= sizes[static_cast<std::size_t>(places[i])];
  }
  if (ir::product(sizes) > s.palette.max_elements || operations > max_operations) {
    return;
  }
  const Id rhs = s.value(Shape::array(type, sizes));
  add_product(s, Opcode::Dot, type, std::vector{lhs, rhs}, [&](ir::Module &m, Id id) {
    m.set_numbers(id, AttributeKey::LhsBatchDims, lhs_batch);
    m.set_numbers(id, AttributeKey::LhsContractingDims, lhs_contracting);
    m.set_numbers(id, AttributeKey::RhsBatchDims, rhs_batch);
    m.set_numbers(id, AttributeKey::RhsContractingDims, rhs_contracting);
  });
}

// Data, filter and result have their dimensions in random order.
void add_convolution(Scope &s) {
  const ElementType type = s.random_type();
  if (type == ElementType::Pred) {
    return;
  }
  const std::int64_t spatial = s.random.of(Numbers{0, 1, 1, 2, 2, 3});
  auto size = [&] { return s.random.of(s.palette.sizes); };
  auto divisor = [&](std::int64_t of) { return s.random.chance(2) ? 1 : s.random.chance(2) && of % 2 == 0 ? 2 : of; };
  const std::int64_t features = size(), batch = size();
  const std::int64_t feature_groups = s.random.chance(2) ? divisor(features) : 1;
  const std::int64_t batch_groups = feature_groups == 1 && s.random.chance(3) ? divisor(batch) : 1;
  Numbers data{batch, features};
  Numbers filter{features / feature_groups, feature_groups * batch_groups * s.random.between(1, 3)};
  for (std::int64_t i = 0; i < spatial; ++i) {
    data.push_back(size());
    filter.push_back(s.random.between(1, s.palette.only_parameters && s.random.chance(4) ? 17 : 4));
  }
  Numbers operations = data;
  operations.insert(operations.end(), filter.begin() + 1, filter.end());
  if (ir::product(data) > s.palette.max_elements || ir::product(operations) > max_operations) {
    return;
  }
  std::vector<ir::WindowDimension> window = random_window(s, std::span(data).subspan(2));
  for (std::size_t i = 0; i < window.size(); ++i) {
    window[i].size = filter[i + 2];
    if (window[i].size > 4 && s.random.chance(2)) {  // patches that do not overlap
      window[i].stride = window[i].size;
    }
    window[i].reversal = s.random.chance(3) ? 1 : 0;
  }
  // In the order that decode_dim_labels() reads: batch and feature of the data, the filter's and the result's, then
  // spatial ones.
  Numbers named, spatial_labels;
  auto place = [&](const Numbers &sizes) {
    const Numbers order = s.random.chance(2) ? permutation(s.random, 2 + spatial) : iota(2 + spatial);
    Numbers placed(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      placed[static_cast<std::size_t>(order[i])] = sizes[i];
      (i < 2 ? named : spatial_labels).push_back(order[i]);
    }
    return placed;
  };
  const Id lhs = s.value(Shape::array(type, place(data))), rhs = s.value(Shape::array(type, place(filter)));
  place(data);  // dimensions of the result
  Numbers labels = named;
  labels.insert(labels.end(), spatial_labels.begin(), spatial_labels.end());
  add_product(s, Opcode::Convolution, type, std::vector{lhs, rhs}, [&](ir::Module &m, Id id) {
    m.set_window(id, window);
    m.set_numbers(id, AttributeKey::DimLabels, labels);
    if (feature_groups != 1) {
      m.set_number(id, AttributeKey::FeatureGroupCount, feature_groups);
    }
    if (batch_groups != 1) {
      m.set_number(id, AttributeKey::BatchGroupCount, batch_groups);
    }
  });
}

}  // namespace

void add_contraction(Scope &s) {
  constexpr void (*kinds[])(Scope &) = {add_dot, add_dot, add_convolution};
  s.random.of(kinds)(s);
}

}  // namespace bp::debugging
