// Layouts that JAX gives to arguments and results of the entry: mhlo.layout_mode = "{0,1}".
#include <algorithm>
#include <ranges>

#include "core/import/stablehlo/lowering.h"
#include "core/text/parser.h"

namespace bp::import::stablehlo {
namespace {

// Returns the layout that item `i` of a list of attributes names; nothing if none is named, or the choice is ours.
const std::string *layout_mode(const Operation &function, std::string_view list_name, std::size_t i) {
  const Attribute *list = function.find(list_name);
  const auto *all = list == nullptr ? nullptr : list->get<std::vector<Attribute>>();
  const auto *own = all == nullptr || i >= all->size() ? nullptr : (*all)[i].get<Dictionary>();
  if (own == nullptr) {
    return nullptr;
  }
  for (const NamedAttribute &entry : own->entries) {
    if (entry.name == "mhlo.layout_mode") {
      const auto *mode = entry.value.get<std::string>();
      return mode == nullptr || *mode == "default" || *mode == "auto" ? nullptr : mode;
    }
  }
  return nullptr;
}

Shape row_major(const Shape &shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements(shape.elements().begin(), shape.elements().end());
    std::ranges::transform(elements, elements.begin(), row_major);
    return Shape::tuple(std::move(elements));
  }
  Shape result = shape;
  if (shape.is_array()) {
    result.set_layout(ir::Layout::descending(shape.rank()));
  }
  return result;
}

}  // namespace

Result<Shape> Lowering::with_layout(const Operation &function, const Shape &shape, std::string_view mode) const {
  auto parsed = text::parse_shape(ir::to_string(shape, ir::PrintLayout::Never) + std::string(mode));
  const auto is_order = [](const ir::Shape &found) {
    ir::Dimensions order = found.layout().minor_to_major;
    std::ranges::sort(order);
    return std::ranges::equal(order, std::views::iota(std::int64_t{0}, static_cast<std::int64_t>(found.rank())));
  };
  if (!parsed.ok() || !shape.is_array() || !is_order(*parsed)) {
    const ir::Dimensions order = ir::Layout::descending(shape.is_array() ? shape.rank() : 0).minor_to_major;
    return error(function, fmt::format("mhlo.layout_mode is \"{}\" for {}, expected \"default\", \"auto\" or the "
                                       "dimensions in an order from the fastest one to the slowest, such as \"{{{}}}\"",
                                       mode, ir::to_string(shape, ir::PrintLayout::Never), fmt::join(order, ",")));
  }
  return parsed;
}

Status Lowering::set_entry_layouts(const Operation &function) {
  ir::ModuleHeader &header = module_.header();
  const ir::Computation entry = module_.computation(computation_);
  bool is_given = false;
  const auto shape_of = [&](const Shape &shape, std::string_view list, std::size_t i) -> Result<Shape> {
    const std::string *mode = layout_mode(function, list, i);
    is_given = is_given || mode != nullptr;
    if (mode != nullptr) {
      return with_layout(function, shape, *mode);
    }
    // Callers do not see the layout that a value has for its operation's sake, such as a call of LAPACK.
    Shape plain = row_major(shape);
    is_given = is_given || !ir::same(plain, shape, ir::CompareLayout::Yes);
    return plain;
  };
  std::vector<Shape> parameters, results;
  for (std::size_t i = 0; i < entry.parameter_count(); ++i) {
    BP_ASSIGN(parameters.emplace_back(), shape_of(entry.parameter(i).shape(), "arg_attrs", i));
  }
  const Shape &root = entry.root().shape();
  for (std::size_t i = 0; i < (root.is_tuple() ? root.elements().size() : 1); ++i) {
    BP_ASSIGN(results.emplace_back(), shape_of(root.is_tuple() ? root.elements()[i] : root, "res_attrs", i));
  }
  if (is_given) {
    header.has_entry_layout = true;
    header.entry_parameter_shapes = std::move(parameters);
    header.entry_result_shape = root.is_tuple() ? Shape::tuple(std::move(results)) : std::move(results.front());
  }
  return {};
}

}  // namespace bp::import::stablehlo
