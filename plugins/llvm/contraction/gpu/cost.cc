// The model: the multiprocessor with the most work determines when a kernel ends. It runs its blocks in several rounds.
// Each round begins when memory has answered and ends when the results are written. In between, the multiprocessor
// multiplies, reads operands from the cache and from shared memory, and issues instructions, all concurrently; and
// memory delivers each operand once.
#include "plugins/llvm/contraction/gpu/cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plugins/llvm/contraction/split.h"

namespace bp::emit {

namespace {

// Facts common to NVIDIA's GPUs since 2018, from the CUDA C++ Programming Guide ("Compute Capabilities") and white
// papers. Per multiprocessor and cycle: thread instructions issued, bytes read from shared memory, bytes read from the
// L2 cache. Its registers; and shared memory that a block takes in addition to its own.
constexpr double issue_rate = 128, shared_rate = 128, cache_rate = 64;
constexpr double all_registers = 65'536, block_overhead = 1024;
// Approximate, from published measurements (Jia et al. 2019, Luo et al. 2024): cycles until memory answers, until the
// L2 cache answers, and until a block has read its shared memory, multiplied and waited, however little work that is.
constexpr double memory_latency = 600, cache_latency = 300, step_latency = 120;
// From the generated PTX: instructions to read some neighbours, and additional ones if they are in windows; registers
// of a thread in addition to its sums; reads that a thread by itself starts at once, and cycles from one number to the
// next.
constexpr double read_instructions = 20, window_instructions = 20, usual_registers = 64, thread_reads = 4,
                 thread_step = 40;
constexpr double scattered = 8;  // slowdown of a warp whose reads are scattered: 32 sectors of 32 bytes instead of 4
constexpr double vector_bytes = 16, usual_shared_bytes = 48 * 1024;

double size_of(const std::vector<Axis> &axes) {
  return static_cast<double>(total_size(axes));
}

double scalar_bytes(const llvm::Type *type) {
  return type->getScalarSizeInBits() / 8.0;
}

struct Sizes {
  explicit Sizes(const ContractionProblem &problem)
      : batch(size_of(problem.batch)),
        rows(size_of(problem.rows)),
        columns(size_of(problem.columns)),
        contracted(size_of(problem.contracted)) {}

  double results() const { return batch * rows * columns; }
  double products() const { return results() * contracted; }

  double batch, rows, columns, contracted;
};

double read_bytes(const ContractionProblem &problem, Operand operand) {
  return static_cast<double>(read_bits(problem, operand)) / 8;
}

// Returns the number of instructions for neighbours that are read at once.
double instructions_of_read(const ContractionProblem &problem) {
  const bool has_windows =
      std::ranges::any_of(problem.windows, [](const Window &window) { return window.size != Window::unbounded; });
  return read_instructions + (has_windows ? window_instructions : 0);
}

double product_rate(const ContractionProblem &problem, const GpuFacts &gpu) {
  return scalar_bytes(problem.types.accumulate) > 4 ? gpu.double_products : gpu.float_products;
}

// Returns the cycles of concurrent activities: those of the longest, plus a small delay by the others.
double side_by_side(std::initializer_list<double> cycles) {
  constexpr double delay = 0.1;
  const double longest = std::max(cycles);
  return longest + delay * (std::accumulate(cycles.begin(), cycles.end(), 0.0) - longest);
}

// Returns the cycles to read all existing elements, each once: windows that overlap refer to them more than once.
// on_their_way: bytes that are in flight at a time.
double memory_cycles(const ContractionProblem &problem, double on_their_way, const GpuFacts &gpu) {
  double bytes = Sizes(problem).results() * scalar_bytes(problem.types.out);
  for (const Operand operand : {lhs_operand, rhs_operand}) {
    double named = 1, reach = 1;
    for (const auto *axes : {&problem.batch, &problem.rows, &problem.columns, &problem.contracted}) {
      for (const Axis &axis : *axes) {
        const auto stride = std::abs(static_cast<double>(stride_of(axis, operand)));
        named *= stride > 0 ? static_cast<double>(axis.size) : 1;
        reach += stride * static_cast<double>(axis.size - 1);
      }
    }
    bytes += std::min(named, reach) * read_bytes(problem, operand);
  }
  return std::max(memory_latency + bytes / gpu.memory_bytes, memory_latency * bytes / on_their_way);
}

// Costs of multiplying tiles of one kind.
struct TileUnit {
  double rate;                  // products per cycle of a multiprocessor
  double element_bytes;         // bytes of an element in a slice
  int64_t depth;                // length of a slice along the contracted axes
  std::array<double, 2> reads;  // number of warps, or warpgroups, that read a row, and a column, from shared memory
  double shared_bytes = usual_shared_bytes;  // limit of shared memory per block
  double min_slices = 2;
};

TileUnit tile_unit(const ContractionProblem &problem, ContractionWay way, const GpuFacts &gpu) {
  if (way == ContractionWay::ScalarTiles) {
    return {.rate = product_rate(problem, gpu),
            .element_bytes = scalar_bytes(problem.types.accumulate),
            .depth = scalar_depth,
            .reads = {1, 8}};
  }
  const MatrixElement element = *matrix_element(problem.types);
  const auto index = static_cast<size_t>(element);
  const int64_t bytes = bytes_of(element);
  TileUnit unit = {.rate = gpu.matrix_products[index],
                   .element_bytes = static_cast<double>(bytes),
                   .depth = matrix_line_bytes / bytes,
                   .reads = {4, 2}};
  if (way == ContractionWay::WarpgroupTiles) {
    unit.rate = gpu.warpgroup_products[index];
    unit.depth = WarpgroupUnit::line_bytes / bytes;
    unit.reads = {1, 2};
    unit.shared_bytes = static_cast<double>(gpu.shared_bytes) - block_overhead;
    unit.min_slices = 3;
  }
  return unit;
}

// Work of a multiprocessor for a slice of both operands.
struct SliceWork {
  double instructions = 0;
  double read = 0, shared = 0;               // bytes from the cache; bytes from and to shared memory
  double kept = 0;                           // bytes stored in shared memory
  bool any_async = false, all_async = true;  // whether some, and all, are copied asynchronously
};

SliceWork slice_work(const ContractionProblem &problem, const ContractionShape &shape, const TileUnit &unit,
                     const GpuFacts &gpu) {
  SliceWork work;
  for (const bool is_rows : {true, false}) {
    const Operand operand = is_rows ? problem.row_operand : problem.column_operand;
    const int64_t tile = is_rows ? shape.rows : shape.columns;
    const int64_t lanes = piece_lanes(problem, is_rows ? problem.rows : problem.columns, operand, tile, unit.depth);
    const Prologue &prologue = problem.prologues[operand];
    const auto elements = static_cast<double>(tile * unit.depth);
    work.instructions += elements * (instructions_of_read(problem) / static_cast<double>(lanes) +
                                     static_cast<double>(prologue.operations));
    work.read += elements * read_bytes(problem, operand);
    work.kept += elements * unit.element_bytes;
    work.shared += elements * unit.element_bytes * (1 + unit.reads[is_rows ? 0 : 1]);
    const bool comes = gpu.has_async_copy && !prologue && lanes * read_bits(problem, operand) == 128;
    work.any_async |= comes;
    work.all_async &= comes;
  }
  return work;
}

double tile_cycles(const ContractionProblem &problem, const ContractionShape &shape, const GpuFacts &gpu) {
  const Sizes sizes(problem);
  const TileUnit unit = tile_unit(problem, shape.way, gpu);
  const SliceWork slice = slice_work(problem, shape, unit, gpu);
  const auto rows = static_cast<double>(shape.rows), columns = static_cast<double>(shape.columns);
  const auto multiprocessors = static_cast<double>(gpu.multiprocessors);
  const double tiles = sizes.batch * std::ceil(sizes.rows / rows) * std::ceil(sizes.columns / columns);
  const double of_one = std::ceil(tiles / multiprocessors), busy = std::min(tiles, multiprocessors);

  // Number of blocks that a multiprocessor runs at once.
  const double slices =
      slice.any_async ? std::clamp<double>(std::floor(unit.shared_bytes / slice.kept), unit.min_slices, max_slices)
                      : unit.min_slices;
  const double sums = rows * columns / tile_members * scalar_bytes(problem.types.accumulate) / 4;
  const double fitting = std::min({static_cast<double>(gpu.shared_bytes) / (slices * slice.kept + block_overhead),
                                   static_cast<double>(gpu.threads) / tile_members,
                                   all_registers / tile_members / (usual_registers + sums)});
  const double together = std::clamp(std::floor(fitting), 1.0, of_one);

  // Threads that copy slices through registers wait for each slice. With asynchronous copies, they wait only for the
  // slices after the first `ahead` ones.
  const auto depth = static_cast<double>(unit.depth);
  const double steps = std::ceil(sizes.contracted / depth), ahead = slice.all_async ? slices - 1 : 1;
  const double waited = slice.all_async ? std::max(0.0, 1 - ahead / steps) : 1;
  const double from_cache = std::min(cache_rate, gpu.cache_bytes / busy);
  const double products = rows * columns * depth;
  const double instructions = slice.instructions + (shape.way == ContractionWay::ScalarTiles ? products : 0);
  const double step =
      side_by_side({products / unit.rate, slice.shared / shared_rate, instructions / issue_rate,
                    slice.read / from_cache, (step_latency + waited * cache_latency / ahead) / together});
  const double written = together * rows * columns * scalar_bytes(problem.types.out);
  const double around = memory_latency + step_latency + written / from_cache;
  return side_by_side({memory_cycles(problem, busy * together * ahead * slice.read, gpu),
                       of_one * steps * step + std::ceil(of_one / together) * around});
}

double split_cycles(const ContractionProblem &problem, const GpuFacts &gpu) {
  const Sizes sizes(problem);
  const TeamWork work = split_work(problem);
  const auto vectors = static_cast<double>(work.items * work.length);
  const double few = std::min(sizes.rows, sizes.columns), lanes = sizes.products() / few / vectors;
  const auto multiprocessors = static_cast<double>(gpu.multiprocessors), resident = static_cast<double>(gpu.threads);
  const double of_one = vectors / std::min(multiprocessors, std::ceil(vectors / tile_members));
  const double reading = std::min(vectors, multiprocessors * resident);
  // Elements of a vector are converted to numbers. The elements of each of the few are read for it, one at a time or
  // several at once.
  const double instructions = read_instructions + lanes + few * (lanes + read_instructions / lanes);
  // A team has at least one warp, which reads, and then adds the partial sums of its members.
  const double rounds = std::ceil(static_cast<double>(work.items * usual_warp) / (multiprocessors * resident));
  const double around = rounds * 2 * (memory_latency + step_latency);
  return side_by_side(
      {memory_cycles(problem, reading * vector_bytes, gpu),
       around + of_one * std::max(few * lanes / product_rate(problem, gpu), instructions / issue_rate)});
}

double thread_cycles(const ContractionProblem &problem, const GpuFacts &gpu) {
  const Sizes sizes(problem);
  const double results = sizes.results();
  const auto multiprocessors = static_cast<double>(gpu.multiprocessors), resident = static_cast<double>(gpu.threads);
  const double of_one = std::min(results, std::ceil(results / tile_members / multiprocessors) * tile_members);
  const double rounds = std::ceil(of_one / resident);
  const bool is_scattered = lies_along_contracted(problem, problem.columns, problem.column_operand);
  double instructions = instructions_of_read(problem) * (is_scattered ? scattered : 1);
  for (const Prologue &prologue : problem.prologues) {
    instructions += static_cast<double>(prologue.operations);
  }
  const double on_their_way =
      std::min(results, multiprocessors * resident) * thread_reads * read_bytes(problem, problem.column_operand);
  const double step =
      side_by_side({of_one * instructions / issue_rate, of_one / product_rate(problem, gpu), rounds * thread_step});
  return side_by_side({memory_cycles(problem, on_their_way, gpu), rounds * memory_latency + sizes.contracted * step});
}

// A copy engine's box must not be larger than its array.
bool may_be_warpgroup_tiles(const ContractionProblem &problem, MatrixElement element) {
  return total_size(problem.rows) >= warpgroup_rows && total_size(problem.columns) >= WarpgroupUnit::min_columns &&
         total_size(problem.contracted) >= WarpgroupUnit::line_bytes / bytes_of(element);
}

// Adds tiles whose sides are the unit times powers of two, up to `most`, and not longer than necessary.
void add_tiles(const ContractionProblem &problem, ContractionWay way, std::array<int64_t, 2> unit,
               std::array<int64_t, 2> most, std::vector<ContractionShape> &shapes) {
  const int64_t all_rows = total_size(problem.rows), all_columns = total_size(problem.columns);
  for (int64_t rows = unit[0]; rows <= most[0] && (rows == unit[0] || rows < 2 * all_rows); rows *= 2) {
    for (int64_t columns = unit[1]; columns <= most[1] && (columns == unit[1] || columns < 2 * all_columns);
         columns *= 2) {
      shapes.push_back({way, rows, columns});
    }
  }
}

std::vector<ContractionShape> possible_tiles(const ContractionProblem &problem, bool is_alone, const GpuFacts &gpu) {
  std::vector<ContractionShape> shapes;
  if (Sizes(problem).products() == 0 || is_worth_compensating(problem)) {
    return shapes;
  }
  const auto element = matrix_element(problem.types);
  const auto has = [&](const std::array<double, 5> &products) {
    return element && products[static_cast<size_t>(*element)] > 0;
  };
  if (is_alone && has(gpu.warpgroup_products) && may_be_warpgroup_tiles(problem, *element)) {
    add_tiles(problem, ContractionWay::WarpgroupTiles, {warpgroup_rows, WarpgroupUnit::min_columns},
              {warpgroup_rows, WarpgroupUnit::max_columns}, shapes);
  }
  if (has(gpu.matrix_products)) {
    add_tiles(problem, ContractionWay::MatrixTiles, {32, 32}, {128, 128}, shapes);
  } else {
    add_tiles(problem, ContractionWay::ScalarTiles, {16, 16}, {128, 64}, shapes);
  }
  return shapes;
}

// Returns the fastest tiles for each problem; none if a problem cannot use tiles.
std::vector<ContractionShape> choose_tiles(std::span<const ContractionProblem> problems, const GpuFacts &gpu) {
  std::vector<ContractionShape> chosen;
  for (const ContractionProblem &problem : problems) {
    const std::vector<ContractionShape> shapes = possible_tiles(problem, problems.size() == 1, gpu);
    if (shapes.empty()) {
      return {};
    }
    chosen.push_back(*std::ranges::min_element(
        shapes, {}, [&](const ContractionShape &shape) { return contraction_cycles(problem, shape, gpu); }));
  }
  return chosen;
}

}  // namespace

std::optional<MatrixElement> matrix_element(const ContractionTypes &types) {
  if (types.lhs == types.rhs && types.accumulate->isFloatTy()) {
    return types.lhs->isHalfTy()     ? std::optional(MatrixElement::F16)
           : types.lhs->isBFloatTy() ? std::optional(MatrixElement::BF16)
           : types.may_round         ? std::optional(MatrixElement::TF32)
                                     : std::nullopt;
  }
  const bool is_byte = types.lhs->isIntegerTy(8) && types.rhs->isIntegerTy(8) && types.accumulate->isIntegerTy(32);
  return is_byte ? std::optional(types.is_signed ? MatrixElement::S8 : MatrixElement::U8) : std::nullopt;
}

bool lies_along_contracted(const ContractionProblem &problem, const std::vector<Axis> &side, Operand operand) {
  return has_vectors(problem.contracted, operand, 1) && !has_vectors(side, operand, 1);
}

int64_t piece_lanes(const ContractionProblem &problem, const std::vector<Axis> &side, Operand operand, int64_t tile,
                    int64_t depth) {
  const bool is_along = lies_along_contracted(problem, side, operand);
  const std::vector<Axis> &along = is_along ? problem.contracted : side;
  if (along.empty() || along.back().window >= 0) {
    return 1;
  }
  int64_t lanes = std::min(128 / read_bits(problem, operand), is_along ? depth : tile);
  while (lanes > 1 && !has_vectors(along, operand, lanes)) {
    lanes /= 2;
  }
  return lanes;
}

bool are_slices_copied_async(const ContractionProblem &problem, const ContractionShape &shape, const GpuFacts &gpu) {
  return slice_work(problem, shape, tile_unit(problem, shape.way, gpu), gpu).all_async;
}

double contraction_cycles(const ContractionProblem &problem, const ContractionShape &shape, const GpuFacts &gpu) {
  switch (shape.way) {
    case ContractionWay::Threads: return thread_cycles(problem, gpu);
    case ContractionWay::Split: return split_cycles(problem, gpu);
    default: return tile_cycles(problem, shape, gpu);
  }
}

std::vector<ContractionShape> choose_shapes(std::span<const ContractionProblem> problems, const GpuFacts &gpu) {
  std::vector<std::vector<ContractionShape>> choices = {std::vector<ContractionShape>(problems.size())};  // threads
  if (problems.size() == 1 && may_be_split(problems[0])) {
    choices.push_back({split_shape(problems[0])});
  }
  if (auto tiles = choose_tiles(problems, gpu); !tiles.empty()) {
    choices.push_back(std::move(tiles));
  }
  return *std::ranges::min_element(choices, {}, [&](const std::vector<ContractionShape> &shapes) {
    double cycles = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      cycles += contraction_cycles(problems[i], shapes[i], gpu);
    }
    return cycles;
  });
}

}  // namespace bp::emit
