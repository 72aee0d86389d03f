#include "core/ir/verifier.h"

#include <catch2/catch.hpp>

#include "core/ir/builder.h"
#include "core/ir/shape_inference.h"

namespace bp::ir {
namespace {

constexpr auto F32 = ElementType::F32;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

// One computation whose parameters have the given shapes.
struct Fixture {
  Module module{"test"};
  ComputationId main = module.add_computation("main");
  Builder builder{module, main};
  std::vector<InstructionId> p;

  explicit Fixture(std::initializer_list<Shape> shapes) {
    for (const Shape &shape : shapes) {
      p.push_back(builder.parameter(shape));
    }
  }

  // Returns the shape inferred for an op on all parameters, or the text of the error.
  template <class F>
  std::string infer(Opcode opcode, F &&set_attributes, std::vector<ComputationId> calls = {}, Shape written = {}) {
    auto id = builder.try_add(opcode, p, set_attributes, calls, written);
    return id.ok() ? to_string(builder.shape(*id), PrintLayout::Never) : id.error().message();
  }
};

std::string infer(std::initializer_list<Shape> operands, Opcode opcode, AttributeKey key,
                  std::vector<std::int64_t> numbers, Shape written = {}) {
  return Fixture(operands).infer(
      opcode, [&](Module &m, InstructionId id) { m.set_numbers(id, key, numbers); }, {}, written);
}

Shape f32(std::initializer_list<std::int64_t> sizes) {
  return Shape::array(F32, sizes);
}

// For any contents of an attribute, the result is a shape or an error.
std::vector<std::int64_t> hostile_numbers() {
  return {lowest, lowest + 1, -2, -1, 0, 1, 2, 3, 63, 64, 65, highest - 1, highest};
}

}  // namespace

TEST_CASE("shapes of data movement") {
  CHECK(infer({f32({2, 3, 4})}, Opcode::Transpose, AttributeKey::Dimensions, {2, 0, 1}) == "f32[4,2,3]");
  CHECK(infer({f32({2, 3})}, Opcode::Transpose, AttributeKey::Dimensions, {0, 0}) == "dimensions has 0 twice");
  CHECK(infer({f32({10, 4})}, Opcode::Slice, AttributeKey::Slice, {1, 10, 4, 0, 0, 1}) == "f32[3,0]");
  CHECK(infer({f32({10})}, Opcode::Slice, AttributeKey::Slice, {3, 11, 1}) ==
        "slice [3:11:1] of dimension 0 is outside of the operand f32[10]");
  CHECK(infer({f32({5}), f32({})}, Opcode::Pad, AttributeKey::Padding, {-1, 2, 3}) == "f32[18]");
  CHECK(infer({f32({5}), f32({})}, Opcode::Pad, AttributeKey::Padding, {-9, 0, 0}) ==
        "dimension 0 of the result has a negative size");
  CHECK(infer({f32({2, 3}), f32({2, 5})}, Opcode::Concatenate, AttributeKey::Dimensions, {1}) == "f32[2,8]");
  CHECK(infer({f32({highest}), f32({highest})}, Opcode::Concatenate, AttributeKey::Dimensions, {0}) ==
        "the result is too large");
  CHECK(infer({f32({3})}, Opcode::Broadcast, AttributeKey::Dimensions, {1}, f32({2, 3})) == "f32[2,3]");
  CHECK(infer({f32({3})}, Opcode::Broadcast, AttributeKey::Dimensions, {0}, f32({2, 3})) ==
        "dimension 0 of the result has size 2, expected 3, the size of operand dimension 0");
  CHECK(Fixture({f32({2, 3})})
            .infer(
                Opcode::Reshape, [](Module &, InstructionId) {}, {}, f32({7})) ==
        "the result f32[7] has 7 elements, expected 6 as in f32[2,3]");
}

TEST_CASE("dynamic dimensions propagate") {
  Shape bounded = f32({4, 6});
  bounded.set_dynamic(0, true);
  CHECK(infer({bounded}, Opcode::Transpose, AttributeKey::Dimensions, {1, 0}) == "f32[6,<=4]");
  CHECK(Fixture({bounded, f32({4, 6})}).infer(Opcode::Add, [](Module &, InstructionId) {}) == "f32[<=4,6]");
  CHECK(Fixture({f32({unbounded, 6}), f32({4, 6})}).infer(Opcode::Add, [](Module &, InstructionId) {}) == "f32[4,6]");
  CHECK(infer({f32({unbounded, 6}), f32({4, 6})}, Opcode::Concatenate, AttributeKey::Dimensions, {0}) == "f32[?,6]");
}

TEST_CASE("shapes of contractions") {
  auto dot = [](Shape lhs, Shape rhs) {
    return Fixture({lhs, rhs}).infer(Opcode::Dot, [](Module &m, InstructionId id) {
      m.set_numbers(id, AttributeKey::LhsBatchDims, {0});
      m.set_numbers(id, AttributeKey::RhsBatchDims, {0});
      m.set_numbers(id, AttributeKey::LhsContractingDims, {2});
      m.set_numbers(id, AttributeKey::RhsContractingDims, {1});
    });
  };
  CHECK(dot(f32({2, 3, 4}), f32({2, 4, 5})) == "f32[2,3,5]");
  CHECK(dot(f32({2, 3, 4}), f32({2, 3, 5})) ==
        "contracting dimension 2 of the lhs f32[2,3,4] has size 4, expected 3 as dimension 1 of the rhs f32[2,3,5]");

  auto convolve = [](std::int64_t groups, WindowDimension window) {
    return Fixture({f32({8, 9, 6}), f32({3, 2, 12})}).infer(Opcode::Convolution, [&](Module &m, InstructionId id) {
      m.set_numbers(id, AttributeKey::DimLabels, {0, 2, 1, 2, 0, 2, 1, 0, 1});  // b0f_0io->b0f
      m.set_number(id, AttributeKey::FeatureGroupCount, groups);
      m.set_window(id, std::span(&window, 1));
    });
  };
  CHECK(convolve(3, {.size = 3, .stride = 2, .pad_low = 1, .pad_high = 1}) == "f32[8,5,12]");
  CHECK(convolve(3, {.size = 3, .pad_low = -1, .pad_high = -1, .lhs_dilate = 2, .rhs_dilate = 2}) == "f32[8,11,12]");
  CHECK(convolve(1, {.size = 3}) == "the filter has 2 input features, expected 6 (6 in 1 groups)");
  CHECK(convolve(3, {.size = 3, .stride = 0}) ==
        "window has size 3, stride 0, lhs_dilate 1, rhs_dilate 1: expected at least 1 of each");
}

TEST_CASE("reductions check their combiner and become tuples") {
  Fixture f({f32({4, 5}), f32({})});
  auto sum = add_scalar_computation(f.module, Opcode::Add, F32, "sum");
  auto wrong = add_scalar_computation(f.module, Opcode::Add, ElementType::S32, "wrong");
  auto over = [](std::int64_t d) {
    return [=](Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, {d}); };
  };
  CHECK(f.infer(Opcode::Reduce, over(0), {sum}) == "f32[5]");
  CHECK(f.infer(Opcode::Reduce, over(0), {wrong}) == "wrong returns s32[], expected f32[]");
  CHECK(f.infer(Opcode::Reduce, over(0)) == "reduce calls 0 computations, expected 1");
}

TEST_CASE("hostile attributes give errors") {
  for (std::int64_t a : hostile_numbers()) {
    for (std::int64_t b : hostile_numbers()) {
      infer({f32({2, 3})}, Opcode::Transpose, AttributeKey::Dimensions, {a, b});
      infer({f32({2, 3})}, Opcode::Reverse, AttributeKey::Dimensions, {a, b});
      infer({f32({4}), f32({})}, Opcode::Pad, AttributeKey::Padding, {a, b, a});
      infer({f32({highest}), f32({})}, Opcode::Pad, AttributeKey::Padding, {b, a, b});
      infer({f32({7})}, Opcode::Slice, AttributeKey::Slice, {a, b, a});
      infer({f32({7})}, Opcode::Slice, AttributeKey::Slice, {0, b, a});
      infer({f32({3})}, Opcode::Broadcast, AttributeKey::Dimensions, {a}, f32({3, 4}));
      infer({f32({3}), f32({3})}, Opcode::Dot, AttributeKey::LhsContractingDims, {a, b});
      infer({Shape::array(ElementType::C64, {4, 4})}, Opcode::Fft, AttributeKey::FftLength, {a, b});
      infer({f32({3})}, Opcode::TopK, AttributeKey::K, {a});
      infer({Shape::tuple({f32({3})})}, Opcode::GetTupleElement, AttributeKey::Index, {a});
      WindowDimension window{.size = a, .stride = b, .pad_low = b, .pad_high = a, .lhs_dilate = b, .rhs_dilate = a};
      Fixture({f32({8, 9, 6}), f32({3, 2, 12})}).infer(Opcode::Convolution, [&](Module &m, InstructionId id) {
        m.set_numbers(id, AttributeKey::DimLabels, {a, 2, 1, b, 0, 2, 1, 0, 1});
        m.set_window(id, std::span(&window, 1));
      });
      Fixture({f32({8, 9}), Shape::array(ElementType::S32, {5, 2})})
          .infer(Opcode::Gather, [&](Module &m, InstructionId id) {
            m.set_numbers(id, AttributeKey::OffsetDims, {a});
            m.set_numbers(id, AttributeKey::CollapsedSliceDims, {b});
            m.set_numbers(id, AttributeKey::StartIndexMap, {0, b});
            m.set_number(id, AttributeKey::IndexVectorDim, 1);
            m.set_numbers(id, AttributeKey::SliceSizes, {1, a});
          });
    }
  }
  CHECK(infer({f32({2})}, Opcode::Reverse, AttributeKey::Slice, {}) == "the attribute dimensions is missing");
}

TEST_CASE("tuples that double their parts are refused") {
  Fixture f({f32({})});
  InstructionId tuple = f.p[0];
  Result<InstructionId> next = tuple;
  for (int i = 0; i < 64 && next.ok(); ++i) {
    tuple = *next;
    next = f.builder.try_add(Opcode::Tuple, std::vector{tuple, tuple}, [](Module &, InstructionId) {});
  }
  REQUIRE(!next.ok());
  CHECK(next.error().message() == "the tuple has more than 65536 parts");
}

TEST_CASE("the verifier tells of several wrong instructions, but not of those that depend on them") {
  Fixture f({f32({4})});
  f.module.set_source_file("model.hlo");
  std::vector<InstructionId> wrong;
  for (std::uint32_t line = 1; line <= 12; ++line) {
    wrong.push_back(f.builder.add(Opcode::Negate, {f.p[0]}));
    f.module.set_name(wrong.back(), fmt::format("n{}", line));
    f.module.set_source(wrong.back(), line, 1);
  }
  const InstructionId user = f.builder.add(Opcode::Negate, {wrong[0]});
  f.builder.finish(user);
  for (InstructionId id : wrong) {
    f.module.set_shape(id, f32({5}));
  }
  const Status status = verify(f.module);
  REQUIRE(!status.ok());
  CHECK(status.error().message() == "n1: the shape is f32[5], expected f32[4]");
  REQUIRE(status.error().notes().size() == 10);
  CHECK(status.error().notes()[0] == "model.hlo:2:1: n2: the shape is f32[5], expected f32[4]");
  CHECK(status.error().notes()[9] == "and 2 more wrong instructions");
}

TEST_CASE("the verifier finds what is wrong and where") {
  auto message = [](auto &&change) {
    Fixture f({f32({4}), f32({4})});
    f.module.set_source_file("model.hlo");
    InstructionId sum = f.builder.add(Opcode::Add, {f.p[0], f.p[1]});
    f.module.set_name(sum, "sum");
    f.module.set_source(sum, 12, 20);
    f.builder.finish(sum);
    REQUIRE(verify(f.module).ok());
    change(f, sum);
    Status status = verify(f.module);
    return status.ok() ? std::string("ok") : status.error().to_string();
  };
  CHECK(message([](Fixture &f, InstructionId sum) { f.module.set_shape(sum, f32({5})); }) ==
        "model.hlo:12:20: sum: the shape is f32[5], expected f32[4]");
  CHECK(message([](Fixture &f, InstructionId sum) { f.module.set_operands(sum, std::vector{f.p[0]}); }) ==
        "model.hlo:12:20: sum: add has 1 operands, expected 2");
  CHECK(message([](Fixture &f, InstructionId sum) { f.module.set_operand(sum, 1, sum); }) ==
        "model.hlo:12:20: sum: operand 1 is not defined before it in the same computation");
  CHECK(message([](Fixture &f, InstructionId sum) { f.module.set_number(sum, AttributeKey::K, 1); }) ==
        "model.hlo:12:20: sum: add does not take the attribute k");
  CHECK(message([](Fixture &f, InstructionId sum) {
          Shape shape = f32({4});
          Layout layout = shape.layout();
          layout.minor_to_major[0] = 1;
          shape.set_layout(layout);
          f.module.set_shape(sum, shape);
        }) == "model.hlo:12:20: sum: the layout {1} is not a permutation of 1 dimensions");
  CHECK(message([](Fixture &f, InstructionId) {
          f.module.set_number(f.p[1], AttributeKey::ParameterNumber, 0);
        }).ends_with("parameter number 0 is negative or given twice"));
  CHECK(message([](Fixture &f, InstructionId sum) {
          f.module.set_opcode(sum, Opcode::Call);
          f.module.set_calls(sum, std::vector{f.main});
        }) == "model.hlo:12:20: sum: the call of main is recursive");
  CHECK(message([](Fixture &f, InstructionId) { f.module.header().input_output_alias = {{{}, 2, {}}}; }) ==
        "model.hlo:1:1: input_output_alias names parameter 2, expected less than 2");
  CHECK(message([](Fixture &f, InstructionId) { f.module.header().buffer_donor = {{0, {}}, {0, {}}}; }) ==
        "model.hlo:1:1: buffer_donor names part {} of parameter 0, which is given away already");
  CHECK(message([](Fixture &f, InstructionId) {
          f.module.header().has_entry_layout = true;
          f.module.header().entry_parameter_shapes = {f32({4}), f32({3})};
          f.module.header().entry_result_shape = f32({4});
        }) == "model.hlo:1:1: entry_computation_layout has parameter 1 f32[3], expected f32[4]");
}

TEST_CASE("numbers of devices below 1 are refused before anything is divided by them") {
  for (const std::int64_t replicas : {std::int64_t{0}, std::int64_t{-2}, lowest}) {
    Fixture f({Shape::array(F32, {3})});
    f.module.header().replica_count = replicas;
    const auto exchange = f.builder.try_add(
        Opcode::AllToAll, f.p, [](Module &m, InstructionId id) { m.set_numbers(id, AttributeKey::Dimensions, {0}); },
        {}, Shape::array(F32, {3}));
    REQUIRE(exchange.ok());
    f.module.set_root(f.main, *exchange);
    f.module.set_entry(f.main);
    REQUIRE_FALSE(verify(f.module).ok());
    CHECK(verify(f.module).error().message() ==
          fmt::format("the module has {} replicas and 1 partitions, expected at least 1", replicas));
  }
}

}  // namespace bp::ir
