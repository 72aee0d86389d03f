#include "core/debugging/random_module.h"

#include <algorithm>

#include "core/debugging/random_scope.h"

namespace bp::debugging {
namespace {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;
using Id = ir::InstructionId;

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomModuleOptions &options) : random_(seed), options_(options) {
    // Most ops exist for f32, s32 and pred.
    palette_.types = {ElementType::F32, ElementType::F32, ElementType::S32, ElementType::Pred};
    for (std::int64_t more = options.is_plain ? 0 : random_.between(1, 3); more > 0; --more) {
      const ir::ElementTypeInfo type = random_.of(ir::element_types());
      if (type.type_class != ir::TypeClass::Opaque && type.type != ElementType::Invalid) {
        palette_.types.push_back(type.type);
      }
    }
    constexpr std::int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16};
    for (int i = 0; i < 4; ++i) {
      palette_.sizes.push_back(random_.of(sizes));
    }
    palette_.max_elements = options.max_elements;
    palette_.is_plain = options.is_plain;
  }

  ir::Module run() {
    const ir::ComputationId entry = module_.add_computation("main");
    Scope s(module_, entry, random_, palette_, true);
    grow(s, options_.instructions, options_.depth);
    std::vector<Id> results;
    for (Id id : unused(s)) {
      if (!random_.chance(6)) {  // the others are dead
        results.push_back(id);
      }
    }
    if (results.empty()) {
      results.push_back(s.any_value());
    }
    module_.set_root(entry, results.size() == 1 && random_.chance(2) ? results[0] : s.b.tuple(results));
    module_.set_entry(entry);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      module_.set_computation_name(order_[i], fmt::format("{}.{}", module_.computation(order_[i]).name(), i));
    }
    order_.push_back(entry);
    module_.set_computation_order(std::move(order_));
    module_.unique_names();
    return std::move(module_);
  }

 private:
  void grow(Scope &s, int instructions, int depth) {
    const std::size_t end =
        module_.computation(s.b.computation()).instruction_count() + static_cast<std::size_t>(instructions);
    // Each step adds something, or fails to.
    for (int step = 0; step < 4 * instructions; ++step) {
      if (module_.computation(s.b.computation()).instruction_count() >= end) {
        return;
      }
      const std::int64_t kind = options_.is_plain && !random_.chance(4) ? 0 : random_.below(100);
      if (kind < 41) {
        add_elementwise(s);
      } else if (kind < 65) {
        add_movement(s);
      } else if (kind < 70) {
        add_indexing(s);
      } else if (kind < 79) {
        add_reduction(s);
      } else if (kind < 84) {
        add_contraction(s);
      } else if (kind < 88) {
        add_algorithm(s);
      } else if (kind < 90) {
        add_dynamic(s);
      } else if (kind < 92) {
        add_fusion(s);
      } else if (kind < 93) {
        const std::vector<Id> elements{s.any_value(), s.any_value()};
        s.add(Opcode::OptimizationBarrier, std::vector{s.b.tuple(elements)});
      } else if (depth > 0) {
        add_control(s, instructions / 3 + 2, depth - 1);
      }
      adopt_embedded();
    }
  }

  // Computations that reductions and similar ops added precede their callers. Computations without a root are not
  // complete yet.
  void adopt_embedded() {
    for (ir::ComputationId id : module_.computation_ids().subspan(seen_)) {
      if (module_.computation(id).has_root()) {
        order_.push_back(id);
      }
    }
    seen_ = module_.computation_ids().size();
  }

  std::vector<Id> unused(Scope &s) {
    std::vector<bool> used(module_.instruction_id_limit());
    for (ir::Instruction i : module_.computation(s.b.computation()).instructions()) {
      for (Id operand : i.operands()) {
        used[index(operand)] = true;
      }
    }
    std::vector<Id> found;
    for (Id id : s.values()) {
      if (!used[index(id)] && std::ranges::find(found, id) == found.end()) {
        found.push_back(id);
      }
    }
    return found;
  }

  // Makes a computation; root(scope, parameters) determines what it returns.
  template <class Root>
  ir::ComputationId computation(std::string_view name, std::span<const Shape> parameters, int instructions, int depth,
                                Root &&root) {
    adopt_embedded();
    const ir::ComputationId id = module_.add_computation(name);
    adopt_embedded();
    Scope s(module_, id, random_, palette_, false);
    std::vector<Id> ids;
    for (const Shape &shape : parameters) {
      ids.push_back(s.b.parameter(shape));
      s.keep(ids.back());
    }
    grow(s, instructions, depth);
    module_.set_root(id, root(s, ids));
    adopt_embedded();
    order_.push_back(id);
    return id;
  }

  // Makes a fused computation of a few cheap instructions, with one or two results.
  void add_fusion(Scope &s) {
    std::vector<Id> arguments;
    std::vector<Shape> shapes;
    for (std::int64_t count = random_.between(1, 3); count > 0; --count) {
      arguments.push_back(s.any_value());
      shapes.push_back(s.shape(arguments.back()));
    }
    adopt_embedded();
    const ir::ComputationId fused = module_.add_computation("fused");
    Scope f(module_, fused, random_, palette_, false);
    for (const Shape &shape : shapes) {
      f.keep(f.b.parameter(shape));
    }
    for (std::int64_t steps = random_.between(1, 8); steps > 0; --steps) {
      random_.chance(3) ? add_movement(f) : add_elementwise(f);
    }
    const Id result = result_like(f, {});
    module_.set_root(fused, result);
    adopt_embedded();
    s.add(
        Opcode::Fusion, arguments,
        [](ir::Module &m, Id id) {
          m.set_number(id, ir::AttributeKey::Kind, static_cast<std::int64_t>(ir::FusionKind::Loop));
        },
        std::span(&fused, 1), module_.instruction(result).shape());
  }

  void add_control(Scope &s, int instructions, int depth) {
    const std::int64_t kind = random_.below(3);
    std::vector<Id> arguments;
    std::vector<Shape> shapes;
    for (std::int64_t count = random_.between(1, 3); count > 0; --count) {
      if (random_.chance(6)) {
        const std::vector<Id> elements{s.any_value(), s.any_value()};
        arguments.push_back(s.b.tuple(elements));
      } else {
        arguments.push_back(s.any_value());
      }
      shapes.push_back(s.shape(arguments.back()));
    }
    if (kind == 0) {
      if (!callees_.empty() && random_.chance(3)) {
        return add_repeated_call(s, random_.of(callees_));
      }
      const ir::ComputationId callee =
          computation("callee", shapes, instructions, depth, [&](Scope &c, auto &) { return result_like(c, {}); });
      callees_.push_back(callee);
      return s.add(Opcode::Call, arguments, [](ir::Module &, Id) {}, std::span(&callee, 1));
    }
    if (kind == 1) {
      const Shape result = random_.chance(2) ? Shape::tuple(shapes) : s.random_shape(s.random_type());
      const bool by_index = random_.chance(2);
      std::vector<Id> operands{by_index ? s.index_scalar() : s.value(Shape::scalar(ElementType::Pred))};
      std::vector<ir::ComputationId> branches;
      const bool share = random_.chance(3);  // whether branches may be the same computation, with other operands
      for (std::int64_t count = by_index ? random_.chance(6) ? 12 : random_.between(1, 3) : 2; count > 0; --count) {
        if (share && !branches.empty() && random_.chance(2)) {
          branches.push_back(random_.of(branches));
          operands.push_back(s.value(parameter_shapes(branches.back())[0]));
          continue;
        }
        const Id operand = random_.chance(2) ? s.b.tuple(arguments) : s.any_value();
        operands.push_back(operand);
        const Shape shape = s.shape(operand);
        branches.push_back(computation("branch", std::span(&shape, 1), instructions, depth,
                                       [&](Scope &c, auto &) { return result_like(c, result); }));
      }
      return s.add(Opcode::Conditional, operands, [](ir::Module &, Id) {}, branches);
    }
    add_while(s, arguments, shapes, instructions, depth);
  }

  std::vector<Shape> parameter_shapes(ir::ComputationId id) const {
    std::vector<Shape> shapes;
    for (Id parameter : module_.computation(id).parameter_ids()) {
      shapes.push_back(module_.instruction(parameter).shape());
    }
    return shapes;
  }

  // Calls a computation that has a caller already.
  void add_repeated_call(Scope &s, ir::ComputationId callee) {
    std::vector<Id> arguments;
    for (const Shape &shape : parameter_shapes(callee)) {
      arguments.push_back(s.value(shape));
    }
    s.add(Opcode::Call, arguments, [](ir::Module &, Id) {}, std::span(&callee, 1));
  }

  // How a loop counts: while `counter direction limit`, from `start` on.
  struct Counting {
    ElementType type = ElementType::S32;
    ir::ComparisonDirection direction = ir::ComparisonDirection::Lt;
    std::int64_t start = 0, step = 1, limit = 0;
    bool is_limit_first = false;  // the condition is `limit direction counter`, with the opposite direction
  };
  Counting draw_counting() {
    using enum ir::ComparisonDirection;
    if (random_.chance(2)) {
      return {.limit = random_.between(0, 4)};
    }
    Counting counting;
    using enum ElementType;
    constexpr ElementType types[] = {S32, S32, S32, S32, U32, S64, S8, U8, S16};
    constexpr std::int64_t sizes[] = {1, 2, 3, 5, 7};
    counting.type = random_.of(types);
    const std::int64_t size = random_.of(sizes);
    const std::int64_t trips = random_.chance(4) ? random_.between(7, 56 / size) : random_.between(0, 6);
    const bool is_up = random_.chance(2);
    counting.step = is_up ? size : -size;
    // No number of the loop is less than 0, or more than 127.
    counting.start = random_.between(57, 70);
    const bool is_exact = trips == 0 || random_.chance(3);
    const std::int64_t missing = is_exact ? 0 : random_.below(size);  // from the end of the last step to the limit
    const std::int64_t end = counting.start + counting.step * trips, last = is_up ? end - missing : end + missing;
    counting.direction = is_up ? (random_.chance(2) ? Lt : Le) : (random_.chance(2) ? Gt : Ge);
    counting.limit = counting.direction == Le ? last - 1 : counting.direction == Ge ? last + 1 : last;
    if (is_exact && random_.chance(3)) {
      counting.direction = Ne;
      counting.limit = end;
    }
    counting.is_limit_first = random_.chance(4);
    return counting;
  }

  Id has_next(Scope &c, Id counter, const Counting &counting) {
    using enum ir::ComparisonDirection;
    const Id limit = c.b.constant(counting.type, static_cast<double>(counting.limit));
    if (!counting.is_limit_first) {
      return c.b.compare(counting.direction, counter, limit);
    }
    switch (counting.direction) {
      case Lt: return c.b.compare(Gt, limit, counter);
      case Le: return c.b.compare(Ge, limit, counter);
      case Gt: return c.b.compare(Lt, limit, counter);
      case Ge: return c.b.compare(Le, limit, counter);
      default: return c.b.compare(counting.direction, limit, counter);
    }
  }

  Id next(Scope &c, Id counter, const Counting &counting) {
    const bool adds = counting.step > 0;
    const Id size = c.b.constant(counting.type, static_cast<double>(adds ? counting.step : -counting.step));
    return c.b.add(adds ? Opcode::Add : Opcode::Subtract, {counter, size});
  }

  // The first element counts; the others are arbitrary.
  void add_while(Scope &s, std::span<const Id> values, std::span<const Shape> shapes, int instructions, int depth) {
    const Counting counting = draw_counting();
    std::vector<Id> elements{s.b.constant(counting.type, static_cast<double>(counting.start))};
    elements.insert(elements.end(), values.begin(), values.end());
    const Id state = s.b.tuple(elements);
    const Shape shape = s.shape(state);
    const ir::ComputationId condition = computation(
        "condition", std::span(&shape, 1), 0, 0,
        [&](Scope &c, auto &parameters) { return has_next(c, c.b.get_tuple_element(parameters[0], 0), counting); });
    const ir::ComputationId body =
        computation("body", std::span(&shape, 1), instructions, depth, [&](Scope &c, auto &parameters) {
          std::vector<Id> following{next(c, c.b.get_tuple_element(parameters[0], 0), counting)};
          for (std::size_t i = 0; i < shapes.size(); ++i) {
            following.push_back(random_.chance(4)
                                    ? c.b.get_tuple_element(parameters[0], static_cast<std::int64_t>(i) + 1)
                                    : c.value(shapes[i]));
          }
          return c.b.tuple(following);
        });
    const ir::ComputationId calls[] = {condition, body};
    s.add(Opcode::While, std::vector{state}, [](ir::Module &, Id) {}, calls);
    if (random_.chance(4)) {  // the same loop from another state
      // The distance to the limit stays a number of steps, and from the limit on there is none.
      const std::int64_t steps = random_.between(0, 1);
      const std::int64_t start = counting.start + (counting.limit == counting.start ? 0 : steps * counting.step);
      std::vector<Id> others{s.b.constant(counting.type, static_cast<double>(start))};
      for (const Shape &element : shapes) {
        others.push_back(s.value(element));
      }
      s.add(Opcode::While, std::vector{s.b.tuple(others)}, [](ir::Module &, Id) {}, calls);
    }
  }

  // Returns a value of that shape, or of any shape if there is none.
  Id result_like(Scope &s, const Shape &shape) {
    if (!shape.is_valid()) {
      const std::vector<Id> elements{s.any_value(), s.any_value()};
      return random_.chance(2) ? s.any_value() : s.b.tuple(elements);
    }
    return s.value(shape);
  }

  Random random_;
  RandomModuleOptions options_;
  Palette palette_;
  ir::Module module_{"random"};
  std::vector<ir::ComputationId> order_;    // callees first
  std::vector<ir::ComputationId> callees_;  // of calls
  std::size_t seen_ = 0;
};

}  // namespace

ir::Module random_module(std::uint64_t seed, const RandomModuleOptions &options) {
  return Generator(seed, options).run();
}

}  // namespace bp::debugging
