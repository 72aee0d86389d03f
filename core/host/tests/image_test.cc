#include "core/host/image.h"

#include <openssl/sha.h>

#include <array>
#include <catch2/catch.hpp>
#include <random>

namespace bp::host {
namespace {

using ir::AttributeKey;
using ir::ElementType;
using ir::Opcode;
using ir::Shape;

// while (counter, (x, y)) { counter < 3 } { (counter + 1, (y, fused(x))) }, a fusion with two roots in the body.
struct Example {
  ir::Module module{"example"};
  ir::InstructionId state, loop, element, root, big;
  Shape counter = Shape::scalar(ElementType::S32);
  Shape vector = Shape::array(ElementType::F32, {4});

  Example() {
    Shape pair = Shape::tuple({vector, vector});
    Shape all = Shape::tuple({counter, pair});
    auto pred = Shape::scalar(ElementType::Pred);

    auto fused = module.add_computation("fused");
    auto p = module.add_parameter(fused, 0, vector, "p");
    auto one = module.add_constant(fused, ir::Literal::scalar<float>(ElementType::F32, 1), "one");
    auto ones = module.add_instruction(fused, Opcode::Broadcast, vector, {one}, "ones");
    module.set_numbers(ones, AttributeKey::Dimensions, {});
    auto sum = module.add_instruction(fused, Opcode::Add, vector, {p, ones}, "sum");
    auto difference = module.add_instruction(fused, Opcode::Subtract, vector, {p, ones}, "difference");
    module.set_root(fused, module.add_instruction(fused, Opcode::Tuple, pair, {sum, difference}, "both"));

    auto condition = module.add_computation("condition");
    auto c = module.add_parameter(condition, 0, all, "c");
    auto at = element_of(condition, c, 0, counter);
    auto limit = module.add_constant(condition, ir::Literal::scalar<std::int32_t>(ElementType::S32, 3), "limit");
    auto less = module.add_instruction(condition, Opcode::Compare, pred, {at, limit}, "less");
    module.set_number(less, AttributeKey::Direction, static_cast<std::int64_t>(ir::ComparisonDirection::Lt));
    module.set_root(condition, less);

    auto body = module.add_computation("body");
    auto b = module.add_parameter(body, 0, all, "b");
    auto i = element_of(body, b, 0, counter);
    auto xy = element_of(body, b, 1, pair);
    auto x = element_of(body, xy, 0, vector);
    auto y = element_of(body, xy, 1, vector);
    auto step = module.add_constant(body, ir::Literal::scalar<std::int32_t>(ElementType::S32, 1), "step");
    auto next = module.add_instruction(body, Opcode::Add, counter, {i, step}, "next");
    auto fusion = module.add_instruction(body, Opcode::Fusion, pair, {x}, "fusion");
    module.set_calls(fusion, std::vector{fused});
    module.set_number(fusion, AttributeKey::Kind, static_cast<std::int64_t>(ir::FusionKind::Loop));
    module.set_control_predecessors(fusion, std::vector{next});
    auto new_pair = module.add_instruction(body, Opcode::Tuple, pair, {y, element_of(body, fusion, 0, vector)}, "t");
    module.set_root(body, module.add_instruction(body, Opcode::Tuple, all, {next, new_pair}, "new"));

    auto main = module.add_computation("main");
    module.set_entry(main);
    state = module.add_parameter(main, 0, all, "state");
    big = module.add_constant(main, ir::Literal::zeros(Shape::array(ElementType::F32, {32})).value(), "big");
    loop = module.add_instruction(main, Opcode::While, all, {state}, "loop");
    module.set_calls(loop, std::vector{condition, body});
    element = element_of(main, loop, 1, pair);
    root = module.add_instruction(main, Opcode::Tuple, Shape::tuple({pair, Shape::array(ElementType::F32, {32})}),
                                  {element, big}, "result");
    module.set_root(main, root);
  }

  ir::InstructionId element_of(ir::ComputationId computation, ir::InstructionId tuple, int number, const Shape &shape) {
    auto id = module.add_instruction(computation, Opcode::GetTupleElement, shape, {tuple});
    module.set_number(id, AttributeKey::Index, number);
    return id;
  }
};

void rehash(std::span<std::byte> bytes) {
  auto hashed = bytes.subspan(offsetof(bp_module_t, size));
  SHA256(reinterpret_cast<const unsigned char *>(hashed.data()), hashed.size(),
         reinterpret_cast<unsigned char *>(bytes.data()) + offsetof(bp_module_t, hash));
}

}  // namespace

TEST_CASE("tuples vanish from the image") {
  Example example;
  auto image = build_image(example.module, Stage::Legalize);
  REQUIRE(image.ok());
  REQUIRE(validate_image(image->bytes()).ok());
  CHECK(image_to_text(image->module()) == R"(module example, stage legalize, opset 1, entry %main
a0: constant, 4 bytes, sha256 67abdd721024f0ff...
a1: constant, 4 bytes, sha256 9d9f290527a6be62...
a2: constant, 128 bytes, sha256 38723a2e5e8a17aa...
embedded %fused(v0) -> (v3, v4) {
  v0 f32[4] = parameter() parameter_number={0}  // p
  v1 f32[] = constant() value=x0000803f  // one
  v2 f32[4] = broadcast(v1) dimensions={}  // ones
  v3 f32[4] = add(v0, v2)  // sum
  v4 f32[4] = subtract(v0, v2)  // difference
}
control %body(v5, v6, v7) -> (v9, v7, v10) {
  v5 s32[] = parameter() parameter_number={0}  // b{0}
  v6 f32[4] = parameter() parameter_number={1}  // b{1,0}
  v7 f32[4] = parameter() parameter_number={2}  // b{1,1}
  v8 s32[] a0+0 = constant() value=x01000000  // step
  v9 s32[] = add(v5, v8)  // next
  v10 f32[4], v11 f32[4] = fusion(v6) %fused kind={0}  // fusion
}
control %condition(v12, v13, v14) -> (v16) {
  v12 s32[] = parameter() parameter_number={0}  // c{0}
  v13 f32[4] = parameter() parameter_number={1}  // c{1,0}
  v14 f32[4] = parameter() parameter_number={2}  // c{1,1}
  v15 s32[] a1+0 = constant() value=x03000000  // limit
  v16 pred[] = compare(v12, v15) direction={5}  // less
}
control %main(v17, v18, v19) -> (v22, v23, v20) {
  v17 s32[] = parameter() parameter_number={0}  // state{0}
  v18 f32[4] = parameter() parameter_number={1}  // state{1,0}
  v19 f32[4] = parameter() parameter_number={2}  // state{1,1}
  v20 f32[32] a2+0 = constant()  // big
  v21 s32[], v22 f32[4], v23 f32[4] = while(v17, v18, v19) %condition %body  // loop
}
next before fusion
)");
}

TEST_CASE("BP-MODULE-01: an image is aligned, little-endian, and says the same wherever it lies") {
  Example example;
  const auto image = build_image(example.module, Stage::Legalize);
  REQUIRE(image.ok());
  const bp_module_t &module = *image->module();
  CHECK(reinterpret_cast<std::uintptr_t>(&module) % 64 == 0);
  for (const bp_range_t &range :
       {module.computations, module.instrs, module.values, module.shapes, module.operands, module.attrs,
        module.allocations, module.i64s, module.strings, module.bytes, module.sections}) {
    CHECK(range.offset % 64 == 0);
  }
  CHECK(std::to_integer<std::uint64_t>(image->bytes()[offsetof(bp_module_t, size)]) == module.size % 256);
  const Image::Storage copy(image->bytes().begin(), image->bytes().end());
  CHECK(validate_image(copy).ok());
  CHECK(image_to_text(reinterpret_cast<const bp_module_t *>(copy.data())) == image_to_text(&module));
}

TEST_CASE("BP-MODULE-03: the hash is that of what follows it, equal for equal modules") {
  const auto hash = [](const ir::Module &module) {
    const auto image = build_image(module, Stage::Legalize);
    REQUIRE(image.ok());
    Image::Storage copy(image->bytes().begin(), image->bytes().end());
    rehash(copy);
    CHECK(std::equal(copy.begin(), copy.end(), image->bytes().begin()));
    return std::vector(image->module()->hash, image->module()->hash + 32);
  };
  Example example, other;
  CHECK(hash(example.module) == hash(Example().module));
  other.module.set_number(other.element, AttributeKey::Index, 0);
  other.module.set_name("another");
  CHECK(hash(other.module) != hash(example.module));
}

TEST_CASE("a damaged image is refused or harmless") {
  Example example;
  auto image = build_image(example.module, Stage::Legalize);
  REQUIRE(image.ok());
  std::vector<std::byte, boost::alignment::aligned_allocator<std::byte, 64>> copy(image->bytes().begin(),
                                                                                  image->bytes().end());
  CHECK(validate_image(std::span(copy).first(100)).error().message() ==
        "module image: has 100 bytes, expected at least 160");
  copy[200] ^= std::byte{1};
  CHECK(validate_image(copy).error().message() == "module image: its header has another hash than its contents");
  copy[200] ^= std::byte{1};

  auto header = reinterpret_cast<const bp_module_t *>(copy.data());
  auto *first = reinterpret_cast<bp_instr_t *>(copy.data() + header->instrs.offset);
  REQUIRE(first->op == BP_OP_PARAMETER);
  first->op = BP_OP_ADD;
  rehash(copy);
  CHECK(validate_image(copy).error().message() ==
        "module image: computation 0: lists 1 values as parameters, expected its 0 parameters");
  first->op = BP_OP_PARAMETER;
  rehash(copy);

  std::mt19937 random(1);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    auto damaged = copy;
    for (int change = 0; change < 2; ++change) {
      damaged[40 + random() % (damaged.size() - 40)] =
          static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 8);
    }
    rehash(damaged);
    if (validate_image(damaged).ok()) {
      ++accepted;
      CHECK(!image_to_text(reinterpret_cast<const bp_module_t *>(damaged.data())).empty());
    } else {
      ++refused;
    }
  }
  CHECK(accepted > 100);
  CHECK(refused > 100);
}

TEST_CASE("the final image says where every value lies") {
  ir::Module module("final");
  Shape vector = Shape::array(ElementType::F32, {2});
  auto main = module.add_computation("main");
  module.set_entry(main);
  auto a = module.add_parameter(main, 0, vector, "a");
  auto two = module.add_constant(main, ir::Literal::zeros(vector).value(), "zero");
  auto sum = module.add_instruction(main, Opcode::Add, vector, {a, two}, "sum");
  module.set_root(main, sum);
  buffers::Plan plan;
  buffers::Allocation input, constant, output;
  input.kind = buffers::AllocationKind::Input;
  constant.kind = buffers::AllocationKind::Constant;
  output.kind = buffers::AllocationKind::Output;
  input.size = constant.size = output.size = 8;
  input.index = output.index = output.alias = 0;
  constant.constant = two;
  plan.allocations = {input, constant, output};
  plan.set_slice(a, 0, {0, 0, 8});
  plan.set_slice(two, 0, {1, 0, 8});
  plan.set_slice(sum, 0, {2, 0, 8});
  auto image = build_image(module, Stage::Final, &plan);
  REQUIRE(image.ok());
  REQUIRE(validate_image(image->bytes()).ok());
  CHECK(image_to_text(image->module()) == R"(module final, stage final, opset 1, entry %main
a0: input 0, 8 bytes
a1: constant, 8 bytes, sha256 af5570f5a1810b7a...
a2: output 0, 8 bytes, is a0
control %main(v0) -> (v2) {
  v0 f32[2] a0+0 = parameter() parameter_number={0}  // a
  v1 f32[2] a1+0 = constant() value=x0000000000000000  // zero
  v2 f32[2] a2+0 = add(v0, v1)  // sum
}
)");
  REQUIRE(image->constants().size() == 1);
  CHECK(image->constants()[0].allocation == 1);
  CHECK(image->sources()[2] == sum);

  plan.allocations[2].alias = -1;
  plan.set_slice(sum, 0, {0, 0, 8});
  image = build_image(module, Stage::Final, &plan);
  REQUIRE(image.ok());
  CHECK(validate_image(image->bytes()).error().message() ==
        "module image: instruction 2: value 2 is in allocation 0, which is a constant or an input that is not donated");
  module.set_opcode(sum, Opcode::Bitcast);
  module.set_operands(sum, std::array{a});
  image = build_image(module, Stage::Final, &plan);
  REQUIRE(image.ok());
  CHECK(validate_image(image->bytes()).ok());
}

TEST_CASE("shapes that the ABI cannot express are errors") {
  ir::Module module("dynamic");
  auto main = module.add_computation("main");
  module.set_entry(main);
  Shape shape = Shape::array(ElementType::F32, {4});
  shape.set_dynamic(0, true);
  module.set_root(main, module.add_parameter(main, 0, shape, "a"));
  CHECK(build_image(module, Stage::Legalize).error().message() ==
        "a: shape f32[<=4] cannot be given to a backend, expected static sizes and an element type of the ABI");

  for (std::int64_t space : {65536, -1}) {
    ir::Module far("far");
    main = far.add_computation("main");
    far.set_entry(main);
    shape = Shape::array(ElementType::F32, {4});
    ir::Layout layout = shape.layout();
    layout.memory_space = space;
    shape.set_layout(layout);
    far.set_root(main, far.add_parameter(main, 0, shape, "a"));
    CHECK(build_image(far, Stage::Legalize).error().message() ==
          fmt::format("a: memory space {} cannot be given to a backend, expected one from 0 to 65535", space));
  }
}

}  // namespace bp::host
