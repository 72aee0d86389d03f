// Products of packed panels, and what becomes of the sums.
#include "plugins/llvm/contraction/packed/strategy.h"
#include "plugins/llvm/contraction/tile_product.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

// Returns the size of the partial tile that gets code of its own, or 0. If there are many tiles, the last one is
// computed in full, from whatever the scratch memory has for its missing elements; those sums are not written out.
int64_t rest_of_tile(int64_t size, int64_t tile) {
  return size / tile >= 8 ? 0 : size % tile;
}

}  // namespace

void PackedStrategy::emit_row_tile(const Item &item, llvm::Value *row) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *count = b.CreateSub(m.minimum(b.CreateAdd(row, m.integer(tile_.rows)), rows_), row);
  emit_loop(b, m.integer(0), count, 1, [&](llvm::Value *r) {
    llvm::Value *out_row = b.CreateAdd(row, r);
    out_row = m.sum(item.bases[out_operand], m.locate(out_row, problem_.rows, out_operand)).offset;
    b.CreateAlignedStore(out_row, at(m, item.scratch, out_rows_region_, b.getInt64Ty(), r), llvm::Align(8));
  });
  if (copies_rows()) {
    emit_rows(item, row, count);
  }
  llvm::Value *contracted = b.CreateSub(item.last_k, item.first_k);
  llvm::Value *depth = word_product_ ? words(m, contracted) : contracted;
  llvm::Value *rows_pointer = multiplied_rows(item, row);
  llvm::Value *sums = sums_row(item, row);
  emit_loop(b, m.integer(0), item.columns, tile_columns_, [&](llvm::Value *column) {
    llvm::Value *columns_pointer =
        is_in_panels(problem_.column_operand)
            ? panel_pointer(item, problem_.column_operand, b.CreateAdd(item.first_column, column))
            : column_pointer(item, column_panels_, column, m.integer(0));
    llvm::Value *tile_sums = b.CreateGEP(m.sum_type, sums, column);
    auto call = [&](int64_t rows, int64_t vectors) {
      Values arguments = {rows_pointer, columns_pointer, tile_sums, depth, item.is_first};
      if (start_region_ >= 0) {
        arguments.push_back(at(m, item.scratch, start_region_, m.sum_type, column));
      }
      b.CreateCall(product_function(m, rows, vectors), arguments);
      return Values();
    };
    auto for_vectors = [&](int64_t vectors) {
      const bool has_tiles = word_product_ && word_product_->has_tiles();
      // Rows that are not copied must not be read beyond the last one.
      int64_t rest = row_stride_ > 0 ? rows_ % tile_.rows : rest_of_tile(rows_, tile_.rows);
      rest = has_tiles ? divide_up(rest, tile_side) * tile_side : rest;
      if (rest == 0 || rest == tile_.rows) {
        return call(tile_.rows, vectors);
      }
      return emit_if(
          b, b.CreateICmpEQ(count, m.integer(tile_.rows)), [&] { return call(tile_.rows, vectors); },
          [&] { return call(rest, vectors); });
    };
    int64_t rest = rest_of_tile(divide_up(columns_, width_), tile_.vectors);
    if (rest == 0) {
      for_vectors(tile_.vectors);
    } else {
      llvm::Value *end = b.CreateAdd(b.CreateAdd(item.first_column, column), m.integer(tile_columns_));
      emit_if(
          b, b.CreateICmpSLE(end, m.integer(columns_)), [&] { return for_vectors(tile_.vectors); },
          [&] { return for_vectors(rest); });
    }
  });
  auto write_out = [&] {
    emit_write_out(item, row, count);
    return Values();
  };
  if (has_several_k_blocks_) {
    emit_if(b, item.is_last, write_out, [] { return Values(); });
  } else {
    write_out();
  }
}

// Returns where the rows of a tile are, the first of which is given, as the product reads them.
llvm::Value *PackedStrategy::multiplied_rows(const Item &item, llvm::Value *row) const {
  const ContractionMemory &m = item.m;
  const Operand operand = problem_.row_operand;
  if (is_in_panels(operand)) {
    return panel_pointer(item, operand, row);
  }
  if (copies_rows()) {
    return row_pointer(item, row_panels_, m.integer(0), m.integer(0));
  }
  llvm::Value *const of_row = m.b.CreateAdd(item.outer_k[operand].offset, m.b.CreateMul(row, m.integer(row_stride_)));
  return m.b.CreateGEP(m.sum_type, m.pointers[operand], m.b.CreateAdd(of_row, item.first_k));
}

llvm::Value *PackedStrategy::sums_row(const Item &item, llvm::Value *row) const {
  const ContractionMemory &m = item.m;
  llvm::Value *index = has_several_k_blocks_ ? m.b.CreateSub(row, item.first_row) : m.integer(0);
  return at(m, item.scratch, sums_region_, m.sum_type, m.b.CreateMul(index, m.integer(columns_per_block_)));
}

void PackedStrategy::emit_write_out(const Item &item, llvm::Value *row, llvm::Value *rows) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *sums = sums_row(item, row);
  emit_loop(b, m.integer(0), item.columns, width_, [&](llvm::Value *column) {
    llvm::Value *first = b.CreateAdd(item.first_column, column);
    llvm::Value *flat = m.lane_indices(first);
    llvm::Value *mask = nullptr;
    if (columns_ % width_ != 0) {
      mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), columns_));
      flat = m.minimum(flat, columns_ - 1);
    }
    Lanes lanes = m.lanes_of(m.locate(flat, problem_.columns, out_operand), problem_.columns, out_operand, first);
    auto store_rows = [&](const Lanes &to) {
      emit_loop(b, m.integer(0), rows, 1, [&](llvm::Value *r) {
        llvm::Value *index = b.CreateAdd(b.CreateMul(r, m.integer(columns_per_block_)), column);
        llvm::Value *tile_sums =
            b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, sums, index), m.sum_alignment());
        llvm::Value *out_row = b.CreateAlignedLoad(
            b.getInt64Ty(), at(m, item.scratch, out_rows_region_, b.getInt64Ty(), r), llvm::Align(8));
        m.store(tile_sums, to, out_row, mask);
      });
      return Values();
    };
    int64_t stride = 0;
    if (lanes.kind == Lanes::scattered && !has_single_stride(problem_.columns, out_operand, &stride)) {
      emit_if(
          b, m.are_neighbours(lanes.offsets), [&] { return store_rows(ContractionMemory::as_contiguous(m, lanes)); },
          [&] { return store_rows(lanes); });
    } else {
      store_rows(lanes);
    }
  });
}

// Returns void product(ptr rows, ptr columns, ptr sums, i64 depth, i1 is_first, [ptr start]), which computes a tile of
// sums in registers. The depth counts contracted elements, or words of them.
llvm::Function *PackedStrategy::product_function(const ContractionMemory &m, int64_t rows, int64_t vectors) const {
  std::string name = name_ + ".product_" + std::to_string(rows) + "x" + std::to_string(vectors);
  if (llvm::Function *existing = module_.getFunction(name)) {
    return existing;
  }
  llvm::IRBuilder<>::InsertPointGuard guard(m.b);
  llvm::IRBuilder<> &b = m.b;
  llvm::Type *pointer = b.getPtrTy();
  std::vector<llvm::Type *> parameters = {pointer, pointer, pointer, b.getInt64Ty(), b.getInt1Ty()};
  if (start_region_ >= 0) {
    parameters.push_back(pointer);
  }
  auto *type = llvm::FunctionType::get(b.getVoidTy(), parameters, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
  function->addFnAttr(llvm::Attribute::NoInline);
  for (unsigned i = 0; i < 3; ++i) {
    function->addParamAttr(i, llvm::Attribute::NoAlias);
  }
  b.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function));
  if (word_product_ && word_product_->has_tiles()) {
    emit_tile_product(b, {.rows = {function->getArg(0), row_panels_.stride},
                          .columns = {function->getArg(1), tile_columns_},
                          .sums = {function->getArg(2), columns_per_block_},
                          .row_tiles = rows / tile_side,
                          .column_tiles = vectors,
                          .words = function->getArg(3),
                          .is_first = function->getArg(4),
                          .instruction = word_product_->tile_instruction()});
  } else {
    emit_vector_product(m, *function, rows, vectors);
  }
  b.CreateRetVoid();
  return function;
}

// Emits the body of product_function for vectors.
void PackedStrategy::emit_vector_product(const ContractionMemory &m, llvm::Function &function, int64_t rows,
                                         int64_t vectors) const {
  llvm::IRBuilder<> &b = m.b;
  auto sums_pointer = [&](int64_t r, int64_t v) {
    return b.CreateGEP(m.sum_type, function.getArg(2), m.integer(r * columns_per_block_ + v * width_));
  };
  auto for_all = [&](const std::function<llvm::Value *(int64_t, int64_t)> &get) {
    Values values;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t v = 0; v < vectors; ++v) {
        values.push_back(get(r, v));
      }
    }
    return values;
  };
  const Values start = for_all([&](int64_t, int64_t v) -> llvm::Value * {
    if (start_region_ < 0) {
      return m.zero();
    }
    llvm::Value *sums = b.CreateAlignedLoad(
        m.sum_vector, b.CreateGEP(m.sum_type, function.getArg(5), m.integer(v * width_)), m.sum_alignment());
    return b.CreateMul(sums, llvm::ConstantInt::getSigned(m.sum_vector, word_product_->factor_of_column_sums()));
  });
  Values sums =
      emit_loop_carrying(b, m.integer(0), function.getArg(3), 1, start, [&](llvm::Value *k, const Values &so_far) {
        Values columns;
        for (int64_t v = 0; v < vectors; ++v) {
          llvm::Value *index = b.CreateAdd(b.CreateMul(k, m.integer(tile_columns_)), m.integer(v * width_));
          columns.push_back(
              b.CreateAlignedLoad(m.sum_vector, b.CreateGEP(m.sum_type, function.getArg(1), index), m.sum_alignment()));
        }
        Values next;
        for (int64_t r = 0; r < rows; ++r) {
          const int64_t row_stride = row_stride_ > 0 ? row_stride_ : row_panels_.stride;
          llvm::Value *index = is_in_panels(problem_.row_operand)
                                   ? b.CreateAdd(b.CreateMul(k, m.integer(tile_.rows)), m.integer(r))
                                   : b.CreateAdd(k, m.integer(r * row_stride));
          llvm::Value *x = m.splat(
              b.CreateAlignedLoad(m.sum_type, b.CreateGEP(m.sum_type, function.getArg(0), index), m.sum_alignment()));
          for (int64_t v = 0; v < vectors; ++v) {
            llvm::Value *y = columns[static_cast<size_t>(v)], *sum = so_far[next.size()];
            next.push_back(word_product_ ? word_product_->add(b, x, y, sum) : m.multiply_add(x, y, sum));
          }
        }
        return next;
      });
  // The sums of a block start at zero and are added to those of earlier blocks at its end. A term is then rounded with
  // the terms of its block and once for each later block, not with all later terms.
  auto with_earlier = [&] {
    return for_all([&](int64_t r, int64_t v) -> llvm::Value * {
      llvm::Value *sum = sums[static_cast<size_t>(r * vectors + v)];
      llvm::Value *earlier = b.CreateAlignedLoad(m.sum_vector, sums_pointer(r, v), m.sum_alignment());
      return m.sum_type->isFloatingPointTy() ? b.CreateFAdd(earlier, sum) : b.CreateAdd(earlier, sum);
    });
  };
  if (has_several_k_blocks_) {
    sums = emit_if(b, function.getArg(4), [&] { return sums; }, with_earlier);
  }
  for_all([&](int64_t r, int64_t v) {
    return b.CreateAlignedStore(sums[static_cast<size_t>(r * vectors + v)], sums_pointer(r, v), m.sum_alignment());
  });
}

}  // namespace bp::emit
