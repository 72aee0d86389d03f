#include "core/buffers/tests/random_program.h"

#include <random>

#include "core/ir/builder.h"

namespace bp::buffers::testing {
namespace {

using ir::Builder;
using ir::ElementType;
using ir::InstructionId;
using ir::Opcode;
using ir::Shape;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  ir::Module run(int depth) {
    std::vector<Shape> parameters, results;
    for (std::size_t count = 1 + below(4); count > 0; --count) {
      parameters.push_back(below(4) == 0 ? Shape::tuple(random_state()) : random_shape());
    }
    for (std::size_t count = below(4); count > 0; --count) {
      results.push_back(random_shape());
    }
    // Builds callees first, because computations must be in that order.
    ir::ComputationId entry = computation("main", parameters, depth, [&](Builder &b, Values &values) {
      std::vector<InstructionId> elements;
      for (const Shape &shape : results) {
        elements.push_back(pick(b, values, shape));
      }
      return below(5) == 0 ? pick(b, values, random_shape()) : b.tuple(elements);
    });
    module_.set_entry(entry);
    donate();
    return std::move(module_);
  }

 private:
  struct Values {
    std::vector<InstructionId> arrays, tuples;
  };

  std::size_t below(std::size_t limit) { return random_() % limit; }

  Shape random_shape() {
    static const std::vector<Shape> shapes = {Shape::array(ElementType::F32, {4}), Shape::array(ElementType::F32, {64}),
                                              Shape::array(ElementType::F32, {8, 8}),
                                              Shape::array(ElementType::F32, {300})};
    return shapes[below(shapes.size())];
  }
  std::vector<Shape> random_state() {
    std::vector<Shape> state;
    for (std::size_t count = 1 + below(4); count > 0; --count) {
      state.push_back(random_shape());
    }
    if (below(4) == 0) {
      state.push_back(Shape::tuple({random_shape(), random_shape()}));
    }
    return state;
  }

  // Returns a value of a shape: an existing one, or a new constant.
  InstructionId pick(Builder &b, Values &values, const Shape &shape) {
    if (shape.is_tuple()) {
      std::vector<InstructionId> elements;
      for (const Shape &element : shape.elements()) {
        elements.push_back(pick(b, values, element));
      }
      return b.tuple(elements);
    }
    std::vector<InstructionId> fitting;
    for (InstructionId id : values.arrays) {
      if (b.shape(id) == shape) {
        fitting.push_back(id);
      }
    }
    if (fitting.empty() || below(12) == 0) {
      return b.constant(ir::Literal::zeros(shape).value());
    }
    // Prefers later values, so that chains arise.
    return fitting[std::max(below(fitting.size()), below(fitting.size()))];
  }
  InstructionId scalar(Builder &b, ElementType type) { return b.constant(type, static_cast<double>(below(2))); }

  void add_value(Builder &b, Values &values, InstructionId id) {
    if (!b.shape(id).is_tuple()) {
      values.arrays.push_back(id);
      return;
    }
    values.tuples.push_back(id);
    for (std::size_t i = 0; i < b.shape(id).elements().size(); ++i) {
      if (below(5) != 0) {
        add_value(b, values, b.get_tuple_element(id, static_cast<std::int64_t>(i)));
      }
    }
  }

  template <class MakeRoot>
  ir::ComputationId computation(std::string_view name, const std::vector<Shape> &parameters, int depth,
                                MakeRoot &&make_root) {
    // Callees must be finished before this computation is begun, so the calls are chosen first.
    std::vector<Step> steps;
    for (std::size_t count = 3 + below(10); count > 0; --count) {
      steps.push_back(plan_step(depth));
    }
    ir::ComputationId id = module_.add_computation(name);
    Builder b(module_, id);
    Values values;
    for (const Shape &shape : parameters) {
      add_value(b, values, b.parameter(shape));
    }
    for (const Step &step : steps) {
      add_value(b, values, add_step(b, values, step));
    }
    module_.set_root(id, make_root(b, values));
    return id;
  }

  struct Step {
    std::size_t kind = 0;
    Shape state;
    std::vector<ir::ComputationId> callees;
  };
  // Kinds below simple_kinds are plain instructions; above conditional_kind there are calls.
  static constexpr std::size_t simple_kinds = 8, while_kind = 8, conditional_kind = 9;

  Step plan_step(int depth) {
    Step step;
    step.kind = below(depth > 0 ? 11 : simple_kinds);
    if (step.kind < simple_kinds) {
      return step;
    }
    step.state = Shape::tuple(random_state());
    auto same_state = [&](Builder &b, Values &values) {
      // Often an element stays equal to the parameter's.
      std::vector<InstructionId> elements;
      InstructionId parameter = b.module().computation(b.computation()).parameter_ids()[0];
      for (std::size_t i = 0; i < step.state.elements().size(); ++i) {
        elements.push_back(below(3) == 0 ? b.get_tuple_element(parameter, static_cast<std::int64_t>(i))
                                         : pick(b, values, step.state.elements()[i]));
      }
      return b.tuple(elements);
    };
    if (step.kind == while_kind) {
      step.callees.push_back(computation("condition", {step.state}, depth - 1, [&](Builder &b, Values &) {
        InstructionId one = scalar(b, ElementType::F32);
        return b.compare(ir::ComparisonDirection::Lt, one, one);
      }));
    }
    std::size_t branches = step.kind == conditional_kind ? 2 : 1;
    for (std::size_t i = 0; i < branches; ++i) {
      step.callees.push_back(computation("callee", {step.state}, depth - 1, same_state));
    }
    return step;
  }

  InstructionId add_step(Builder &b, Values &values, const Step &step) {
    Shape shape = random_shape();
    switch (step.kind) {
      case 0: return b.add(Opcode::Negate, {pick(b, values, shape)});
      case 1: return b.add(Opcode::Add, {pick(b, values, shape), pick(b, values, shape)});
      case 2: return b.broadcast(scalar(b, ElementType::F32), shape);
      case 3: {
        shape = Shape::array(ElementType::F32, {64});
        return b.add(Opcode::DynamicUpdateSlice,
                     {pick(b, values, shape), pick(b, values, Shape::array(ElementType::F32, {4})),
                      scalar(b, ElementType::S32)});
      }
      case 4: return b.reshape(pick(b, values, Shape::array(ElementType::F32, {64})), std::vector<std::int64_t>{8, 8});
      case 5:
        return b.add(Opcode::OptimizationBarrier,
                     {b.tuple(std::vector<InstructionId>{pick(b, values, shape), pick(b, values, random_shape())})});
      case 6:
        return b.transpose(pick(b, values, Shape::array(ElementType::F32, {8, 8})), std::vector<std::int64_t>{1, 0});
      case 7: return b.add(Opcode::Copy, {pick(b, values, shape)}, [](ir::Module &, InstructionId) {}, {}, shape);
      case while_kind:
        return b.add(Opcode::While, {pick(b, values, step.state)}, [](ir::Module &, InstructionId) {}, step.callees);
      case conditional_kind:
        return b.add(
            Opcode::Conditional,
            {scalar(b, ElementType::Pred), pick(b, values, step.state), pick(b, values, step.state)},
            [](ir::Module &, InstructionId) {}, step.callees);
      default:
        return b.add(Opcode::Call, {pick(b, values, step.state)}, [](ir::Module &, InstructionId) {}, step.callees);
    }
  }

  // Donates parameters of fitting shapes to outputs, some as must-alias.
  void donate() {
    ir::Computation entry = module_.entry();
    const Shape &root = entry.root().shape();
    std::vector<bool> is_taken(entry.parameter_count());
    for (std::size_t output = 0; root.is_tuple() && output < root.elements().size(); ++output) {
      for (std::size_t parameter = 0; parameter < entry.parameter_count(); ++parameter) {
        if (!is_taken[parameter] && entry.parameter(parameter).shape() == root.elements()[output] && below(3) != 0) {
          is_taken[parameter] = true;
          module_.header().input_output_alias.push_back(
              {{static_cast<std::int64_t>(output)}, static_cast<std::int64_t>(parameter), {}, below(2) == 0});
          break;
        }
      }
    }
  }

  std::mt19937_64 random_;
  ir::Module module_{"random"};
};

}  // namespace

ir::Module random_program(std::uint64_t seed, int depth) {
  return Generator(seed).run(depth);
}

}  // namespace bp::buffers::testing
