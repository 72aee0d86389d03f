// Which shape the cost model gives the kernels of known dots and convolutions.
#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>

#include <catch2/catch.hpp>

#include "plugins/llvm/contraction/convolution.h"
#include "plugins/llvm/contraction/dot.h"
#include "plugins/llvm/contraction/gpu/cost.h"
#include "plugins/nvptx/target.h"

namespace bp::nvptx::tests {
namespace {

using emit::ContractionShape, emit::ContractionTypes, emit::ContractionWay;

enum class Element { F32, F16, S8 };

ContractionTypes types_of(llvm::LLVMContext &context, Element element) {
  llvm::Type *single = llvm::Type::getFloatTy(context), *half = llvm::Type::getHalfTy(context);
  switch (element) {
    case Element::F32: return {.lhs = single, .rhs = single, .accumulate = single, .out = single};
    case Element::F16: return {.lhs = half, .rhs = half, .accumulate = single, .out = half};
    default: break;
  }
  llvm::Type *byte = llvm::Type::getInt8Ty(context), *word = llvm::Type::getInt32Ty(context);
  return {.lhs = byte, .rhs = byte, .accumulate = word, .out = word};
}

// [batch, rows, contracted] times [batch, contracted, columns].
emit::Contraction dot(const ContractionTypes &types, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                      std::int64_t contracted) {
  return emit::contraction_of({.batch = {{batch, rows * contracted, contracted * columns, rows * columns}},
                               .lhs_free = {{rows, contracted, 0, columns}},
                               .rhs_free = {{columns, 0, 1, 1}},
                               .contracted = {{contracted, 1, columns, 0}},
                               .types = types,
                               .epilogue = {}});
}

// b01f_01io->b01f, of square images, with as much padding as keeps their size.
emit::Contraction convolution(const ContractionTypes &types, std::int64_t batch, std::int64_t size,
                              std::int64_t input_features, std::int64_t output_features, std::int64_t window,
                              std::int64_t stride = 1, std::int64_t groups = 1) {
  const std::int64_t of_group = input_features / groups, out_size = size / stride;
  const auto spatial = [&](std::int64_t lines, std::int64_t filter_lines, std::int64_t out_lines) {
    return emit::SpatialDimension{.input_size = size,
                                  .window_size = window,
                                  .output_size = out_size,
                                  .stride = stride,
                                  .padding_low = (window - 1) / 2,
                                  .input_stride = lines * input_features,
                                  .window_stride = filter_lines * of_group * output_features,
                                  .output_stride = out_lines * output_features};
  };
  return emit::contractions_of({.batch = batch,
                                .input_features = input_features,
                                .output_features = output_features,
                                .feature_group_count = groups,
                                .input_batch_stride = size * size * input_features,
                                .input_feature_stride = 1,
                                .filter_input_feature_stride = output_features,
                                .filter_output_feature_stride = 1,
                                .output_batch_stride = out_size * out_size * output_features,
                                .output_feature_stride = 1,
                                .spatial = {spatial(size, window, out_size), spatial(1, 1, 1)},
                                .types = types,
                                .epilogue = {}})[0];
}

std::string text_of(const ContractionShape &shape) {
  constexpr const char *ways[] = {"threads", "split", "scalar", "matrix", "warpgroup"};
  const std::string way = ways[static_cast<std::size_t>(shape.way)];
  return shape.way == ContractionWay::Threads ? way : fmt::format("{} {}x{}", way, shape.rows, shape.columns);
}

// As many rows and columns as the kernel sees: it may have them the other way round.
std::string choices(const std::string &name, const emit::Contraction &contraction) {
  std::string line = fmt::format("{:<46}", name);
  for (const char *text : {"sm_75", "sm_80", "sm_90", "sm_90a"}) {
    const std::vector<emit::ContractionProblem> problems = emit::normalize({contraction}, {.vector_bits = 128});
    line += fmt::format("{:<18}", text_of(emit::choose_shapes(problems, parse_target(text)->facts())[0]));
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

TEST_CASE("the cost model chooses the shapes of dots and convolutions, for every target") {
  llvm::LLVMContext context;
  const ContractionTypes f16 = types_of(context, Element::F16), f32 = types_of(context, Element::F32),
                         s8 = types_of(context, Element::S8);
  std::string table = "\n";
  const auto add_dot = [&](const std::string &name, const ContractionTypes &types, std::int64_t batch,
                           std::int64_t rows, std::int64_t columns, std::int64_t contracted) {
    table += choices(fmt::format("{} {}[{},{}] by [{},{}]", name, batch == 1 ? "" : fmt::format("{} of ", batch), rows,
                                 contracted, contracted, columns),
                     dot(types, batch, rows, columns, contracted));
  };
  for (const std::int64_t size : {64, 256, 512, 1024, 1536, 2048, 4096, 8192}) {
    add_dot("f16", f16, 1, size, size, size);
  }
  add_dot("f16", f16, 1, 512, 512, 8192);
  add_dot("f16", f16, 1, 1536, 1536, 4096);
  for (const std::int64_t rows : {1, 4, 8, 16, 32, 128}) {
    add_dot("f16", f16, 1, rows, 4096, 4096);
  }
  add_dot("f16", f16, 1, 4096, 1, 4096);
  add_dot("f16", f16, 64, 64, 64, 64);
  add_dot("f16", f16, 64, 1024, 64, 1024);
  add_dot("f16", f16, 64, 1024, 1024, 64);
  add_dot("f32", f32, 1, 1024, 1024, 1024);
  add_dot("f32", f32, 1, 4096, 4096, 4096);
  add_dot("f32", f32, 1, 1, 4096, 4096);
  add_dot("f32", f32, 1, 128, 4096, 4096);
  add_dot("f32", f32, 64, 64, 64, 64);
  add_dot("f32", f32, 1, 3, 4, 5);
  add_dot("f32", f32, 1, 16, 16, 16);
  add_dot("f32", f32, 1000, 3, 3, 3);
  add_dot("f32", f32, 1, 100000, 4, 3);
  add_dot("s8", s8, 1, 4096, 4096, 4096);
  table += choices("resnet 7x7 by twos, 32 of 224 x 224 x 3", convolution(f16, 32, 224, 3, 64, 7, 2));
  table += choices("resnet 3x3, 32 of 56 x 56 x 64", convolution(f16, 32, 56, 64, 64, 3));
  table += choices("resnet 3x3, 32 of 28 x 28 x 128", convolution(f16, 32, 28, 128, 128, 3));
  table += choices("resnet 3x3, 32 of 14 x 14 x 256", convolution(f16, 32, 14, 256, 256, 3));
  table += choices("resnet 3x3, 32 of 7 x 7 x 512", convolution(f16, 32, 7, 512, 512, 3));
  table += choices("resnet 3x3, 1 of 56 x 56 x 64", convolution(f16, 1, 56, 64, 64, 3));
  table += choices("resnet 3x3, 1 of 7 x 7 x 512", convolution(f16, 1, 7, 512, 512, 3));
  table += choices("resnet 1x1, 32 of 56 x 56 x 64 to 256", convolution(f16, 32, 56, 64, 256, 1));
  table += choices("f32 3x3, 1 of 56 x 56 x 64", convolution(f32, 1, 56, 64, 64, 3));
  table += choices("mobilenet 3x3 of each, 32 of 56 x 56 x 144", convolution(f16, 32, 56, 144, 144, 3, 1, 144));
  table += choices("mobilenet 1x1, 1 of 14 x 14 x 96 to 576", convolution(f16, 1, 14, 96, 576, 1));
  CHECK(table == R"(
f16 [64,64] by [64,64]                        matrix 32x32      matrix 32x32      matrix 32x32      matrix 32x32
f16 [256,256] by [256,256]                    matrix 32x64      matrix 32x32      matrix 32x32      matrix 32x32
f16 [512,512] by [512,512]                    matrix 64x128     matrix 64x64      matrix 32x64      matrix 32x64
f16 [1024,1024] by [1024,1024]                matrix 128x128    matrix 128x128    matrix 64x128     warpgroup 128x64
f16 [1536,1536] by [1536,1536]                matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
f16 [2048,2048] by [2048,2048]                matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
f16 [4096,4096] by [4096,4096]                matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
f16 [8192,8192] by [8192,8192]                matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
f16 [512,8192] by [8192,512]                  matrix 64x128     matrix 64x64      matrix 32x64      matrix 32x64
f16 [1536,4096] by [4096,1536]                matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
f16 [1,4096] by [4096,4096]                   split 1x64        split 1x64        split 1x64        split 1x64
f16 [4,4096] by [4096,4096]                   split 4x64        split 4x64        split 4x64        split 4x64
f16 [8,4096] by [4096,4096]                   matrix 32x128     split 8x32        split 8x32        split 8x32
f16 [16,4096] by [4096,4096]                  matrix 32x128     matrix 32x64      matrix 32x32      matrix 32x32
f16 [32,4096] by [4096,4096]                  matrix 32x128     matrix 32x64      matrix 32x32      matrix 32x32
f16 [128,4096] by [4096,4096]                 matrix 128x128    matrix 64x128     matrix 64x64      warpgroup 128x64
f16 [4096,4096] by [4096,1]                   split 1x2         split 1x2         split 1x2         split 1x2
f16 64 of [64,64] by [64,64]                  matrix 64x64      matrix 64x64      matrix 32x64      matrix 32x64
f16 64 of [1024,1024] by [1024,64]            matrix 128x64     matrix 128x64     matrix 128x64     warpgroup 128x64
f16 64 of [1024,64] by [64,1024]              matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
f32 [1024,1024] by [1024,1024]                scalar 64x32      scalar 64x32      scalar 128x64     scalar 128x64
f32 [4096,4096] by [4096,4096]                scalar 128x64     scalar 128x64     scalar 128x64     scalar 128x64
f32 [1,4096] by [4096,4096]                   split 1x32        split 1x32        split 1x32        split 1x32
f32 [128,4096] by [4096,4096]                 scalar 64x32      scalar 64x16      scalar 64x64      scalar 64x64
f32 64 of [64,64] by [64,64]                  scalar 64x64      scalar 64x16      scalar 64x32      scalar 64x32
f32 [3,5] by [5,4]                            threads           threads           threads           threads
f32 [16,16] by [16,16]                        threads           scalar 16x16      scalar 16x16      scalar 16x16
f32 1000 of [3,3] by [3,3]                    threads           threads           threads           threads
f32 [100000,3] by [3,4]                       threads           threads           threads           threads
s8 [4096,4096] by [4096,4096]                 matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
resnet 7x7 by twos, 32 of 224 x 224 x 3       matrix 128x64     matrix 128x64     matrix 128x64     matrix 128x64
resnet 3x3, 32 of 56 x 56 x 64                matrix 128x64     matrix 128x64     matrix 128x64     warpgroup 128x64
resnet 3x3, 32 of 28 x 28 x 128               matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x128
resnet 3x3, 32 of 14 x 14 x 256               matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x128
resnet 3x3, 32 of 7 x 7 x 512                 matrix 64x128     matrix 64x128     matrix 64x128     warpgroup 128x64
resnet 3x3, 1 of 56 x 56 x 64                 matrix 128x64     matrix 32x64      matrix 32x64      matrix 32x64
resnet 3x3, 1 of 7 x 7 x 512                  matrix 32x32      matrix 32x32      matrix 32x32      matrix 32x32
resnet 1x1, 32 of 56 x 56 x 64 to 256         matrix 128x128    matrix 128x128    matrix 128x128    warpgroup 128x256
f32 3x3, 1 of 56 x 56 x 64                    scalar 32x32      scalar 64x32      scalar 64x32      scalar 64x32
mobilenet 3x3 of each, 32 of 56 x 56 x 144    threads           threads           threads           threads
mobilenet 1x1, 1 of 14 x 14 x 96 to 576       matrix 64x64      matrix 32x64      matrix 32x32      matrix 32x32
)");
}

}  // namespace bp::nvptx::tests
