// Prints the speed of generated dots and convolutions on one thread, as a fraction of the speed of pure multiply-adds,
// which is measured in between. Arguments select by substrings of the names.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "plugins/llvm/contraction/convolution.h"
#include "plugins/llvm/contraction/dot.h"
#include "plugins/llvm/generator/loops.h"
#include "plugins/llvm/tests/jit.h"

namespace {

using namespace bp::emit;

VectorTarget host_target() {
  auto features = llvm::sys::getHostCPUFeatures();
  bool has_avx512 = features.lookup("avx512f") && features.lookup("avx512dq") && features.lookup("avx512bw");
  return {has_avx512 ? 512U : features.lookup("avx2") ? 256U : 128U, has_avx512 ? 32U : 16U, features.lookup("fma")};
}

// Returns the processor time of this thread, which other work on the machine disturbs less than wall-clock time.
double thread_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double best_seconds(const std::function<void()> &run) {
  double best = 1e9;
  double start = thread_seconds();
  for (int i = 0; i < 200 && (i < 2 || thread_seconds() - start < 0.3); ++i) {
    double begin = thread_seconds();
    run();
    best = std::min(best, thread_seconds() - begin);
  }
  return best;
}

// Returns the speed of independent multiply-adds in registers, in billions of operations per second.
double measure_peak() {
  VectorTarget target = host_target();
  unsigned lanes = target.vector_bits / 32;
  constexpr int64_t chains = 12;
  bp::emit::test::Jit jit([&](llvm::Module &module) {
    llvm::IRBuilder<> b(module.getContext());
    auto *vector = llvm::FixedVectorType::get(b.getFloatTy(), lanes);
    auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty()}, false);
    auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "peak", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    llvm::Value *x = b.CreateAlignedLoad(vector, function->getArg(0), llvm::Align(4));
    Values sums = emit_loop_carrying(
        b, b.getInt64(0), function->getArg(1), 1, Values(chains, x), [&](llvm::Value *, const Values &values) {
          Values next;
          for (llvm::Value *value : values) {
            next.push_back(b.CreateIntrinsic(llvm::Intrinsic::fma, {vector}, {value, x, x}));
          }
          return next;
        });
    llvm::Value *total = x;
    for (llvm::Value *sum : sums) {
      total = b.CreateFAdd(total, sum);
    }
    b.CreateAlignedStore(total, function->getArg(0), llvm::Align(4));
    b.CreateRetVoid();
  });
  auto *run = jit.find<void(float *, int64_t)>("peak");
  float values[16] = {};
  constexpr int64_t count = 1'000'000;
  return 2e-9 * static_cast<double>(chains * count * lanes) / best_seconds([&] { run(values, count); });
}

std::vector<float> random_values(int64_t size) {
  std::vector<float> values(static_cast<size_t>(size));
  uint32_t state = 1;
  for (float &value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) * 0x1p-23F - 1;
  }
  return values;
}

struct Total {
  double seconds = 0;
  double operations = 0;
  double compile_seconds = 0;
};

void measure(const std::string &name, double multiply_adds, int64_t lhs_size, int64_t rhs_size, int64_t out_size,
             const std::function<Kernel(llvm::Module &, const VectorTarget &)> &build, double peak, Total &total,
             int64_t times = 1) {
  double start = thread_seconds();
  Kernel kernel;
  bp::emit::test::Jit jit([&](llvm::Module &module) { kernel = build(module, host_target()); });
  auto *run = jit.find<void(const float *, const float *, float *, void *, int64_t, int64_t)>("kernel");
  double compile = thread_seconds() - start;
  auto lhs = random_values(lhs_size);
  auto rhs = random_values(rhs_size);
  std::vector<float> out(static_cast<size_t>(out_size));
  std::vector<char> scratch(static_cast<size_t>(kernel.scratch_bytes) + 64);
  char *aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
  // Repeats, because reading the clock takes longer than a tiny kernel.
  int64_t repeats = std::max<int64_t>(1, static_cast<int64_t>(1e6 / multiply_adds));
  double seconds = best_seconds([&] {
    for (int64_t i = 0; i < repeats; ++i) {
      run(lhs.data(), rhs.data(), out.data(), aligned, 0, kernel.items);
    }
  });
  seconds /= static_cast<double>(repeats);
  double speed = 2e-9 * multiply_adds / seconds;
  fmt::print("{:58} {:9.3f} ms {:7.1f} GFLOP/s {:5.1f} %  {:4} items  compile {:5.1f} ms\n", name, seconds * 1e3, speed,
             100 * speed / peak, kernel.items, compile * 1e3);
  std::fflush(stdout);
  total.seconds += seconds * static_cast<double>(times);
  total.operations += 2 * multiply_adds * static_cast<double>(times);
  total.compile_seconds += compile;
}

void measure_dot(int64_t batch, int64_t rows, int64_t columns, int64_t contracted, bool is_lhs_transposed,
                 bool is_rhs_transposed, double peak, Total &total) {
  auto build = [&](llvm::Module &module, const VectorTarget &target) {
    llvm::Type *f32 = llvm::Type::getFloatTy(module.getContext());
    Dot dot;
    dot.batch = {{batch, rows * contracted, contracted * columns, rows * columns}};
    dot.lhs_free = {{rows, is_lhs_transposed ? 1 : contracted, 0, columns}};
    dot.rhs_free = {{columns, 0, is_rhs_transposed ? contracted : 1, 1}};
    dot.contracted = {{contracted, is_lhs_transposed ? rows : 1, is_rhs_transposed ? 1 : columns, 0}};
    dot.types = {f32, f32, f32, f32, true};
    return emit_dot(module, "kernel", target, dot);
  };
  std::string name = fmt::format("dot {}x{}x{}x{}{}{}", batch, rows, columns, contracted,
                                 is_lhs_transposed ? " lhs^T" : "", is_rhs_transposed ? " rhs^T" : "");
  measure(name, static_cast<double>(batch * rows * columns * contracted), batch * rows * contracted,
          batch * contracted * columns, batch * rows * columns, build, peak, total);
}

// A square convolution. Layouts are as in HLO's dim_labels, with dense strides in the order of the labels.
struct Case {
  const char *layouts;
  int64_t batch, inputs, outputs, feature_groups, batch_groups, input, window, output, stride, low, base_dilation,
      window_dilation, times;
};

void measure_convolution(const Case &c, double peak, Total &total) {
  std::string layouts = c.layouts;
  size_t underscore = layouts.find('_');
  size_t arrow = layouts.find("->");
  auto strides_of = [](const std::string &layout, const std::string &names, const std::vector<int64_t> &sizes) {
    std::vector<int64_t> strides(names.size());
    int64_t stride = 1;
    for (size_t i = layout.size(); i-- > 0;) {
      strides[names.find(layout[i])] = stride;
      stride *= sizes[names.find(layout[i])];
    }
    return strides;
  };
  int64_t out_batch = c.batch / c.batch_groups;
  int64_t filter_inputs = c.inputs / c.feature_groups;
  auto lhs = strides_of(layouts.substr(0, underscore), "bf01", {c.batch, c.inputs, c.input, c.input});
  auto rhs = strides_of(layouts.substr(underscore + 1, arrow - underscore - 1), "oi01",
                        {c.outputs, filter_inputs, c.window, c.window});
  auto out = strides_of(layouts.substr(arrow + 2), "bf01", {out_batch, c.outputs, c.output, c.output});
  auto build = [&](llvm::Module &module, const VectorTarget &target) {
    llvm::Type *f32 = llvm::Type::getFloatTy(module.getContext());
    Convolution convolution;
    convolution.batch = c.batch;
    convolution.input_features = c.inputs;
    convolution.output_features = c.outputs;
    convolution.feature_group_count = c.feature_groups;
    convolution.batch_group_count = c.batch_groups;
    convolution.input_batch_stride = lhs[0];
    convolution.input_feature_stride = lhs[1];
    convolution.filter_output_feature_stride = rhs[0];
    convolution.filter_input_feature_stride = rhs[1];
    convolution.output_batch_stride = out[0];
    convolution.output_feature_stride = out[1];
    for (size_t i = 2; i < 4; ++i) {
      convolution.spatial.push_back({.input_size = c.input,
                                     .window_size = c.window,
                                     .output_size = c.output,
                                     .stride = c.stride,
                                     .padding_low = c.low,
                                     .base_dilation = c.base_dilation,
                                     .window_dilation = c.window_dilation,
                                     .window_reversal = false,
                                     .input_stride = lhs[i],
                                     .window_stride = rhs[i],
                                     .output_stride = out[i]});
    }
    convolution.types = {f32, f32, f32, f32, true};
    return emit_convolution(module, "kernel", target, convolution);
  };
  int64_t multiply_adds = out_batch * c.outputs * c.output * c.output * filter_inputs * c.window * c.window;
  multiply_adds /= c.base_dilation * c.base_dilation;
  std::string name =
      fmt::format("{} b{} {}->{} g{}/{} {}->{} w{} s{} d{}/{}", layouts, c.batch, c.inputs, c.outputs, c.feature_groups,
                  c.batch_groups, c.input, c.output, c.window, c.stride, c.base_dilation, c.window_dilation);
  measure(name, static_cast<double>(multiply_adds), c.batch * c.inputs * c.input * c.input,
          c.outputs * filter_inputs * c.window * c.window, out_batch * c.outputs * c.output * c.output, build, peak,
          total, c.times);
}

constexpr const char *nhwc = "b01f_01io->b01f";
constexpr const char *nchw = "bf01_oi01->bf01";
constexpr const char *nchw_by_input = "bf01_01io->bf01";
constexpr const char *nchw_by_filter = "fb01_io01->01bf";

// ResNet-50 at batch 1: every convolution.
constexpr Case resnet[] = {
    {nhwc, 1, 3, 64, 1, 1, 230, 7, 112, 2, 0, 1, 1, 1},   {nhwc, 1, 64, 64, 1, 1, 56, 1, 56, 1, 0, 1, 1, 1},
    {nhwc, 1, 64, 64, 1, 1, 56, 3, 56, 1, 1, 1, 1, 3},    {nhwc, 1, 64, 256, 1, 1, 56, 1, 56, 1, 0, 1, 1, 4},
    {nhwc, 1, 256, 64, 1, 1, 56, 1, 56, 1, 0, 1, 1, 2},   {nhwc, 1, 256, 128, 1, 1, 56, 1, 28, 2, 0, 1, 1, 1},
    {nhwc, 1, 256, 512, 1, 1, 56, 1, 28, 2, 0, 1, 1, 1},  {nhwc, 1, 128, 128, 1, 1, 28, 3, 28, 1, 1, 1, 1, 4},
    {nhwc, 1, 128, 512, 1, 1, 28, 1, 28, 1, 0, 1, 1, 4},  {nhwc, 1, 512, 128, 1, 1, 28, 1, 28, 1, 0, 1, 1, 3},
    {nhwc, 1, 512, 256, 1, 1, 28, 1, 14, 2, 0, 1, 1, 1},  {nhwc, 1, 512, 1024, 1, 1, 28, 1, 14, 2, 0, 1, 1, 1},
    {nhwc, 1, 256, 256, 1, 1, 14, 3, 14, 1, 1, 1, 1, 6},  {nhwc, 1, 256, 1024, 1, 1, 14, 1, 14, 1, 0, 1, 1, 6},
    {nhwc, 1, 1024, 256, 1, 1, 14, 1, 14, 1, 0, 1, 1, 5}, {nhwc, 1, 1024, 512, 1, 1, 14, 1, 7, 2, 0, 1, 1, 1},
    {nhwc, 1, 1024, 2048, 1, 1, 14, 1, 7, 2, 0, 1, 1, 1}, {nhwc, 1, 512, 512, 1, 1, 7, 3, 7, 1, 1, 1, 1, 3},
    {nhwc, 1, 512, 2048, 1, 1, 7, 1, 7, 1, 0, 1, 1, 3},   {nhwc, 1, 2048, 512, 1, 1, 7, 1, 7, 1, 0, 1, 1, 2},
};

// A training step of MobileNet v2 at batch 96: one of each kind of its convolutions.
constexpr Case mobilenet[] = {
    {nchw, 96, 3, 32, 1, 1, 224, 3, 112, 2, 1, 1, 1, 1},
    {nchw, 96, 32, 16, 1, 1, 112, 1, 112, 1, 0, 1, 1, 1},
    {nchw, 96, 16, 96, 1, 1, 112, 1, 112, 1, 0, 1, 1, 1},
    {nchw, 96, 24, 144, 1, 1, 56, 1, 56, 1, 0, 1, 1, 2},
    {nchw, 96, 192, 32, 1, 1, 28, 1, 28, 1, 0, 1, 1, 2},
    {nchw, 96, 64, 384, 1, 1, 14, 1, 14, 1, 0, 1, 1, 4},
    {nchw, 96, 576, 96, 1, 1, 14, 1, 14, 1, 0, 1, 1, 2},
    {nchw, 96, 160, 960, 1, 1, 7, 1, 7, 1, 0, 1, 1, 3},
    {nchw, 96, 320, 1280, 1, 1, 7, 1, 7, 1, 0, 1, 1, 1},
    {nchw_by_input, 96, 96, 16, 1, 1, 112, 1, 112, 1, 0, 1, 1, 1},
    {nchw_by_input, 96, 384, 64, 1, 1, 14, 1, 14, 1, 0, 1, 1, 4},
    {nchw_by_input, 96, 960, 160, 1, 1, 7, 1, 7, 1, 0, 1, 1, 3},
    {nchw_by_input, 96, 32, 3, 1, 1, 112, 3, 224, 1, 1, 2, 1, 1},
    {nchw_by_filter, 32, 96, 16, 1, 1, 112, 112, 1, 1, 0, 1, 1, 1},
    {nchw_by_filter, 144, 96, 24, 1, 1, 56, 56, 1, 1, 0, 1, 1, 2},
    {nchw_by_filter, 64, 96, 384, 1, 1, 14, 14, 1, 1, 0, 1, 1, 4},
    {nchw_by_filter, 960, 96, 160, 1, 1, 7, 7, 1, 1, 0, 1, 1, 3},
    {nchw_by_filter, 3, 96, 32, 1, 1, 224, 112, 3, 1, 1, 1, 2, 1},
    {nchw, 96, 32, 32, 32, 1, 112, 3, 112, 1, 1, 1, 1, 1},
    {nchw, 96, 96, 96, 96, 1, 112, 3, 56, 2, 1, 1, 1, 1},
    {nchw, 96, 144, 144, 144, 1, 56, 3, 56, 1, 1, 1, 1, 1},
    {nchw, 96, 384, 384, 384, 1, 14, 3, 14, 1, 1, 1, 1, 4},
    {nchw, 96, 960, 960, 960, 1, 7, 3, 7, 1, 1, 1, 1, 3},
    {"bf01_01oi->bf01", 96, 96, 96, 96, 1, 56, 3, 112, 1, 1, 2, 1, 1},
    {"bf01_01oi->bf01", 96, 192, 192, 192, 1, 14, 3, 28, 1, 1, 2, 1, 1},
    {nchw_by_filter, 32, 96, 32, 1, 32, 112, 112, 3, 1, 1, 1, 1, 1},
    {nchw_by_filter, 96, 96, 96, 1, 96, 112, 56, 3, 1, 1, 1, 2, 1},
    {nchw_by_filter, 384, 96, 384, 1, 384, 14, 14, 3, 1, 1, 1, 1, 4},
    {nchw_by_filter, 960, 96, 960, 1, 960, 7, 7, 3, 1, 1, 1, 1, 3},
    {"b01f_01io->b01f", 8, 144, 144, 144, 1, 56, 3, 56, 1, 1, 1, 1, 0},
};

}  // namespace

int main(int argc, char **argv) {
  auto is_chosen = [&](const char *group) {
    return argc < 2 ||
           std::any_of(
               argv + 1, argv + argc,
               [&](const char *argument) { return std::string(group).find(argument) != std::string::npos; });
  };
  double peak = measure_peak();
  fmt::print("peak of one thread: {:.1f} GFLOP/s\n", peak);
  auto print_total = [](const char *name, const Total &total) {
    fmt::print("{}: {:.1f} ms, {:.1f} GFLOP/s, compiled in {:.0f} ms\n\n", name, total.seconds * 1e3,
               total.operations / total.seconds * 1e-9, total.compile_seconds * 1e3);
  };
  if (is_chosen("dot")) {
    Total total;
    for (int64_t size : {8, 32, 64, 128, 256, 512, 1024}) {
      measure_dot(1, size, size, size, false, false, peak, total);
    }
    for (int transposes : {1, 2, 3}) {
      measure_dot(1, 512, 512, 512, (transposes & 1) != 0, (transposes & 2) != 0, peak, total);
    }
    measure_dot(1, 1, 4096, 4096, false, false, peak, total);
    measure_dot(1, 1, 4096, 4096, false, true, peak, total);
    measure_dot(1, 8, 4096, 4096, false, false, peak, total);
    measure_dot(192, 128, 128, 64, false, true, peak, total);
    measure_dot(192, 128, 64, 128, false, false, peak, total);
    measure_dot(10000, 3, 3, 3, false, false, peak, total);
    print_total("dots", total);
  }
  if (is_chosen("resnet")) {
    Total total;
    for (const Case &c : resnet) {
      measure_convolution(c, peak, total);
    }
    print_total("ResNet-50, batch 1, all convolutions", total);
  }
  if (is_chosen("mobilenet")) {
    Total total;
    for (const Case &c : mobilenet) {
      measure_convolution(c, peak, total);
    }
    print_total("MobileNet v2 training step, batch 96, these convolutions", total);
  }
  return 0;
}
