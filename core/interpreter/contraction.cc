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
  Shape shape = operand.shape();
  shape.set_element_type(sum == Wide::Signed     ? ElementType::S64
                         : sum == Wide::Unsigned ? ElementType::U64
                         : sum == Wide::Double   ? ElementType::F64
                                                 : ElementType::C128);
  BP_ASSIGN(Literal result, evaluator.allocate(shape));
  Kernel kernel = Kernel::conversion(operand.shape().element_type(), shape.element_type());
  auto from_width = static_cast<std::size_t>(ir::byte_width(operand.shape().element_type()));
  auto to_width = static_cast<std::size_t>(ir::byte_width(shape.element_type()));
  const std::byte *from = operand.bytes().data();
  std::byte *to = result.mutable_bytes().data();
  auto count = static_cast<std::size_t>(shape.element_count());
  for (std::size_t first = 0; first < count; first += Kernel::max_count) {
    const std::byte *run = from + first * from_width;
    kernel(std::span(&run, 1), to + first * to_width, std::min(Kernel::max_count, count - first));
  }
  return result;
}

}  // namespace bp::interpreter
