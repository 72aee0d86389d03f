// Dots and convolutions against plain loops in f64 (or wrapping integers), over all strategies, layouts, element types
// and vector widths.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

#include "plugins/llvm/contraction/convolution.h"
#include "plugins/llvm/contraction/dot.h"
#include "plugins/llvm/tests/jit.h"

namespace {

using namespace bp::emit;
using KernelSignature = void(const void *, const void *, void *, void *, int64_t, int64_t);

const VectorTarget avx512{512, 32, true};
const VectorTarget avx2{256, 16, true};
const VectorTarget sse2{128, 16, false};

float bf16_to_float(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float result;
  std::memcpy(&result, &wide, sizeof(result));
  return result;
}

double f16_to_double(uint16_t bits) {
  llvm::APFloat value(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
  bool loses = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

uint16_t double_to_f16(double value) {
  llvm::APFloat result(value);
  bool loses = false;
  result.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return static_cast<uint16_t>(result.bitcastToAPInt().getZExtValue());
}

uint16_t float_to_bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

enum class Element { f32, f64, bf16, f16, s32, s8_to_s32, u8_to_s32 };

llvm::Type *type_of(llvm::LLVMContext &context, Element element, bool is_input) {
  switch (element) {
    case Element::f32: return llvm::Type::getFloatTy(context);
    case Element::f64: return llvm::Type::getDoubleTy(context);
    case Element::bf16: return llvm::Type::getBFloatTy(context);
    case Element::f16: return llvm::Type::getHalfTy(context);
    case Element::s32: return llvm::Type::getInt32Ty(context);
    case Element::s8_to_s32:
    case Element::u8_to_s32: return is_input ? llvm::Type::getInt8Ty(context) : llvm::Type::getInt32Ty(context);
  }
  return nullptr;
}

ContractionTypes types_of(llvm::LLVMContext &context, Element element) {
  llvm::Type *in = type_of(context, element, true);
  llvm::Type *out = type_of(context, element, false);
  bool is_narrow = element == Element::bf16 || element == Element::f16;
  return {in, in, is_narrow ? llvm::Type::getFloatTy(context) : out, out, element != Element::u8_to_s32, true};
}

// Values and the bytes that hold them, without padding, so that accesses after the last element hit the heap's red
// zone.
struct Array {
  std::vector<double> values;
  std::vector<char> bytes;
};

Array make_array(int64_t size, Element element, bool is_input, std::mt19937 &random) {
  Array array;
  auto put = [&](auto value) {
    const char *from = reinterpret_cast<const char *>(&value);
    array.bytes.insert(array.bytes.end(), from, from + sizeof(value));
    array.values.push_back(static_cast<double>(value));
  };
  for (int64_t i = 0; i < size; ++i) {
    double uniform = std::uniform_real_distribution<double>(-1, 1)(random);
    switch (element) {
      case Element::f32: put(static_cast<float>(uniform)); break;
      case Element::f64: put(uniform); break;
      case Element::bf16: {
        put(float_to_bf16(static_cast<float>(uniform)));
        array.values.back() = bf16_to_float(float_to_bf16(static_cast<float>(uniform)));
        break;
      }
      case Element::f16: {
        put(double_to_f16(uniform));
        array.values.back() = f16_to_double(double_to_f16(uniform));
        break;
      }
      case Element::s32: put(static_cast<int32_t>(uniform * 1000)); break;
      case Element::s8_to_s32:
        is_input ? put(static_cast<int8_t>(std::floor(uniform * 128))) : put(static_cast<int32_t>(uniform * 127));
        break;
      case Element::u8_to_s32:
        is_input ? put(static_cast<uint8_t>(std::abs(uniform) * 255.9)) : put(static_cast<int32_t>(uniform * 127));
        break;
    }
  }
  return array;
}

double element_at(const std::vector<char> &bytes, int64_t index, Element element) {
  auto get = [&](auto value) {
    std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(value), sizeof(value));
    return value;
  };
  switch (element) {
    case Element::f32: return get(0.0F);
    case Element::f64: return get(0.0);
    case Element::bf16: return bf16_to_float(get(uint16_t{0}));
    case Element::f16: return f16_to_double(get(uint16_t{0}));
    default: return get(int32_t{0});
  }
}

// Runs the kernel in a few disjoint ranges and compares with the expected sums; `magnitudes` are the sums of absolute
// products.
void check_kernel(const std::function<Kernel(llvm::Module &)> &build, const VectorTarget &target, Element element,
                  const Array &lhs, const Array &rhs, const std::vector<double> &expected,
                  const std::vector<double> &magnitudes, int64_t contracted, std::mt19937 &random) {
  Kernel kernel;
  std::string cpu = target.vector_bits == 512 ? "" : target.vector_bits == 256 ? "x86-64-v3" : "x86-64";
  bp::emit::test::Jit jit([&](llvm::Module &module) { kernel = build(module); }, cpu);
  auto *run = jit.find<KernelSignature>("kernel");
  Array out = make_array(static_cast<int64_t>(expected.size()), element, false, random);
  std::vector<char> scratch(static_cast<size_t>(kernel.scratch_bytes) + 128, '\x7f');
  char *aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
  std::vector<char> result = out.bytes;
  for (int64_t begin = 0; begin < kernel.items;) {
    int64_t end = std::min(kernel.items, begin + 1 + kernel.items / 3);
    run(lhs.bytes.data(), rhs.bytes.data(), result.data(), aligned, begin, end);
    begin = end;
  }
  for (char *guard = aligned + kernel.scratch_bytes; guard < scratch.data() + scratch.size(); ++guard) {
    REQUIRE(*guard == '\x7f');
  }
  // Error bounds from the rounding of the sums and of the result.
  double step = element == Element::f64 ? 0x1p-52 : 0x1p-22;
  double last_step = element == Element::bf16 ? 0x1p-8 : element == Element::f16 ? 0x1p-11 : 0;
  if (element == Element::s32 || element == Element::s8_to_s32 || element == Element::u8_to_s32) {
    step = 0;
  }
  size_t wrong = expected.size();
  double wrong_value = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = element_at(result, static_cast<int64_t>(i), element);
    // Rounding errors add up like a random walk.
    double bound = magnitudes[i] * step * (2 + std::sqrt(static_cast<double>(contracted)));
    bound += std::abs(expected[i]) * last_step + (element == Element::f16 ? 0x1p-25 : 0);
    if (!(std::abs(value - expected[i]) <= bound)) {
      wrong = i;
      wrong_value = value;
      break;
    }
  }
  INFO("element " << wrong << " of " << expected.size() << " is " << wrong_value << ", expected "
                  << (wrong < expected.size() ? expected[wrong] : 0));
  CHECK(wrong == expected.size());
}

struct DotShape {
  int64_t batch, rows, columns, contracted;
};

// transpose: bit 0: lhs is [batch, contracted, rows]; bit 1: rhs is [batch, columns, contracted]; bit 2: out is
// [batch, columns, rows]; bit 3: out is [rows, columns, batch].
void check_dot(DotShape s, int transpose, Element element, const VectorTarget &target, bool has_epilogue = false) {
  INFO("dot batch " << s.batch << " rows " << s.rows << " columns " << s.columns << " contracted " << s.contracted
                    << " transpose " << transpose << " element " << static_cast<int>(element) << " bits "
                    << target.vector_bits);
  std::mt19937 random(11);
  Array lhs = make_array(s.batch * s.rows * s.contracted, element, true, random);
  Array rhs = make_array(s.batch * s.contracted * s.columns, element, true, random);
  int64_t lhs_row = (transpose & 1) != 0 ? 1 : s.contracted;
  int64_t lhs_k = (transpose & 1) != 0 ? s.rows : 1;
  int64_t rhs_k = (transpose & 2) != 0 ? 1 : s.columns;
  int64_t rhs_column = (transpose & 2) != 0 ? s.contracted : 1;
  int64_t out_row = (transpose & 4) != 0 ? 1 : s.columns;
  int64_t out_column = (transpose & 4) != 0 ? s.rows : 1;
  int64_t out_batch = s.rows * s.columns;
  if ((transpose & 8) != 0) {
    out_batch = 1;
    out_column = s.batch;
    out_row = s.batch * s.columns;
  }
  std::vector<double> expected(static_cast<size_t>(s.batch * s.rows * s.columns));
  std::vector<double> magnitudes = expected;
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t r = 0; r < s.rows; ++r) {
      for (int64_t c = 0; c < s.columns; ++c) {
        auto at = static_cast<size_t>(b * out_batch + r * out_row + c * out_column);
        for (int64_t k = 0; k < s.contracted; ++k) {
          double x = lhs.values[static_cast<size_t>(b * s.rows * s.contracted + r * lhs_row + k * lhs_k)];
          double y = rhs.values[static_cast<size_t>(b * s.contracted * s.columns + k * rhs_k + c * rhs_column)];
          expected[at] += x * y;
          magnitudes[at] += std::abs(x * y);
        }
        if (has_epilogue) {
          expected[at] = std::max(expected[at], 0.0) + static_cast<double>(at % 16);
          magnitudes[at] += static_cast<double>(at % 16);
        }
      }
    }
  }
  auto build = [&](llvm::Module &module) {
    Dot dot;
    dot.batch = {{s.batch, s.rows * s.contracted, s.contracted * s.columns, out_batch}};
    dot.lhs_free = {{s.rows, lhs_row, 0, out_row}};
    dot.rhs_free = {{s.columns, 0, rhs_column, out_column}};
    dot.contracted = {{s.contracted, lhs_k, rhs_k, 0}};
    dot.types = types_of(module.getContext(), element);
    if (has_epilogue) {
      dot.epilogue.emit = [](llvm::IRBuilderBase &b, const EpilogueSite &site) {
        llvm::Value *zero = llvm::Constant::getNullValue(site.sums->getType());
        llvm::Value *positive = b.CreateSelect(b.CreateFCmpOGT(site.sums, zero), site.sums, zero);
        llvm::Value *index = b.CreateAnd(site.offsets, 15);
        return b.CreateFAdd(positive, b.CreateSIToFP(index, site.sums->getType()));
      };
    }
    return emit_dot(module, "kernel", target, dot);
  };
  check_kernel(build, target, element, lhs, rhs, expected, magnitudes, s.contracted, random);
}

struct ConvolutionShape {
  int64_t batch = 1, inputs = 1, outputs = 1, feature_groups = 1, batch_groups = 1;
  std::vector<SpatialDimension> spatial;  // strides are filled in from the layout
};

// A layout is a permutation of the dimensions, named by their letters: b/f/o/i and digits, outermost first.
std::vector<int64_t> strides_for(const std::string &layout, const std::string &names,
                                 const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(names.size());
  int64_t stride = 1;
  for (size_t i = layout.size(); i-- > 0;) {
    size_t dimension = names.find(layout[i]);
    strides[dimension] = stride;
    stride *= sizes[dimension];
  }
  return strides;
}

void check_convolution(ConvolutionShape shape, const std::string &layouts, Element element,
                       const VectorTarget &target) {
  INFO("convolution " << layouts << " batch " << shape.batch << " inputs " << shape.inputs << " outputs "
                      << shape.outputs << " groups " << shape.feature_groups << " " << shape.batch_groups << " element "
                      << static_cast<int>(element) << " bits " << target.vector_bits);
  for (const SpatialDimension &d : shape.spatial) {
    UNSCOPED_INFO("  input " << d.input_size << " window " << d.window_size << " output " << d.output_size << " stride "
                             << d.stride << " padding " << d.padding_low << " dilation " << d.base_dilation << " "
                             << d.window_dilation << " reversed " << d.window_reversal);
  }
  std::mt19937 random(13);
  size_t rank = shape.spatial.size();
  std::string digits = std::string("0123").substr(0, rank);
  std::vector<int64_t> lhs_sizes = {shape.batch, shape.inputs};
  std::vector<int64_t> rhs_sizes = {shape.outputs, shape.inputs / shape.feature_groups};
  std::vector<int64_t> out_sizes = {shape.batch / shape.batch_groups, shape.outputs};
  for (const SpatialDimension &d : shape.spatial) {
    lhs_sizes.push_back(d.input_size);
    rhs_sizes.push_back(d.window_size);
    out_sizes.push_back(d.output_size);
  }
  size_t underscore = layouts.find('_');
  size_t arrow = layouts.find("->");
  auto lhs_strides = strides_for(layouts.substr(0, underscore), "bf" + digits, lhs_sizes);
  auto rhs_strides = strides_for(layouts.substr(underscore + 1, arrow - underscore - 1), "oi" + digits, rhs_sizes);
  auto out_strides = strides_for(layouts.substr(arrow + 2), "bf" + digits, out_sizes);
  auto product = [](const std::vector<int64_t> &sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  };
  Array lhs = make_array(product(lhs_sizes), element, true, random);
  Array rhs = make_array(product(rhs_sizes), element, true, random);
  std::vector<double> expected(static_cast<size_t>(product(out_sizes)));
  std::vector<double> magnitudes = expected;

  // Computes the expected values from the definition: one output after the other, every tap.
  auto unflatten = [](int64_t flat, const std::vector<int64_t> &sizes) {
    std::vector<int64_t> index(sizes.size());
    for (size_t i = sizes.size(); i-- > 0;) {
      index[i] = flat % sizes[i];
      flat /= sizes[i];
    }
    return index;
  };
  auto dot_strides = [](const std::vector<int64_t> &index, const std::vector<int64_t> &strides) {
    return static_cast<size_t>(std::inner_product(index.begin(), index.end(), strides.begin(), int64_t{0}));
  };
  std::vector<int64_t> tap_sizes = {rhs_sizes[1]};
  tap_sizes.insert(tap_sizes.end(), rhs_sizes.begin() + 2, rhs_sizes.end());
  int64_t taps = product(tap_sizes);
  for (int64_t flat = 0; flat < product(out_sizes); ++flat) {
    auto out = unflatten(flat, out_sizes);
    size_t at = dot_strides(out, out_strides);
    for (int64_t tap = 0; tap < taps; ++tap) {
      auto k = unflatten(tap, tap_sizes);
      int64_t feature_group = out[1] / (shape.outputs / shape.feature_groups);
      int64_t batch_group = out[1] / (shape.outputs / shape.batch_groups);
      std::vector<int64_t> in = {out[0] + batch_group * out_sizes[0], feature_group * rhs_sizes[1] + k[0]};
      std::vector<int64_t> filter = {out[1], k[0]};
      bool is_inside = true;
      for (size_t i = 0; i < rank; ++i) {
        const SpatialDimension &d = shape.spatial[i];
        int64_t position = out[i + 2] * d.stride + k[i + 1] * d.window_dilation - d.padding_low;
        is_inside &= position >= 0 && position % d.base_dilation == 0 && position / d.base_dilation < d.input_size;
        in.push_back(position / d.base_dilation);
        filter.push_back(d.window_reversal ? d.window_size - 1 - k[i + 1] : k[i + 1]);
      }
      if (is_inside) {
        double term = lhs.values[dot_strides(in, lhs_strides)] * rhs.values[dot_strides(filter, rhs_strides)];
        expected[at] += term;
        magnitudes[at] += std::abs(term);
      }
    }
  }
  auto build = [&](llvm::Module &module) {
    Convolution c;
    c.batch = shape.batch;
    c.input_features = shape.inputs;
    c.output_features = shape.outputs;
    c.feature_group_count = shape.feature_groups;
    c.batch_group_count = shape.batch_groups;
    c.input_batch_stride = lhs_strides[0];
    c.input_feature_stride = lhs_strides[1];
    c.filter_output_feature_stride = rhs_strides[0];
    c.filter_input_feature_stride = rhs_strides[1];
    c.output_batch_stride = out_strides[0];
    c.output_feature_stride = out_strides[1];
    for (size_t i = 0; i < rank; ++i) {
      SpatialDimension d = shape.spatial[i];
      d.input_stride = lhs_strides[i + 2];
      d.window_stride = rhs_strides[i + 2];
      d.output_stride = out_strides[i + 2];
      c.spatial.push_back(d);
    }
    c.types = types_of(module.getContext(), element);
    return emit_convolution(module, "kernel", target, c);
  };
  check_kernel(build, target, element, lhs, rhs, expected, magnitudes, taps, random);
}

SpatialDimension dimension(int64_t input, int64_t window, int64_t stride, int64_t low, int64_t high,
                           int64_t base_dilation = 1, int64_t window_dilation = 1, bool is_reversed = false) {
  SpatialDimension d;
  d.input_size = input;
  d.window_size = window;
  int64_t dilated = input == 0 ? 0 : (input - 1) * base_dilation + 1;
  int64_t reach = (window - 1) * window_dilation + 1;
  d.output_size = std::max<int64_t>(0, (dilated + low + high - reach) / stride + 1);
  d.stride = stride;
  d.padding_low = low;
  d.base_dilation = base_dilation;
  d.window_dilation = window_dilation;
  d.window_reversal = is_reversed;
  return d;
}

// Products and convolutions of elements that the target multiplies several of at a time.
void check_word_products(Element element, const VectorTarget &target) {
  INFO("kind " << static_cast<int>(target.integer_dot));
  const bool is_bf16 = element == Element::bf16;
  for (const DotShape shape : {DotShape{1, 65, 33, 17},
                               {2, 9, 70, 4},
                               {1, 40, 50, 1001},
                               {1, 129, 257, 65},
                               {1, 12, 70, 770},
                               {3, 16, 16, 32}}) {
    for (int transpose : {0, 1, 2, 3, 4, 7}) {
      check_dot(shape, transpose, element, target);
      if (is_bf16) {
        check_dot(shape, transpose, element, target, true);
      }
    }
  }
  for (const char *layouts : {"b01f_01io->b01f", "bf01_oi01->bf01", "b01f_01oi->b01f"}) {
    check_convolution({1, 20, 37, 1, 1, {dimension(9, 3, 1, 1, 1), dimension(9, 3, 1, 1, 1)}}, layouts, element,
                      target);
    check_convolution({2, 3, 32, 1, 1, {dimension(20, 3, 2, 1, 1), dimension(20, 3, 2, 1, 1)}}, layouts, element,
                      target);
  }
}

bool host_has(const char *feature) {
  return llvm::sys::getHostCPUFeatures().lookup(feature);
}

// Tells the test runner why a test ends without a check.
void skip(const char *missing) {
  std::printf("skipped: this machine has no %s\n", missing);
}

}  // namespace

TEST_CASE("dots of many shapes and layouts") {
  for (DotShape shape : {DotShape{1, 1, 1, 1},
                         {1, 64, 64, 64},
                         {2, 17, 33, 31},
                         {1, 129, 257, 65},
                         {3, 5, 7, 3},
                         {1, 1, 100, 129},
                         {1, 100, 1, 129},
                         {1, 7, 130, 64},
                         {33, 3, 3, 3},
                         {1, 20, 50, 1000},
                         {2, 0, 5, 3},
                         {2, 3, 5, 0},
                         {40, 2, 1, 5},
                         {2, 3, 4, 200}}) {
    for (int transpose : {0, 1, 2, 3, 4, 7}) {
      check_dot(shape, transpose, Element::f32, avx512);
    }
    check_dot(shape, 8, Element::f32, avx512);
    check_dot(shape, 0, Element::f64, avx512);
    check_dot(shape, 3, Element::bf16, avx512);
  }
}

TEST_CASE("one row or column times a matrix larger than caches") {
  for (Element element : {Element::f32, Element::f64, Element::bf16, Element::s32, Element::s8_to_s32}) {
    check_dot({1, 1, 2048, 300}, 0, element, avx512);
    check_dot({2, 1, 1030, 517}, 0, element, avx2);
    check_dot({1, 2060, 1, 260}, 1, element, avx512);
  }
  check_dot({1, 1, 4099, 133}, 0, Element::f32, avx512, true);
  check_dot({1, 1, 4099, 133}, 0, Element::f32, sse2, true);
}

TEST_CASE("dots of other element types and narrower vectors") {
  for (DotShape shape : {DotShape{1, 65, 33, 17}, {2, 9, 3, 70}, {3, 2, 2, 2}}) {
    for (Element element :
         {Element::f32, Element::f64, Element::bf16, Element::f16, Element::s32, Element::s8_to_s32}) {
      for (int transpose : {0, 3, 6}) {
        check_dot(shape, transpose, element, avx2);
        check_dot(shape, transpose, element, avx512);
      }
    }
    check_dot(shape, 0, Element::f32, sse2);
    check_dot(shape, 3, Element::s32, sse2);
  }
}

TEST_CASE("integer dot products of bytes") {
  for (VectorTarget target : {sse2, avx2, avx512}) {
    if (target.vector_bits < 512 || host_has("avx512bw")) {
      target.integer_dot = IntegerDot::PairsOf16;
      check_word_products(Element::s8_to_s32, target);
      check_word_products(Element::u8_to_s32, target);
    }
  }
}

TEST_CASE("integer dot products of unsigned by signed bytes") {
  if (!host_has("avx512vnni")) {
    return skip("AVX-512 VNNI");
  }
  VectorTarget target = avx512;
  target.integer_dot = IntegerDot::UnsignedBySigned;
  check_word_products(Element::s8_to_s32, target);
  check_word_products(Element::u8_to_s32, target);
}

TEST_CASE("products of tiles of bytes") {
  if (!host_has("amx-int8") || !use_tiles()) {
    return skip("AMX-INT8");
  }
  VectorTarget target = avx512;
  target.has_byte_tiles = true;
  check_word_products(Element::s8_to_s32, target);
  check_word_products(Element::u8_to_s32, target);
}

TEST_CASE("products of pairs of bf16") {
  if (!host_has("avx512bf16")) {
    return skip("AVX512-BF16");
  }
  VectorTarget target = avx512;
  target.has_bf16_dot = true;
  check_word_products(Element::bf16, target);
}

TEST_CASE("products of tiles of bf16") {
  if (!host_has("amx-bf16") || !use_tiles()) {
    return skip("AMX-BF16");
  }
  VectorTarget target = avx512;
  target.has_bf16_tiles = true;
  check_word_products(Element::bf16, target);
}

TEST_CASE("an epilogue sees the sums and where they go") {
  for (DotShape shape : {DotShape{2, 60, 70, 20}, {3, 5, 7, 3}, {1, 100, 1, 129}, {20, 2, 1, 5}}) {
    for (int transpose : {0, 4, 8}) {
      check_dot(shape, transpose, Element::f32, avx512, true);
    }
  }
}

TEST_CASE("convolutions as models use them") {
  auto check = [](const ConvolutionShape &shape, const std::string &layouts) {
    check_convolution(shape, layouts, Element::f32, avx512);
  };
  // Residual networks, batch innermost but one, filters along output features.
  check({1, 20, 37, 1, 1, {dimension(9, 3, 1, 1, 1), dimension(9, 3, 1, 1, 1)}}, "b01f_01io->b01f");
  check({1, 64, 64, 1, 1, {dimension(7, 3, 1, 1, 1), dimension(7, 3, 1, 1, 1)}}, "b01f_01io->b01f");
  check({2, 24, 40, 1, 1, {dimension(14, 1, 2, 0, 0), dimension(14, 1, 2, 0, 0)}}, "b01f_01io->b01f");
  check({1, 3, 64, 1, 1, {dimension(31, 7, 2, 0, 0), dimension(31, 7, 2, 0, 0)}}, "b01f_01io->b01f");
  check({1, 128, 48, 1, 1, {dimension(7, 1, 1, 0, 0), dimension(7, 1, 1, 0, 0)}}, "b01f_01io->b01f");
  // A training step of a network with depthwise convolutions: forward, by input, by filter.
  check({5, 48, 24, 1, 1, {dimension(7, 1, 1, 0, 0), dimension(7, 1, 1, 0, 0)}}, "bf01_oi01->bf01");
  check({3, 16, 24, 1, 1, {dimension(14, 1, 1, 0, 0), dimension(14, 1, 1, 0, 0)}}, "bf01_01io->bf01");
  check({3, 3, 32, 1, 1, {dimension(20, 3, 2, 1, 1), dimension(20, 3, 2, 1, 1)}}, "bf01_oi01->bf01");
  check({2, 9, 9, 9, 1, {dimension(14, 3, 1, 1, 1), dimension(14, 3, 1, 1, 1)}}, "bf01_oi01->bf01");
  check({5, 6, 6, 6, 1, {dimension(7, 3, 1, 1, 1), dimension(7, 3, 1, 1, 1)}}, "bf01_01oi->bf01");
  check({2, 6, 6, 6, 1, {dimension(28, 3, 2, 1, 1), dimension(28, 3, 2, 1, 1)}}, "bf01_oi01->bf01");
  check({2, 8, 8, 8, 1, {dimension(14, 3, 1, 1, 2, 2), dimension(14, 3, 1, 1, 2, 2)}}, "bf01_01oi->bf01");
  check({2, 32, 3, 1, 1, {dimension(12, 3, 1, 1, 2, 2), dimension(12, 3, 1, 1, 2, 2)}}, "bf01_01oi->bf01");
  check({6, 4, 6, 1, 6, {dimension(7, 7, 1, 1, 1), dimension(7, 7, 1, 1, 1)}}, "fb01_io01->01bf");
  check({6, 2, 6, 1, 6, {dimension(28, 28, 1, 1, 1), dimension(28, 28, 1, 1, 1)}}, "fb01_io01->01bf");
  check({4, 3, 4, 1, 4, {dimension(28, 14, 1, 1, 0, 1, 2), dimension(28, 14, 1, 1, 0, 1, 2)}}, "fb01_io01->01bf");
  check({24, 5, 40, 1, 1, {dimension(7, 7, 1, 0, 0), dimension(7, 7, 1, 0, 0)}}, "fb01_io01->01bf");
  check({3, 5, 32, 1, 1, {dimension(24, 12, 1, 1, 0, 1, 2), dimension(24, 12, 1, 1, 0, 1, 2)}}, "fb01_io01->01bf");
  // Channels last: depthwise, its gradients, transposed.
  check({2, 33, 33, 33, 1, {dimension(9, 3, 1, 1, 1), dimension(9, 3, 1, 1, 1)}}, "b01f_01io->b01f");
  check({2, 40, 40, 40, 1, {dimension(14, 5, 1, 2, 2), dimension(14, 5, 1, 2, 2)}}, "b01f_01io->b01f");
  check({1, 130, 130, 130, 1, {dimension(7, 7, 1, 3, 3), dimension(7, 7, 1, 3, 3)}}, "b01f_01io->b01f");
  check({1, 48, 48, 48, 1, {dimension(28, 5, 2, 1, 2), dimension(27, 5, 2, 2, 2)}}, "b01f_01io->b01f");
  check({2, 12, 24, 12, 1, {dimension(9, 3, 2, 0, 1), dimension(9, 3, 2, 0, 1)}}, "b01f_01io->b01f");
  check({34, 3, 34, 1, 34, {dimension(9, 9, 1, 1, 1), dimension(9, 9, 1, 1, 1)}}, "f01b_i01o->01bf");
  check({1, 20, 12, 1, 1, {dimension(6, 4, 1, 2, 2, 2), dimension(6, 4, 1, 2, 2, 2)}}, "b01f_01oi->b01f");
}

TEST_CASE("convolutions with every attribute") {
  for (Element element : {Element::f32, Element::f64, Element::bf16, Element::s32}) {
    auto check = [&](const ConvolutionShape &shape, const std::string &layouts) {
      check_convolution(shape, layouts, element, element == Element::f32 ? avx2 : avx512);
    };
    check({2, 3, 5, 1, 1, {dimension(17, 4, 3, 2, -1, 2, 3, true), dimension(11, 3, 2, -2, 5, 1, 2)}},
          "b01f_01io->b01f");
    check({2, 24, 20, 4, 1, {dimension(19, 3, 2, -1, 3, 1, 2)}}, "bf0_oi0->bf0");
    // Depthwise, with channels as neighbours.
    check({2, 24, 24, 24, 1, {dimension(13, 3, 2, -1, 4, 1, 2, true), dimension(11, 4, 3, 2, 1, 2)}},
          "b01f_01io->b01f");
    check({3, 37, 37, 37, 1, {dimension(19, 6, 2, 5, -1)}}, "b0f_0io->b0f");
    check({2, 17, 17, 17, 1, {dimension(9, 3, 1, 1, 1), dimension(5, 2, 1, 0, 1), dimension(8, 5, 2, 3, 2)}},
          "b012f_012io->b012f");
    check({2, 6, 9, 3, 1, {dimension(5, 2, 1, 1, 1), dimension(6, 3, 2, 1, 1, 2), dimension(4, 2, 1, 0, 1, 1, 2)}},
          "b012f_012io->b012f");
    check({8, 6, 8, 1, 4, {dimension(9, 5, 1, 2, 2, 1, 1, true), dimension(8, 3, 1, 1, 1)}}, "bf01_oi01->bf01");
    check({3, 40, 17, 1, 1, {}}, "bf_io->bf");
    check({2, 3, 4, 1, 1, {dimension(0, 2, 1, 3, 2), dimension(4, 2, 1, 0, 0)}}, "bf01_oi01->bf01");
    check({2, 3, 4, 1, 1, {dimension(1, 1, 1, 3, 2), dimension(1, 3, 1, 1, 1)}}, "bf01_oi01->bf01");
    check({0, 3, 4, 1, 1, {dimension(5, 2, 1, 3, 2)}}, "bf0_oi0->bf0");
    check({2, 3, 4, 1, 1, {dimension(6, 2, 5, 40, -3, 7, 3)}}, "bf0_oi0->0bf");
  }
}
