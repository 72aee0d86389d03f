#include "core/interpreter/contraction.h"

namespace bp::interpreter {
namespace {

template <class T>
void load_panel(const void *elements, std::span<const std::int64_t> minor, std::span<const std::int64_t> depth,
                SumType<T> *panel, std::int64_t stride) {
  const T *source = static_cast<const T *>(elements);
  for (std::int64_t offset : depth) {
    for (std::size_t i = 0; i < minor.size(); ++i) {
      if (minor[i] >= 0) {
        panel[i] = widen<SumType<T>>(source[minor[i] + offset]);
      }
    }
    panel += stride;
  }
}

}  // namespace

template <class Sum>
PanelLoader<Sum> panel_loader(ElementType type) {
  return ir::visit_element_type(type, []<class T>() -> PanelLoader<Sum> {
    if constexpr (std::is_same_v<SumType<T>, Sum>) {
      return load_panel<T>;
    }
    BP_CHECK(!"a type that is summed up as Sum");
    return nullptr;
  });
}

template PanelLoader<double> panel_loader(ElementType type);
template PanelLoader<std::int64_t> panel_loader(ElementType type);
template PanelLoader<std::uint64_t> panel_loader(ElementType type);
template PanelLoader<std::complex<double>> panel_loader(ElementType type);

Result<Literal> in_sum_class(const Evaluator &evaluator, Literal operand, ElementType result_type) {
  Wide sum = sum_of(result_type);
  if (sum_of(operand.shape().element_type()) == sum) {
    return operand;
  }
  return converted(evaluator, operand,
                   sum == Wide::Signed     ? ElementType::S64
                   : sum == Wide::Unsigned ? ElementType::U64
                   : sum == Wide::Double   ? ElementType::F64
                                           : ElementType::C128);
}

}  // namespace bp::interpreter
