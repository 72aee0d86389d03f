// PTX without a GPU: whole models become kernels for every target, and ptxas, where there is one, takes them.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "backplane/ext/thread_pool.h"
#include "core/text/parser.h"
#include "plugins/nvptx/tests/programs.h"
#include "tools/testing/skip.h"
#include "tools/testing/source_tree.h"
#include "tools/testing/temporary_folder.h"

namespace bp::nvptx::tests {
namespace {

// Functions of every float, which need the most registers.
const char *const functions = R"(HloModule functions
  ENTRY main {
    h = bf16[64,96] parameter(0)
    x = f32[64,96] parameter(1)
    d = f64[64,96] parameter(2)
    z = c64[64,96] parameter(3)
    h0 = bf16[64,96] tanh(h)
    h1 = bf16[64,96] sine(h0)
    h2 = bf16[64,96] log(h1)
    x0 = f32[64,96] erf(x)
    x1 = f32[64,96] tan(x0)
    x2 = f32[64,96] power(x1, x)
    x3 = f32[64,96] cbrt(x2)
    d0 = f64[64,96] cosine(d)
    d1 = f64[64,96] atan2(d0, d)
    d2 = f64[64,96] erf(d1)
    d3 = f64[64,96] power(d2, d)
    z0 = c64[64,96] exponential(z)
    z1 = c64[64,96] divide(z0, z)
    z2 = c64[64,96] sqrt(z1)
    ROOT r = (bf16[64,96], f32[64,96], f64[64,96], c64[64,96]) tuple(h2, x3, d3, z2)
  })";

// Products for tensor cores, large and small, from every layout.
const char *const contractions = R"(HloModule contractions
  ENTRY main {
    a = bf16[4096,4096] parameter(0)
    b = bf16[4096,4096] parameter(1)
    c = f16[512,512] parameter(2)
    d = s8[4096,4096] parameter(3)
    e = s8[512,512] parameter(4)
    f = f32[512,512] parameter(5)
    image = bf16[8,56,56,64] parameter(6)
    filter = bf16[3,3,64,256] parameter(7)
    bias = f32[4096] parameter(8)
    g = f8e4m3fn[4096,4096] parameter(9)
    zero = f32[] constant(0)
    sums = f32[4096,4096] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    biases = f32[4096,4096] broadcast(bias), dimensions={1}
    zeros = f32[4096,4096] broadcast(zero), dimensions={}
    biased = f32[4096,4096] add(sums, biases)
    layer = f32[4096,4096] maximum(biased, zeros)
    turned = bf16[4096,4096] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}
    halves = f16[512,512] dot(c, c), lhs_contracting_dims={0}, rhs_contracting_dims={1}
    eighths = f32[4096,4096] dot(g, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    bytes = s32[4096,4096] dot(d, d), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    few_bytes = s32[512,512] dot(e, e), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    rounded = f32[512,512] dot(f, f), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    image_sums = bf16[8,56,56,256] convolution(image, filter), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
    ROOT r = (f32[4096,4096], f32[4096,4096], bf16[4096,4096], f16[512,512], s32[4096,4096], s32[512,512], f32[512,512], bf16[8,56,56,256])
      tuple(layer, eighths, turned, halves, bytes, few_bytes, rounded, image_sums)
  })";

// The other ways of multiplying: threads with a part of the larger operand each, computed operands, and elements
// without a matrix unit.
const char *const more_contractions = R"(HloModule more_contractions
  ENTRY main {
    few = bf16[3,2048] parameter(0)
    weights = bf16[2048,2048] parameter(1)
    narrow_weights = s8[2048,2048] parameter(2)
    scale = bf16[2048] parameter(3)
    many = bf16[512,2048] parameter(4)
    bytes = u8[512,512] parameter(5)
    doubles = f64[128,128] parameter(6)
    image = f32[4,28,28,32] parameter(7)
    filter = f32[3,3,32,64] parameter(8)
    deep_filter = f32[3,3,1,32] parameter(9)
    byte_image = s8[4,28,28,32] parameter(10)
    byte_filter = s8[3,3,32,64] parameter(11)
    numbers = c64[64,64] parameter(12)
    quarters = s4[512,2048] parameter(13)
    few_sums = f32[3,2048] dot(few, weights), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    few_turned = f32[3,2048] dot(few, weights), lhs_contracting_dims={1}, rhs_contracting_dims={1}
    wide = bf16[2048,2048] convert(narrow_weights)
    scales = bf16[2048,2048] broadcast(scale), dimensions={1}
    scaled = bf16[2048,2048] multiply(wide, scales)
    of_scaled = f32[512,2048] dot(many, scaled), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    few_of_scaled = f32[3,2048] dot(few, scaled), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    wide_quarters = bf16[512,2048] convert(quarters)
    of_quarters = f32[512,2048] dot(wide_quarters, weights), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    of_bytes = u32[512,512] dot(bytes, bytes), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    of_doubles = f64[128,128] dot(doubles, doubles), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    of_numbers = c64[64,64] dot(numbers, numbers), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    of_image = f32[4,28,28,64] convolution(image, filter), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
    deep = f32[4,28,28,32] convolution(image, deep_filter), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f,
      feature_group_count=32
    of_byte_image = s32[4,28,28,64] convolution(byte_image, byte_filter), window={size=3x3 pad=1_1x1_1},
      dim_labels=b01f_01io->b01f
    ROOT r = (f32[3,2048], f32[3,2048], f32[512,2048], f32[3,2048], f32[512,2048], u32[512,512], f64[128,128], c64[64,64],
      f32[4,28,28,64], f32[4,28,28,32], s32[4,28,28,64]) tuple(few_sums, few_turned, of_scaled, few_of_scaled, of_quarters,
      of_bytes, of_doubles, of_numbers, of_image, deep, of_byte_image)
  })";

// The other kinds with narrow and wide types, with several values at once, and with places known only at run time.
const char *const more_kinds = R"(HloModule more_kinds
  add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
  add_integers { p = s32[] parameter(0)  q = s32[] parameter(1)  ROOT r = s32[] add(p, q) }
  add_bytes { p = s8[] parameter(0)  q = s8[] parameter(1)  ROOT r = s8[] add(p, q) }
  add_narrow { p = bf16[] parameter(0)  q = bf16[] parameter(1)  ROOT r = bf16[] add(p, q) }
  larger_narrow { p = bf16[] parameter(0)  q = bf16[] parameter(1)  ROOT r = bf16[] maximum(p, q) }
  less_bytes { p = s8[] parameter(0)  q = s8[] parameter(1)  ROOT r = pred[] compare(p, q), direction=LT }
  less_narrow { p = bf16[] parameter(0)  q = bf16[] parameter(1)  ROOT r = pred[] compare(p, q), direction=LT }
  more_narrow { p = bf16[] parameter(0)  q = bf16[] parameter(1)  ROOT r = pred[] compare(p, q), direction=GE }
  largest { a = f32[] parameter(0)  i = s32[] parameter(1)  b = f32[] parameter(2)  j = s32[] parameter(3)
    more = pred[] compare(a, b), direction=GT  v = f32[] select(more, a, b)  n = s32[] select(more, i, j)
    ROOT r = (f32[], s32[]) tuple(v, n) }
  ENTRY main {
    x = f32[64,96] parameter(0)
    i = s32[300,1] parameter(1)
    u = f32[300,96] parameter(2)
    integers = s32[64,96] parameter(3)
    integer_updates = s32[300,96] parameter(4)
    bytes = s8[64,5000] parameter(5)
    byte_updates = s8[300,5000] parameter(6)
    narrow = bf16[64,5000] parameter(7)
    quarters = s4[64,96] parameter(8)
    z = c64[64,96] parameter(9)
    state = u64[3] parameter(10)
    image = bf16[8,32,32,16] parameter(11)
    parts = bf16[8,16,16,16] parameter(12)
    zero = f32[] constant(0)
    narrow_zero = bf16[] constant(0)
    least = bf16[] constant(-inf)
    no_place = s32[] constant(0)
    atomic = s32[64,96] scatter(integers, i, integer_updates), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_integers
    atomic_bytes = s8[64,5000] scatter(bytes, i, byte_updates), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_bytes
    in_order = f32[64,96] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    sorted_bytes = s8[64,5000] sort(bytes), dimensions={1}, to_apply=less_bytes
    sorted_narrow = bf16[64,5000] sort(narrow), dimensions={1}, to_apply=less_narrow
    pooled = bf16[8,16,16,16] reduce-window(image, least), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=larger_narrow
    chosen = bf16[8,32,32,16] select-and-scatter(image, parts, narrow_zero), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, select=more_narrow, scatter=add_narrow
    places = s32[64,96] iota(), iota_dimension=1
    best = (f32[64], s32[64]) reduce(x, places, zero, no_place), dimensions={1}, to_apply=largest
    best_place = s32[64] get-tuple-element(best), index=1
    more_quarters = s4[64,96] add(quarters, quarters)
    turned_quarters = s4[96,64] transpose(more_quarters), dimensions={1,0}
    whole_quarters = f32[64,96] convert(quarters)
    product = c64[64,96] multiply(z, z)
    turned_numbers = c64[96,64] transpose(product), dimensions={1,0}
    length = f32[64,96] abs(z)
    philox = (u64[3], u32[40]) rng-bit-generator(state), algorithm=rng_philox
    threefry = (u64[3], u16[40]) rng-bit-generator(state), algorithm=rng_three_fry
    philox_bits = u32[40] get-tuple-element(philox), index=1
    threefry_bits = u16[40] get-tuple-element(threefry), index=1
    ROOT r = (s32[64,96], s8[64,5000], f32[64,96], s8[64,5000], bf16[64,5000], bf16[8,16,16,16], bf16[8,32,32,16], s32[64], s4[96,64], f32[64,96], c64[96,64], f32[64,96], u32[40], u16[40])
      tuple(atomic, atomic_bytes, in_order, sorted_bytes, sorted_narrow, pooled, chosen, best_place, turned_quarters, whole_quarters, turned_numbers, length, philox_bits, threefry_bits)
  })";

// In few and long rows, which get the largest teams.
const char *const rows_of_functions = R"(HloModule rows_of_functions
  add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }
  larger { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] maximum(p, q) }
  add_narrow { p = bf16[] parameter(0)  q = bf16[] parameter(1)  ROOT r = bf16[] add(p, q) }
  add_complex { p = c64[] parameter(0)  q = c64[] parameter(1)  ROOT r = c64[] add(p, q) }
  add_doubles { p = f64[] parameter(0)  q = f64[] parameter(1)  ROOT r = f64[] add(p, q) }
  ENTRY main {
    x = f32[64,8192] parameter(0)
    y = f32[64,8192] parameter(1)
    d = f64[16,8192] parameter(2)
    b = bf16[32,8192] parameter(3)
    c = c64[16,8192] parameter(4)
    zero = f32[] constant(0)
    least = f32[] constant(-inf)
    angle = f32[64,8192] atan2(x, y)
    cosines = f32[64,8192] cosine(angle)
    errors = f32[64,8192] erf(y)
    powers = f32[64,8192] power(cosines, errors)
    sum = f32[64] reduce(powers, zero), dimensions={1}, to_apply=add
    most = f32[64] reduce(errors, least), dimensions={1}, to_apply=larger
    sums = f32[64,8192] broadcast(sum), dimensions={0}
    mosts = f32[64,8192] broadcast(most), dimensions={0}
    parts = f32[64,8192] divide(powers, sums)
    tangents = f32[64,8192] tan(parts)
    one = f32[64,8192] multiply(tangents, mosts)
    sines = f32[64,8192] sine(x)
    cosines_x = f32[64,8192] cosine(x)
    products = f32[64,8192] multiply(sines, cosines_x)
    sum_of_products = f32[64] reduce(products, zero), dimensions={1}, to_apply=add
    sums_of_products = f32[64,8192] broadcast(sum_of_products), dimensions={0}
    two = f32[64,8192] divide(products, sums_of_products)
    zero_double = f64[] constant(0)
    double_powers = f64[16,8192] power(d, d)
    double_sines = f64[16,8192] sine(double_powers)
    double_sum = f64[16] reduce(double_sines, zero_double), dimensions={1}, to_apply=add_doubles
    double_sums = f64[16,8192] broadcast(double_sum), dimensions={0}
    three = f64[16,8192] divide(double_sines, double_sums)
    zero_narrow = bf16[] constant(0)
    narrow_powers = bf16[32,8192] power(b, b)
    narrow_sum = bf16[32] reduce(narrow_powers, zero_narrow), dimensions={1}, to_apply=add_narrow
    narrow_sums = bf16[32,8192] broadcast(narrow_sum), dimensions={0}
    four = bf16[32,8192] divide(narrow_powers, narrow_sums)
    zero_complex = c64[] constant((0, 0))
    complex_powers = c64[16,8192] exponential(c)
    complex_sum = c64[16] reduce(complex_powers, zero_complex), dimensions={1}, to_apply=add_complex
    complex_sums = c64[16,8192] broadcast(complex_sum), dimensions={0}
    five = c64[16,8192] divide(complex_powers, complex_sums)
    ROOT r = (f32[64,8192], f32[64,8192], f64[16,8192], bf16[32,8192], c64[16,8192]) tuple(one, two, three, four, five)
  })";

// Reductions of columns: sums in registers, and functions that need other registers as well.
const char *const columns_of_functions = R"(HloModule columns_of_functions
  add {
    a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)  d = f32[] parameter(3)
    e = f32[] parameter(4)  f = f32[] parameter(5)  g = f32[] parameter(6)  h = f32[] parameter(7)
    ae = f32[] add(a, e)
    bf = f32[] add(b, f)
    cg = f32[] add(c, g)
    dh = f32[] add(d, h)
    ROOT r = (f32[], f32[], f32[], f32[]) tuple(ae, bf, cg, dh)
  }
  add_complex {
    a = c64[] parameter(0)  b = c64[] parameter(1)  c = c64[] parameter(2)  d = c64[] parameter(3)
    ac = c64[] add(a, c)
    bd = c64[] add(b, d)
    ROOT r = (c64[], c64[]) tuple(ac, bd)
  }
  powers {
    x = f32[8192,64] parameter(0)
    y = f32[8192,64] parameter(1)
    start = f32[] parameter(2)
    xx = f32[8192,64] power(x, x)
    xy = f32[8192,64] power(x, y)
    yx = f32[8192,64] power(y, x)
    yy = f32[8192,64] power(y, y)
    ROOT r = (f32[64], f32[64], f32[64], f32[64]) reduce(xx, xy, yx, yy, start, start, start, start), dimensions={0}, to_apply=add
  }
  exponentials {
    x = c64[8192,64] parameter(0)
    y = c64[8192,64] parameter(1)
    start = c64[] parameter(2)
    ex = c64[8192,64] exponential(x)
    ey = c64[8192,64] exponential(y)
    ROOT r = (c64[64], c64[64]) reduce(ex, ey, start, start), dimensions={0}, to_apply=add_complex
  }
  ENTRY main {
    x = f32[8192,64] parameter(0)
    y = f32[8192,64] parameter(1)
    start = f32[] parameter(2)
    v = c64[8192,64] parameter(3)
    w = c64[8192,64] parameter(4)
    start_complex = c64[] parameter(5)
    p = (f32[64], f32[64], f32[64], f32[64]) fusion(x, y, start), kind=kInput, calls=powers
    e = (c64[64], c64[64]) fusion(v, w, start_complex), kind=kInput, calls=exponentials
    p0 = f32[64] get-tuple-element(p), index=0
    p3 = f32[64] get-tuple-element(p), index=3
    e1 = c64[64] get-tuple-element(e), index=1
    ROOT r = (f32[64], f32[64], c64[64]) tuple(p0, p3, e1)
  })";

bool has_ptxas() {
  static const bool has = std::system("ptxas --version > /dev/null 2>&1") == 0;
  if (!has) {
    testing::skip("there is no ptxas, which comes with a CUDA toolkit");
  }
  return has;
}

// The threads of a block have a GPU's registers among them, which it cannot be started without. Up to 256 always find
// as many as a thread can have; kernels of more, or of more than one block at a time, say how many there are.
void check_registers(const std::string &ptx, const std::string &log) {
  const std::regex entries("\\.entry (kernel_\\d+)\\([^)]*\\)\\s*\\.maxntid (\\d+)[^{]*\\.minnctapersm (\\d+)");
  std::map<std::string, int> threads;
  for (std::sregex_iterator entry(ptx.begin(), ptx.end(), entries), end; entry != end; ++entry) {
    threads[(*entry)[1]] = std::stoi((*entry)[2]) * std::stoi((*entry)[3]);
    CHECK(threads[(*entry)[1]] > 256);
  }
  const std::regex kernels("entry function '(kernel_\\d+)' for '\\w+'[^']*?Used (\\d+) registers");
  std::size_t found = 0;
  for (std::sregex_iterator kernel(log.begin(), log.end(), kernels), end; kernel != end; ++kernel) {
    const auto many = threads.find((*kernel)[1]);
    found += many != threads.end();
    CHECK((many == threads.end() ? 256 : many->second) * std::stoi((*kernel)[2]) <= 65536);
  }
  CHECK(found == threads.size());
}

// It is assembled, no kernel keeps registers in memory, and nothing is warned of.
void check_with_ptxas(const std::string &ptx, const std::string &target) {
  const testing::TemporaryFolder folder;
  const std::string file = folder / "code";
  testing::write_file(file + ".ptx", ptx);
  const int status = std::system(
      ("ptxas -v -arch=" + target + " " + file + ".ptx -o " + file + ".cubin > " + file + ".log 2>&1").c_str());
  const std::string log = testing::read_file(file + ".log");
  INFO(log);
  CHECK(status == 0);
  CHECK(count(log, "Compiling entry function") == count(ptx, "\\.entry "));
  CHECK(count(log, " bytes spill stores") == count(log, " 0 bytes spill stores, 0 bytes spill loads"));
  check_registers(ptx, log);
  CHECK(log.find("warning") == std::string::npos);
  CHECK(log.find("serializ") == std::string::npos);  // of tensor core instructions, one after the other
}

// All of it is the device's, for every target.
void check_model(const std::filesystem::path &file) {
  const Module module = read_module(file.string()).value();
  const bool assembles = has_ptxas();
  for (const std::string target : targets) {
    INFO(file.filename().string() << " for " << target);
    const std::string ptx = ptx_of(module, target);
    CHECK(ptx.find(".target " + target + "\n") != std::string::npos);
    CHECK(count(ptx, "\\.entry ") > 0);
    if (assembles) {
      check_with_ptxas(ptx, target);
    }
  }
}

}  // namespace

TEST_CASE("ptxas takes every kind of kernel, for every target, and none spills registers") {
  if (!has_ptxas()) {
    return;
  }
  for (const std::string target : targets) {
    for (const char *program : {kinds, more_kinds, functions, contractions, more_contractions}) {
      INFO(target);
      check_with_ptxas(ptx_of(text::parse_module(program).value(), target, {}, {{"tf32", "1"}}), target);
    }
  }
}

TEST_CASE("as many threads share a row or columns as have registers for what they compute, for every target") {
  if (!has_ptxas()) {
    return;
  }
  for (const std::string target : targets) {
    for (const char *program : {rows_of_functions, columns_of_functions}) {
      INFO(target);
      check_with_ptxas(ptx_of(text::parse_module(program).value(), target), target);
    }
  }
}

TEST_CASE("as many threads share the sums of few rows as have registers for them, for every target") {
  if (!has_ptxas()) {
    return;
  }
  std::string parameters, dots, shapes, names;
  for (const auto &[type, result] : {std::pair("bf16", "f32"), {"f32", "f32"}, {"f64", "f64"}, {"s8", "s32"}}) {
    parameters += fmt::format("  y_{0} = {0}[2048,2048] parameter({1})\n", type, count(parameters, "parameter"));
    for (const int rows : {2, 4, 5, 8, 15}) {
      parameters +=
          fmt::format("  x_{0}_{1} = {0}[{1},2048] parameter({2})\n", type, rows, count(parameters, "parameter"));
      dots += fmt::format(
          "  r_{0}_{1} = {2}[{1},2048] dot(x_{0}_{1}, y_{0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
          type, rows, result);
      shapes += fmt::format("{}{}[{},2048]", shapes.empty() ? "" : ", ", result, rows);
      names += fmt::format("{}r_{}_{}", names.empty() ? "" : ", ", type, rows);
    }
  }
  const std::string program = fmt::format("HloModule few_rows\nENTRY main {{\n{}{}  ROOT r = ({}) tuple({})\n}}",
                                          parameters, dots, shapes, names);
  for (const std::string target : targets) {
    INFO(target);
    check_with_ptxas(ptx_of(text::parse_module(program).value(), target), target);
  }
}

// Most GPUs have an f64 unit for 32 or 64 of f32. Complex functions need the digits: cancellation takes those of f32.
TEST_CASE("functions of f32 and narrower floats, and conversions between them, use no f64") {
  constexpr std::array functions = {
      "abs",
      "acos",
      "acosh",
      "asin",
      "asinh",
      "atan",
      "atanh",
      "cbrt",
      "ceil",
      "cosine",
      "cosh",
      "erf",
      "exponential",
      "exponential-minus-one",
      "floor",
      "log",
      "log-plus-one",
      "logistic",
      "negate",
      "round-nearest-afz",
      "round-nearest-even",
      "rsqrt",
      "sign",
      "sine",
      "sinh",
      "sqrt",
      "tan",
      "tanh",
  };
  std::vector<std::pair<std::string, std::string>> programs;
  const auto add = [&](const std::string &name, const std::string &parameters, const std::string &result) {
    programs.emplace_back(name, fmt::format("HloModule m\nENTRY main {{\n{}  ROOT r = {}\n}}", parameters, result));
  };
  for (const std::string type : {"f32", "f16", "bf16", "f8e5m2", "f8e4m3fn"}) {
    const std::string x = fmt::format("  x = {}[100] parameter(0)\n", type);
    for (const char *function : functions) {
      add(std::string(function) + " of " + type, x, fmt::format("{}[100] {}(x)", type, function));
    }
    for (const char *function :
         {"add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "atan2", "remainder"}) {
      add(std::string(function) + " of " + type, x + fmt::format("  y = {}[100] parameter(1)\n", type),
          fmt::format("{}[100] {}(x, y)", type, function));
    }
    for (const std::string other :
         {"f32", "f16", "bf16", "f8e5m2", "f8e4m3fn", "pred", "s8", "s32", "s64", "u32", "u64"}) {
      if (type == other) {
        continue;
      }
      add(type + " to " + other, x, other + "[100] convert(x)");
      add(other + " to " + type, fmt::format("  x = {}[100] parameter(0)\n", other), type + "[100] convert(x)");
    }
  }
  for (const auto &[name, program] : programs) {
    INFO(name);
    const std::string ptx = ptx_of(text::parse_module(program).value(), "sm_80");
    CHECK(count(ptx, "\\.entry ") > 0);
    CHECK(count(ptx, "\\.f64") == 0);
  }
}

TEST_CASE("f8 is converted by instructions where there are some") {
  const auto program = [](const std::string &from, const std::string &to) {
    return text::parse_module(fmt::format("HloModule m\nENTRY main {{ x = {}[1000] parameter(0)\n"
                                          "ROOT r = {}[1000] convert(x) }}",
                                          from, to))
        .value();
  };
  const std::string narrowing = "cvt\\.rn\\.satfinite\\.", widening = "cvt\\.rn\\.f16x2\\.";
  for (const std::string target : targets) {
    INFO(target);
    const bool has = target.starts_with("sm_90");
    for (const auto &[type, name] : {std::pair("f8e4m3fn", "e4m3x2"), {"f8e5m2", "e5m2x2"}}) {
      const std::string to = ptx_of(program("f32", type), target), from = ptx_of(program(type, "f16"), target);
      CHECK((count(to, narrowing + name) > 0) == has);
      CHECK((count(from, widening + name) > 0) == (has && type == std::string("f8e4m3fn")));
      if (has_ptxas()) {
        check_with_ptxas(to, target);
        check_with_ptxas(from, target);
      }
    }
    CHECK(count(ptx_of(program("f32", "f8e4m3fnuz"), target), "satfinite") == 0);
  }
  // A constant is decoded when there is no code yet.
  const Module doubling = text::parse_module(R"(HloModule doubling ENTRY main {
    x = f8e4m3fn[1000] parameter(0)  c = f8e4m3fn[] constant(2)  two = f8e4m3fn[1000] broadcast(c), dimensions={}
    ROOT r = f8e4m3fn[1000] multiply(x, two) })")
                              .value();
  CHECK(count(ptx_of(doubling, "sm_90"), "\\.entry ") == 1);
}

// Each of its kernels has what sine has: a function for large arguments, and a table.
TEST_CASE("PTX of many kernels is made in parts, which are one module, the same for any number of threads") {
  const Module module = text::parse_module(many_kernels()).value();
  const std::string ptx = ptx_of(module, "sm_90");
  CHECK(count(ptx, "\\.version ") == 1);
  CHECK(count(ptx, "\\.entry ") > 40);
  CHECK(count(ptx, "_part1\\b") > 0);
  const bool is_same = ptx == ptx_of(module, "sm_90", {BP_EXT_THREAD_POOL});
  CHECK(is_same);
  if (has_ptxas()) {
    check_with_ptxas(ptx, "sm_90");
  }
}

TEST_CASE("models compile for the device alone, for every target") {
  for (const char *name : {"convolutional_classifier.hlo", "transformer_block.hlo"}) {
    check_model(testing::find_in_source_tree("samples/models") / name);
  }
}

TEST_CASE("programs of benchmarks are compiled for the device alone, for every target") {
  if (std::getenv("BACKPLANE_TEST_FULL") == nullptr) {
    return;  // some seconds
  }
  std::size_t programs = 0;
  for (const auto &entry : std::filesystem::directory_iterator(testing::find_in_source_tree("tools/bench/gpu"))) {
    if (entry.path().extension() == ".hlo") {
      check_model(entry.path());
      ++programs;
    }
  }
  CHECK(programs > 0);
}

TEST_CASE("large models compile for the device alone, for every target") {
  if (std::getenv("BACKPLANE_TEST_FULL") == nullptr) {
    return;  // minutes
  }
  const std::filesystem::path models = testing::find_shared("corpus/hlo/models");
  if (models.empty()) {
    testing::skip("there is no folder corpus/hlo/models in ../shared");
    return;
  }
  for (const auto &entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() == ".hlo") {
      check_model(entry.path());
    }
  }
}

}  // namespace bp::nvptx::tests
