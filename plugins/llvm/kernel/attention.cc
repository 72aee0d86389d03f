#include "plugins/llvm/kernel/attention.h"

#include <algorithm>
#include <array>
#include <utility>

#include "plugins/llvm/contraction/packed/panels.h"
#include "plugins/llvm/generator/loops.h"
#include "plugins/llvm/kernel/contraction_axes.h"
#include "plugins/llvm/kernel/kinds.h"
#include "plugins/llvm/scalar/element_type.h"

namespace bp::emit {
namespace {

using llvm::Value;

// Scores of a block of rows: a part of a second-level cache of at least 1 MiB.
constexpr std::int64_t max_tile_bytes = 512 * 1024;
constexpr std::int64_t min_block_rows = 16, max_block_rows = 256;
constexpr std::int64_t wanted_items = 8;  // for threads to share
// Fewer rows, keys or elements of a key have better kernels of their own.
constexpr std::int64_t min_rows = 9, min_keys = 16, min_depth = 4, min_columns = 4;

std::vector<InstructionView> dots_of(InstructionView fusion) {
  std::vector<InstructionView> dots;
  const ComputationView computation = fusion.called(0);
  for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
    const InstructionView instruction = fusion.module().instruction(computation.first_instruction() + n);
    if (instruction.op() == BP_OP_DOT) {
      dots.push_back(instruction);
    }
  }
  return dots;
}

// A matrix for each element of the batch: strides in elements.
struct Matrices {
  std::vector<std::int64_t> batch;
  std::int64_t row = 0, column = 0;
};

struct AttentionShape {
  std::vector<std::int64_t> batch;                          // sizes
  std::int64_t rows = 0, keys = 0, depth = 0, columns = 0;  // depth: elements of a key; columns: of a value
  Matrices queries, key_rows, value_rows, output;

  std::int64_t batch_size() const {
    std::int64_t size = 1;
    for (const std::int64_t d : batch) {
      size *= d;
    }
    return size;
  }
};

using Dimensions = std::vector<DotDimension>;

Dimensions without_ones(Dimensions dimensions) {
  std::erase_if(dimensions, [](const DotDimension &dimension) { return dimension.size == 1; });
  return dimensions;
}

std::int64_t size_of(const Dimensions &dimensions) {
  std::int64_t size = 1;
  for (const DotDimension &dimension : dimensions) {
    size *= dimension.size;
  }
  return size;
}

// Returns the one stride of dimensions that are counted together; nothing if there is none.
std::optional<std::int64_t> stride_of(const Dimensions &dimensions, std::int64_t DotDimension::*stride) {
  if (dimensions.empty()) {
    return 0;
  }
  std::int64_t expected = dimensions.back().*stride;
  for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension) {
    if ((*dimension).*stride != expected) {
      return std::nullopt;
    }
    expected *= dimension->size;
  }
  return dimensions.back().*stride;
}

std::vector<std::int64_t> strides_of(const Dimensions &dimensions, std::int64_t DotDimension::*stride) {
  std::vector<std::int64_t> strides;
  for (const DotDimension &dimension : dimensions) {
    strides.push_back(dimension.*stride);
  }
  return strides;
}

// Whether dimensions of the first dot's result are those of the second one's operand.
bool are_same(const Dimensions &results, const Dimensions &operands) {
  return std::ranges::equal(results, operands, [](const DotDimension &result, const DotDimension &operand) {
    return result.size == operand.size && result.out_stride == operand.lhs_stride;
  });
}

// Describes a dot with its operands in this order.
Dot describe(llvm::LLVMContext &context, InstructionView instruction, bool is_swapped) {
  Dot dot = describe_dot(context, instruction);
  if (is_swapped) {
    std::swap(dot.lhs_free, dot.rhs_free);
    for (Dimensions *dimensions : {&dot.batch, &dot.lhs_free, &dot.rhs_free, &dot.contracted}) {
      for (DotDimension &dimension : *dimensions) {
        std::swap(dimension.lhs_stride, dimension.rhs_stride);
      }
    }
  }
  for (Dimensions *dimensions : {&dot.batch, &dot.lhs_free, &dot.rhs_free, &dot.contracted}) {
    *dimensions = without_ones(*dimensions);
  }
  return dot;
}

// Returns nothing if the dots divide the scores into batch, rows and keys in different ways, or if rows do not have one
// stride. The second dot's lhs is what becomes of the scores.
std::optional<AttentionShape> shape_of(Dot scores, Dot output) {
  std::ranges::stable_sort(output.batch, std::ranges::greater(), &DotDimension::lhs_stride);
  const auto query_row = stride_of(scores.lhs_free, &DotDimension::lhs_stride),
             output_row = stride_of(output.lhs_free, &DotDimension::out_stride);
  const auto has_one = [](const Dimensions &dimensions) { return dimensions.size() <= 1; };
  if (!are_same(scores.batch, output.batch) || !are_same(scores.lhs_free, output.lhs_free) ||
      !are_same(scores.rhs_free, output.contracted) || !query_row || !output_row ||
      !std::ranges::all_of(std::array{scores.rhs_free, scores.contracted, output.rhs_free}, has_one)) {
    return std::nullopt;
  }
  const auto one_stride = [](const Dimensions &dimensions, std::int64_t DotDimension::*stride) {
    return *stride_of(dimensions, stride);
  };
  AttentionShape shape;
  for (const DotDimension &dimension : scores.batch) {
    shape.batch.push_back(dimension.size);
  }
  shape.rows = size_of(scores.lhs_free);
  shape.keys = size_of(scores.rhs_free);
  shape.depth = size_of(scores.contracted);
  shape.columns = size_of(output.rhs_free);
  shape.queries = {strides_of(scores.batch, &DotDimension::lhs_stride), *query_row,
                   one_stride(scores.contracted, &DotDimension::lhs_stride)};
  shape.key_rows = {strides_of(scores.batch, &DotDimension::rhs_stride),
                    one_stride(scores.rhs_free, &DotDimension::rhs_stride),
                    one_stride(scores.contracted, &DotDimension::rhs_stride)};
  shape.value_rows = {strides_of(output.batch, &DotDimension::rhs_stride),
                      one_stride(output.contracted, &DotDimension::rhs_stride),
                      one_stride(output.rhs_free, &DotDimension::rhs_stride)};
  shape.output = {strides_of(output.batch, &DotDimension::out_stride), *output_row,
                  one_stride(output.rhs_free, &DotDimension::out_stride)};
  return shape;
}

// How the work is divided. Widths are those of panels.
struct AttentionPlan {
  AttentionShape shape;
  llvm::Type *type = nullptr;
  std::int64_t lanes = 1;
  std::int64_t tile_stride = 0;  // elements from a row of scores in scratch to the next one
  std::int64_t block_rows = 0, blocks = 0;
  std::int64_t key_width = 0, value_width = 0;

  std::int64_t element_bytes() const { return type->getScalarSizeInBits() / 8; }
  std::int64_t rows_of_last_block() const { return shape.rows - (blocks - 1) * block_rows; }
  // Panels of an element of the batch: how many, and the elements of all of them.
  std::int64_t key_panels() const { return divide_up(shape.keys, key_width); }
  std::int64_t value_panels() const { return divide_up(shape.columns, value_width); }
  std::int64_t key_elements() const { return key_panels() * key_width * shape.depth; }
  std::int64_t value_elements() const { return value_panels() * value_width * shape.keys; }
  std::int64_t panel_bytes() const { return (key_elements() + value_elements()) * element_bytes(); }
  bool shares_panels() const { return blocks > 1; }

  // The dots of a block of so many rows, with keys and values in panels if their widths are known.
  Contraction scores(std::int64_t rows) const {
    Contraction contraction;
    contraction.lhs_free = {{rows, shape.queries.row, 0, tile_stride}};
    contraction.rhs_free = {{shape.keys, 0, shape.depth, 1}};
    contraction.contracted = {{shape.depth, shape.queries.column, 1, 0}};
    contraction.types = {.lhs = type, .rhs = type, .accumulate = type, .out = type};
    contraction.panels = {0, key_width};
    return contraction;
  }
  Contraction output(std::int64_t rows) const {
    Contraction contraction;
    contraction.lhs_free = {{rows, tile_stride, 0, shape.output.row}};
    contraction.rhs_free = {{shape.columns, 0, 1, shape.output.column}};
    contraction.contracted = {{shape.keys, 1, shape.columns, 0}};
    contraction.types = {.lhs = type, .rhs = type, .accumulate = type, .out = type};
    contraction.panels = {0, value_width};
    return contraction;
  }
};

// Returns the width of the panels of rhs; 0 if rhs is not what vectors run along.
std::int64_t panel_width(const Contraction &contraction, const VectorTarget &target) {
  const ContractionProblem problem = normalize({contraction}, target)[0];
  return problem.column_operand == rhs_operand ? panel_widths(problem, target)[rhs_operand] : 0;
}

std::optional<AttentionPlan> make_plan(llvm::LLVMContext &context, AttentionShape shape, std::uint16_t dtype,
                                       const VectorTarget &target) {
  AttentionPlan plan{.shape = std::move(shape), .type = storage_type(context, dtype)};
  plan.lanes = target.vector_bits / plan.type->getScalarSizeInBits();
  // Rows of other cache sets, which the second dot reads side by side.
  plan.tile_stride = divide_up(plan.shape.keys, plan.lanes) * plan.lanes + plan.lanes;
  const std::int64_t fitting = max_tile_bytes / (plan.tile_stride * plan.element_bytes());
  std::int64_t rows = std::min(std::clamp(fitting, min_block_rows, max_block_rows), plan.shape.rows);
  while (rows >= 4 * min_block_rows && plan.shape.batch_size() * divide_up(plan.shape.rows, rows) < wanted_items) {
    rows /= 2;
  }
  plan.blocks = divide_up(plan.shape.rows, rows);
  plan.block_rows = divide_up(plan.shape.rows, plan.blocks);
  plan.key_width = panel_width(plan.scores(plan.block_rows), target);
  plan.value_width = panel_width(plan.output(plan.block_rows), target);
  return plan.key_width > 0 && plan.value_width > 0 ? std::optional(std::move(plan)) : std::nullopt;
}

// The parts of a fusion that is attention.
struct Attention {
  InstructionView scores, output;  // the dots
  std::size_t values;              // the operand of `output` that the rows are multiplied by
  RowFusion rows;
  AttentionPlan plan;
};

std::optional<Attention> find_attention(llvm::LLVMContext &context, InstructionView fusion, const VectorTarget &target,
                                        std::string &problem) {
  const std::vector<InstructionView> dots = dots_of(fusion);
  const ModuleView &module = fusion.module();
  const ComputationView computation = fusion.called(0);
  const auto is_parameter = [&](std::uint32_t value) {
    const auto parameters = computation.parameters();
    const auto found = std::ranges::find(parameters, value);
    return found != parameters.end() && !module.shape_of(value).tiled &&
           module.shape_of(value).minor_to_major ==
               fusion.operand_shape(static_cast<std::size_t>(found - parameters.begin())).minor_to_major;
  };
  problem = "has two dots that are not compiled as attention: ";
  if (target.is_threaded || dots.size() != 2) {
    problem += "this device does each by itself";
    return std::nullopt;
  }
  const InstructionView scores = dots[0], output = dots[1];
  if (computation.roots().size() != 1 || computation.roots()[0] != output.result() ||
      fusion.shape().minor_to_major != output.shape().minor_to_major) {
    problem += "the second one is not the result";
    return std::nullopt;
  }
  const std::size_t values = is_parameter(output.operand(1)) ? 1 : 0;
  if (!is_parameter(output.operand(values)) || !is_parameter(scores.operand(0)) || !is_parameter(scores.operand(1))) {
    problem += "queries, keys or values are computed in the fusion";
    return std::nullopt;
  }
  const std::uint16_t dtype = scores.shape().dtype;
  for (const InstructionView dot : dots) {
    if ((dtype != BP_DTYPE_F32 && dtype != BP_DTYPE_F64) || dot.shape().dtype != dtype ||
        dot.operand_shape(0).dtype != dtype || dot.operand_shape(1).dtype != dtype) {
      problem += "they are not all of f32, or f64";
      return std::nullopt;
    }
  }
  const Shape &weights = output.operand_shape(1 - values);
  const auto is_descending = [](const Shape &shape) {
    return std::ranges::is_sorted(shape.minor_to_major, std::ranges::greater());
  };
  if (weights.dims != scores.shape().dims || !is_descending(weights) || !is_descending(scores.shape())) {
    problem += "what the second one multiplies has other dimensions than the result of the first one";
    return std::nullopt;
  }
  auto shape = shape_of(describe(context, scores, false), describe(context, output, values == 0));
  if (!shape || shape->rows < min_rows || shape->keys < min_keys || shape->depth < min_depth ||
      shape->columns < min_columns || weights.elements == 0) {
    problem += shape ? "they are small" : "their dimensions are not those of batch, rows and keys";
    return std::nullopt;
  }
  auto plan = make_plan(context, std::move(*shape), dtype, target);
  if (!plan) {
    problem += "the values are not neighbours in the result";
    return std::nullopt;
  }
  auto rows = find_rows_between(fusion, scores, output, output.operand(1 - values), problem);
  if (!rows) {
    return std::nullopt;
  }
  // The rows are counted as they lie in the scores.
  std::vector<std::int64_t> dimensions = rows->outer;
  dimensions.insert(dimensions.end(), rows->inner.begin(), rows->inner.end());
  if (rows->inner.size() != 1 || !std::ranges::is_sorted(dimensions)) {
    problem += "the rows are not those of the last dimension";
    return std::nullopt;
  }
  problem.clear();
  return Attention{scores, output, values, std::move(*rows), std::move(*plan)};
}

class AttentionKernel {
 public:
  AttentionKernel(Generator &generator, KernelBuilder &k, const KernelSite &site, const VectorTarget &target,
                  const Attention &attention)
      : generator_(generator),
        k_(k),
        b_(k.b),
        site_(site),
        target_(target),
        attention_(attention),
        plan_(attention.plan),
        shape_(attention.plan.shape),
        panels_(plan_.shares_panels() ? site.common : site.scratch),
        tile_(at_byte(site.scratch, plan_.shares_panels() ? 0 : aligned(plan_.panel_bytes()))),
        work_(at_byte(tile_, tile_bytes())) {}

  KernelWork emit() {
    const std::int64_t blocks = shape_.batch_size() * plan_.blocks;
    const std::int64_t copies = shape_.batch_size() * (plan_.key_panels() + plan_.value_panels());
    k_.dynamic_loop(site_.begin, site_.end, b_.getInt64(1), {}, [&](Value *item, std::span<Value *const>) {
      if (!plan_.shares_panels()) {
        emit_copies(item);
        emit_block(item, integer(0));
        return Values();
      }
      Value *const block = b_.CreateSub(item, integer(copies));
      return k_.branch(
          b_.CreateICmpSLT(item, integer(copies)),
          [&] {
            emit_copy_of(item);
            return Values();
          },
          [&] {
            emit_block(quotient(block, plan_.blocks), remainder(block, plan_.blocks));
            return Values();
          });
    });
    KernelWork work;
    work.scratch_bytes = (plan_.shares_panels() ? 0 : aligned(plan_.panel_bytes())) + tile_bytes() + work_bytes_;
    work.items = blocks;
    if (plan_.shares_panels()) {
      work.items += copies;
      work.steps = {{.rounds = 1, .items = {copies, blocks}}};
    }
    return work;
  }

 private:
  enum { queries, keys };
  static std::int64_t aligned(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
  std::int64_t tile_bytes() const { return aligned(plan_.block_rows * plan_.tile_stride * plan_.element_bytes()); }
  Value *integer(std::int64_t value) const { return b_.getInt64(static_cast<std::uint64_t>(value)); }
  Value *quotient(Value *x, std::int64_t y) const { return b_.CreateUDiv(x, integer(y)); }
  Value *remainder(Value *x, std::int64_t y) const { return b_.CreateURem(x, integer(y)); }
  Value *at_byte(Value *pointer, std::int64_t offset) const {
    return b_.CreateConstGEP1_64(b_.getInt8Ty(), pointer, static_cast<std::uint64_t>(offset));
  }
  Value *at_element(Value *pointer, Value *index) const { return b_.CreateGEP(plan_.type, pointer, index); }

  // Returns the memory of a parameter of the fused computation.
  Value *pointer_of(std::uint32_t parameter) const {
    const auto parameters = site_.instruction.called(0).parameters();
    return site_.operands[static_cast<std::size_t>(std::ranges::find(parameters, parameter) - parameters.begin())];
  }
  Value *pointer_of_values() const { return pointer_of(attention_.output.operand(attention_.values)); }

  // Returns where the matrix of an element of the batch begins.
  Value *matrix(Value *pointer, const Matrices &matrices, Value *batch) const {
    Value *offset = integer(0);
    std::int64_t inner = 1;
    for (std::size_t d = shape_.batch.size(); d-- > 0;) {
      Value *const index = remainder(quotient(batch, inner), shape_.batch[d]);
      offset = b_.CreateAdd(offset, b_.CreateMul(index, integer(matrices.batch[d])));
      inner *= shape_.batch[d];
    }
    return at_element(pointer, offset);
  }
  // Return the panels of an element of the batch; without shared panels, there are those of one element.
  Value *key_panels(Value *batch) const {
    return at_element(panels_, b_.CreateMul(panel_batch(batch), integer(plan_.key_elements())));
  }
  Value *value_panels(Value *batch) const {
    const std::int64_t of_keys = (plan_.shares_panels() ? shape_.batch_size() : 1) * plan_.key_elements();
    return at_element(
        panels_, b_.CreateAdd(integer(of_keys), b_.CreateMul(panel_batch(batch), integer(plan_.value_elements()))));
  }
  Value *panel_batch(Value *batch) const { return plan_.shares_panels() ? batch : integer(0); }

  void emit_copy_of_keys(Value *batch, Value *panel) {
    const PanelSource source = {plan_.type, shape_.keys, shape_.depth, shape_.key_rows.row, shape_.key_rows.column};
    emit_copy(source, plan_.key_width, matrix(pointer_of(attention_.scores.operand(keys)), shape_.key_rows, batch),
              key_panels(batch), panel);
  }
  void emit_copy_of_values(Value *batch, Value *panel) {
    const PanelSource source = {plan_.type, shape_.columns, shape_.keys, shape_.value_rows.column,
                                shape_.value_rows.row};
    emit_copy(source, plan_.value_width, matrix(pointer_of_values(), shape_.value_rows, batch), value_panels(batch),
              panel);
  }
  void emit_copy(const PanelSource &source, std::int64_t width, Value *from, Value *panels, Value *panel) {
    Value *const first = b_.CreateMul(panel, integer(width));
    emit_panel_copy(b_, source, width, plan_.lanes, from, first,
                    at_element(panels, b_.CreateMul(first, integer(source.contracted))));
  }

  // Copies the panel with this number among all of them.
  void emit_copy_of(Value *number) {
    const std::int64_t of_keys = shape_.batch_size() * plan_.key_panels();
    Value *const of_values = b_.CreateSub(number, integer(of_keys));
    k_.branch(
        b_.CreateICmpSLT(number, integer(of_keys)),
        [&] {
          emit_copy_of_keys(quotient(number, plan_.key_panels()), remainder(number, plan_.key_panels()));
          return Values();
        },
        [&] {
          emit_copy_of_values(quotient(of_values, plan_.value_panels()), remainder(of_values, plan_.value_panels()));
          return Values();
        });
  }

  // Copies all panels of an element of the batch.
  void emit_copies(Value *batch) {
    emit_loop(b_, integer(0), integer(plan_.key_panels()), 1, [&](Value *panel) { emit_copy_of_keys(batch, panel); });
    emit_loop(b_, integer(0), integer(plan_.value_panels()), 1,
              [&](Value *panel) { emit_copy_of_values(batch, panel); });
  }

  void emit_block(Value *batch, Value *block) {
    Value *const first_row = b_.CreateMul(block, integer(plan_.block_rows));
    const auto row_of = [&](Value *pointer, const Matrices &matrices) {
      return at_element(matrix(pointer, matrices, batch), b_.CreateMul(first_row, integer(matrices.row)));
    };
    Value *const is_last = b_.CreateICmpEQ(block, integer(plan_.blocks - 1));
    emit_dot("scores", &AttentionPlan::scores, is_last,
             {row_of(pointer_of(attention_.scores.operand(queries)), shape_.queries), key_panels(batch), tile_});
    emit_rows(b_.CreateAdd(b_.CreateMul(batch, integer(shape_.rows)), first_row), is_last);
    emit_dot("output", &AttentionPlan::output, is_last,
             {tile_, value_panels(batch), row_of(site_.results[0], shape_.output)});
  }

  // Calls the dot of a block, which is a function of its own for the last block if that has fewer rows.
  void emit_dot(const std::string &name, Contraction (AttentionPlan::*dot)(std::int64_t rows) const, Value *is_last,
                const std::array<Value *, 3> &pointers) {
    const auto call = [&](std::int64_t rows) {
      llvm::Function *const caller = b_.GetInsertBlock()->getParent();
      const Kernel kernel =
          emit_contractions(*caller->getParent(), caller->getName().str() + "." + name + std::to_string(rows), target_,
                            {(plan_.*dot)(rows)});
      kernel.function->setLinkage(llvm::GlobalValue::InternalLinkage);
      b_.CreateCall(kernel.function, {pointers[0], pointers[1], pointers[2], work_, integer(0), integer(kernel.items)});
      work_bytes_ = std::max(work_bytes_, kernel.scratch_bytes);
      return Values();
    };
    if (plan_.rows_of_last_block() == plan_.block_rows) {
      call(plan_.block_rows);
    } else {
      k_.branch(is_last, [&] { return call(plan_.rows_of_last_block()); }, [&] { return call(plan_.block_rows); });
    }
  }

  // Emits the work on the rows of scores in scratch, the first of which is given by its number among all rows.
  void emit_rows(Value *first, Value *is_last) {
    Value *const count = b_.CreateSelect(is_last, integer(plan_.rows_of_last_block()), integer(plan_.block_rows));
    const Shape &scores = attention_.scores.shape();
    RowRange range = {first, b_.CreateAdd(first, count), std::vector<std::int64_t>(scores.rank(), 1)};
    std::int64_t stride = plan_.tile_stride;
    for (std::size_t d = scores.rank() - 1; d-- > 0;) {
      range.strides[d] = stride;
      stride *= scores.dims[d];
    }
    // Where all scores would begin, such that these rows lie in scratch.
    Value *const origin = at_element(tile_, b_.CreateNeg(b_.CreateMul(first, integer(plan_.tile_stride))));
    generator_.bind_row(attention_.scores.result(), origin, range.strides);
    KernelSite rows = site_;
    rows.results = {origin};
    rows.in_place = {-1};
    rows.scratch = work_;
    work_bytes_ = std::max(work_bytes_, emit_row_range(generator_, k_, rows, target_, attention_.rows, range));
  }

  Generator &generator_;
  KernelBuilder &k_;
  llvm::IRBuilder<> &b_;
  const KernelSite &site_;
  const VectorTarget &target_;
  const Attention &attention_;
  const AttentionPlan &plan_;
  const AttentionShape &shape_;
  Value *panels_, *tile_, *work_;  // the memory of panels, of scores, and of the kernels for a block
  std::int64_t work_bytes_ = 0;
};

}  // namespace

bool has_two_dots(InstructionView fusion) {
  return fusion.op() == BP_OP_FUSION && dots_of(fusion).size() == 2;
}

std::string attention_problem(InstructionView fusion, const VectorTarget &target) {
  llvm::LLVMContext context;
  std::string problem;
  find_attention(context, fusion, target, problem);
  return problem;
}

std::int64_t attention_common_bytes(InstructionView fusion, const VectorTarget &target) {
  llvm::LLVMContext context;
  std::string problem;
  const auto attention = find_attention(context, fusion, target, problem);
  return attention->plan.shares_panels() ? attention->plan.shape.batch_size() * attention->plan.panel_bytes() : 0;
}

KernelWork emit_attention(Generator &generator, KernelBuilder &builder, const KernelSite &site,
                          const VectorTarget &target) {
  std::string problem;
  const auto attention = find_attention(builder.b.getContext(), site.instruction, target, problem);
  generator.bind_parameters(site.instruction.called(0), site.instruction.operands());
  return AttentionKernel(generator, builder, site, target, *attention).emit();
}

}  // namespace bp::emit
