#include "core/interpreter/wide.h"

namespace bp::interpreter {
namespace {

template <class T, class W>
void widen_all(const void *from, void *to, std::size_t count) {
  const T *source = static_cast<const T *>(from);
  W *target = static_cast<W *>(to);
  for (std::size_t i = 0; i < count; ++i) {
    target[i] = widen<W>(source[i]);
  }
}

template <class T, class W>
void narrow_all(const void *from, void *to, std::size_t count) {
  const W *source = static_cast<const W *>(from);
  T *target = static_cast<T *>(to);
  for (std::size_t i = 0; i < count; ++i) {
    target[i] = narrow<T>(source[i]);
  }
}

template <class T, class W>
inline constexpr bool same_class =
    std::is_integral_v<W> == std::is_integral_v<WideType<T>> && is_complex_number<W> == is_complex_number<WideType<T>>;

}  // namespace

ConvertLoop widening_loop(ir::ElementType type, Wide wide) {
  return ir::visit_element_type(type, [&]<class T>() -> ConvertLoop {
    return visit_wide(wide, []<class W>() -> ConvertLoop {
      if constexpr (std::is_same_v<T, W>) {
        return nullptr;
      } else if constexpr (std::is_same_v<W, WideType<T>> || std::is_same_v<W, SumType<T>>) {
        return widen_all<T, W>;
      }
      BP_CHECK(!"the wide type of an element type");
      return nullptr;
    });
  });
}

ConvertLoop narrowing_loop(Wide wide, ir::ElementType type) {
  return ir::visit_element_type(type, [&]<class T>() -> ConvertLoop {
    return visit_wide(wide, []<class W>() -> ConvertLoop {
      if constexpr (std::is_same_v<T, W>) {
        return nullptr;
      } else if constexpr (same_class<T, W>) {
        return narrow_all<T, W>;
      }
      BP_CHECK(!"a wide type of the same class as the element type");
      return nullptr;
    });
  });
}

}  // namespace bp::interpreter
