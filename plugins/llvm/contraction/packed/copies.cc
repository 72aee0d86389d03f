// Copies of both operands to scratch, as dense panels of the sums' type.
#include "plugins/llvm/contraction/packed/strategy.h"
#include "plugins/llvm/contraction/packed/transpose.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

llvm::Value *smaller(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
}

}  // namespace

void transpose(llvm::IRBuilderBase &b, Values &rows) {
  int size = static_cast<int>(rows.size());
  for (int half = 1; half < size; half *= 2) {
    std::vector<int> low(rows.size());
    std::vector<int> high(rows.size());
    for (int i = 0; i < size; ++i) {
      bool is_upper = (i & half) != 0;
      low[static_cast<size_t>(i)] = is_upper ? size + i - half : i;
      high[static_cast<size_t>(i)] = is_upper ? size + i : i + half;
    }
    for (int i = 0; i < size; ++i) {
      if ((i & half) == 0) {
        llvm::Value *&upper = rows[static_cast<size_t>(i)];
        llvm::Value *&lower = rows[static_cast<size_t>(i + half)];
        llvm::Value *new_upper = b.CreateShuffleVector(upper, lower, low);
        lower = b.CreateShuffleVector(upper, lower, high);
        upper = new_upper;
      }
    }
  }
}

// Writes a table of the offsets and coordinates of the block's contracted elements, if they are not simple multiples.
void PackedStrategy::emit_k_table(const Item &item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  if (!has_k_table(lhs_operand) && !has_k_table(rhs_operand)) {
    return;
  }
  emit_loop(b, item.first_k, item.last_k, width_, [&](llvm::Value *k) {
    llvm::Value *flat = m.minimum(m.lane_indices(k), block_k_ - 1);
    llvm::Value *index = b.CreateSub(k, item.first_k);
    auto keep = [&](llvm::Value *values, int64_t region) {
      b.CreateAlignedStore(values, at(m, item.scratch, region, m.lane_index, index), llvm::Align(4));
    };
    for (Operand operand : {lhs_operand, rhs_operand}) {
      if (!has_k_table(operand)) {
        continue;
      }
      ElementOffset element = m.locate(flat, block_axes_, operand);
      keep(element.offset, k_offset_regions_[operand]);
      for (size_t w = 0; w < problem_.windows.size() && operand == lhs_operand; ++w) {
        if (k_coordinate_regions_[w] >= 0) {
          keep(element.coordinates[w], k_coordinate_regions_[w]);
        }
      }
    }
  });
}

// Returns the offset of one contracted element of the block (k counts from the block's first), including outer axes and
// batch.
ElementOffset PackedStrategy::k_offset(const Item &item, llvm::Value *k, Operand operand) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const ElementOffset &outer = item.outer_k[operand];
  if (!has_k_table(operand)) {
    return m.sum(outer, m.locate(b.CreateAdd(item.first_k, k), block_axes_, operand));
  }
  auto read = [&](int64_t region) -> llvm::Value * {
    llvm::Value *pointer = at(m, item.scratch, region, m.lane_index, k);
    return b.CreateSExtOrBitCast(b.CreateAlignedLoad(m.lane_index, pointer, llvm::Align(4)), b.getInt64Ty());
  };
  ElementOffset element{read(k_offset_regions_[operand]), std::vector<llvm::Value *>(problem_.windows.size())};
  for (size_t w = 0; w < problem_.windows.size() && operand == lhs_operand; ++w) {
    element.coordinates[w] = k_coordinate_regions_[w] >= 0 ? read(k_coordinate_regions_[w]) : nullptr;
  }
  return m.sum(outer, element);
}

llvm::Value *PackedStrategy::column_pointer(const Item &item, const Panels &panels, llvm::Value *column,
                                            llvm::Value *place) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *panel = b.CreateUDiv(column, m.integer(tile_columns_));
  llvm::Value *in_panel = b.CreateURem(column, m.integer(tile_columns_));
  llvm::Value *index = b.CreateAdd(b.CreateMul(panel, m.integer(panels.stride * tile_columns_)), in_panel);
  index = b.CreateAdd(index, b.CreateMul(place, m.integer(tile_columns_)));
  return at(m, item.scratch, panels.region, m.sum_type, index);
}

llvm::Value *PackedStrategy::row_pointer(const Item &item, const Panels &panels, llvm::Value *tile_row,
                                         llvm::Value *place) const {
  const ContractionMemory &m = item.m;
  llvm::Value *index = m.b.CreateAdd(m.b.CreateMul(tile_row, m.integer(panels.stride)), place);
  return at(m, item.scratch, panels.region, m.sum_type, index);
}

// Returns where the block's elements of the panel of an operand in panels begin. first: its first row or column.
llvm::Value *PackedStrategy::panel_pointer(const Item &item, Operand operand, llvm::Value *first) const {
  const ContractionMemory &m = item.m;
  llvm::Value *const elements = m.b.CreateMul(first, m.integer(outer_k_ * block_k_));  // of the panels before
  llvm::Value *const index = m.b.CreateAdd(elements, m.b.CreateMul(item.place, m.integer(problem_.panels[operand])));
  return m.b.CreateGEP(m.sum_type, m.pointers[operand], index);
}

// Returns the number of places that copies of the elements take.
llvm::Value *PackedStrategy::copied_places(const Item &item, const Panels &panels) const {
  llvm::Value *const copied = item.m.b.CreateSub(item.copy_end, item.copy_begin);
  return panels.group == 1 ? copied : words(item.m, copied);
}

// Returns which of so many lanes, the contracted elements of the block from k on, exist; null: all up to a multiple.
llvm::Value *PackedStrategy::is_contracted(const Item &item, llvm::Value *k, int64_t lanes, int64_t multiple) const {
  if (block_k_ % multiple == 0) {
    return nullptr;
  }
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *const left = b.CreateSub(m.integer(block_k_), b.CreateAdd(item.first_k, k));
  llvm::Value *const flat = b.CreateStepVector(llvm::FixedVectorType::get(m.lane_index, static_cast<unsigned>(lanes)));
  return b.CreateICmpSLT(flat,
                         b.CreateVectorSplat(static_cast<unsigned>(lanes), b.CreateTruncOrBitCast(left, m.lane_index)));
}

// Packs the columns of a block.
void PackedStrategy::emit_columns(Item item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  llvm::Value *const contracted = b.CreateSub(item.last_k, item.first_k);
  if (start_region_ >= 0) {
    emit_loop(b, m.integer(0), item.columns, width_, [&](llvm::Value *column) {
      b.CreateAlignedStore(m.zero(), at(m, item.scratch, start_region_, m.sum_type, column), m.sum_alignment());
    });
  }
  item.copy_begin = m.integer(0);
  item.copy_end = contracted;
  if (!has_column_stage_) {
    emit_copy_columns(item);
    return;
  }
  emit_loop(b, m.integer(0), contracted, column_copies_.stride, [&](llvm::Value *begin) {
    item.copy_begin = begin;
    item.copy_end = smaller(b, b.CreateAdd(begin, m.integer(column_copies_.stride)), contracted);
    emit_copy_columns(item);
    emit_column_words(item);
  });
}

void PackedStrategy::emit_copy_columns(const Item &item) const {
  const ContractionMemory &m = item.m;
  if (copies_column_rows_) {
    emit_copy_column_rows(item);
    return;
  }
  int64_t stride = 0;
  bool has_lanes = has_single_stride(problem_.columns, problem_.column_operand, &stride) && stride == 1;
  int64_t step = has_lanes ? tile_columns_ : width_;
  emit_loop(m.b, m.integer(0), item.columns, step, [&](llvm::Value *column) {
    transposes_columns_ ? emit_copy_transposed(item, column) : emit_copy_column_group(item, column);
  });
}

// Copies columns without padding that are next to each other in memory: whole rows are read from one end to the other.
void PackedStrategy::emit_copy_column_rows(const Item &item) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.column_operand;
  const int64_t group = column_copies_.group;
  emit_loop(b, m.integer(0), copied_places(item, column_copies_), 1, [&](llvm::Value *place) {
    llvm::Value *k = b.CreateMul(place, m.integer(group));
    emit_loop(b, m.integer(0), item.columns, tile_columns_, [&](llvm::Value *column) {
      for (int64_t v = 0; v < tile_.vectors; ++v) {
        llvm::Value *of_vector = b.CreateAdd(column, m.integer(v * width_));
        llvm::Value *first = b.CreateAdd(item.first_column, of_vector);
        llvm::Value *mask = nullptr;
        if (columns_ % tile_columns_ != 0) {
          llvm::Value *flat = m.lane_indices(first);
          mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), columns_));
        }
        store_column(item, load_across(item, operand, group, {Lanes::contiguous, first, nullptr}, k, mask),
                     column_pointer(item, column_copies_, of_vector, place), of_vector);
      }
    });
  });
}

// Copies a panel of neighbouring columns, or one vector of columns at any addresses.
void PackedStrategy::emit_copy_column_group(const Item &item, llvm::Value *column) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.column_operand;
  int64_t stride = 0;
  bool is_strided = has_single_stride(problem_.columns, operand, &stride);
  int64_t vectors = is_strided && stride == 1 ? tile_.vectors : 1;
  std::vector<ElementOffset> column_offsets;
  std::vector<Lanes> lanes;
  Values masks;
  for (int64_t v = 0; v < vectors; ++v) {
    llvm::Value *first = b.CreateAdd(b.CreateAdd(item.first_column, column), m.integer(v * width_));
    llvm::Value *flat = m.lane_indices(first);
    bool may_end = columns_ % (vectors * width_) != 0;
    masks.push_back(may_end ? b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), columns_)) : nullptr);
    flat = may_end ? m.minimum(flat, columns_ - 1) : flat;
    column_offsets.push_back(m.locate(flat, problem_.columns, operand));
    lanes.push_back(m.lanes_of(column_offsets.back(), problem_.columns, operand, first));
  }
  auto pack = [&](bool are_neighbours) {
    llvm::Value *first_pointer = column_pointer(item, column_copies_, column, m.integer(0));
    emit_loop(b, item.copy_begin, item.copy_end, 1, [&](llvm::Value *k) {
      ElementOffset element = k_offset(item, k, operand);
      for (size_t v = 0; v < lanes.size(); ++v) {
        llvm::Value *mask = masks[v];
        if (operand == lhs_operand) {
          const ElementOffset *parts[] = {&element, &column_offsets[v]};
          mask = m.mask_and(mask, m.mask_of(parts));
        }
        Lanes chosen = are_neighbours ? ContractionMemory::as_contiguous(m, lanes[v]) : lanes[v];
        llvm::Value *index = b.CreateAdd(b.CreateMul(b.CreateSub(k, item.copy_begin), m.integer(tile_columns_)),
                                         m.integer(static_cast<int64_t>(v) * width_));
        b.CreateAlignedStore(m.load(operand, chosen, element.offset, mask),
                             b.CreateGEP(m.sum_type, first_pointer, index), m.sum_alignment());
      }
    });
    return Values();
  };
  if (is_strided) {
    pack(false);
  } else {
    emit_if(b, m.are_neighbours(lanes[0].offsets), [&] { return pack(true); }, [&] { return pack(false); });
  }
}

// Copies `width` columns, each read along k.
void PackedStrategy::emit_copy_transposed(const Item &item, llvm::Value *column) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.column_operand;
  Values offsets;
  for (int64_t lane = 0; lane < width_; ++lane) {
    llvm::Value *flat = b.CreateAdd(b.CreateAdd(item.first_column, column), m.integer(lane));
    flat = columns_ % width_ != 0 ? m.minimum(flat, columns_ - 1) : flat;
    ElementOffset element = m.sum(item.outer_k[operand], m.locate(flat, problem_.columns, operand));
    offsets.push_back(element.offset);
  }
  const int64_t group = column_copies_.group;
  emit_loop(b, m.integer(0), copied_places(item, column_copies_), width_, [&](llvm::Value *place) {
    llvm::Value *k = b.CreateMul(place, m.integer(group));
    Values matrix;
    for (llvm::Value *offset : offsets) {
      matrix.push_back(load_along(item, operand, group, offset, k));
    }
    transpose(b, matrix);
    for (int64_t i = 0; i < width_; ++i) {
      llvm::Value *pointer = column_pointer(item, column_copies_, column, b.CreateAdd(place, m.integer(i)));
      store_column(item, matrix[static_cast<size_t>(i)], pointer, column);
    }
  });
}

// Packs the rows of a tile.
void PackedStrategy::emit_rows(Item item, llvm::Value *row, llvm::Value *count) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const auto copy = [&] {
    if (transposes_rows_) {
      emit_copy_rows_transposed(item, row);
    } else {
      emit_loop(b, m.integer(0), count, 1, [&](llvm::Value *r) { emit_copy_row(item, b.CreateAdd(row, r), r); });
    }
  };
  llvm::Value *contracted = b.CreateSub(item.last_k, item.first_k);
  item.copy_begin = m.integer(0);
  item.copy_end = contracted;
  if (!has_row_stage_) {
    copy();
    return;
  }
  emit_loop(b, m.integer(0), contracted, row_copies_.stride, [&](llvm::Value *begin) {
    item.copy_begin = begin;
    item.copy_end = smaller(b, b.CreateAdd(begin, m.integer(row_copies_.stride)), contracted);
    copy();
    emit_row_words(item, count);
  });
}

// Copies one row of the row operand, along k.
void PackedStrategy::emit_copy_row(const Item &item, llvm::Value *row, llvm::Value *tile_row) const {
  const ContractionMemory &m = item.m;
  const Operand operand = problem_.row_operand;
  const ElementOffset of_row = m.locate(row, problem_.rows, operand);
  llvm::Value *const copy = row_pointer(item, row_copies_, tile_row, m.integer(0));
  const bool copies_all = k_blocks_ == 1 && outer_k_ == 1 && !has_row_stage_ && row_copies_.group == 1;
  if (!has_windows(operand) || !copies_all || taps_in_a_row() < width_ / 2) {
    emit_copy_row_by_vectors(item, of_row, copy);
    return;
  }
  emit_if(
      m.b, m.are_inside(m.sum(item.bases[operand], of_row), problem_.contracted),
      [&] {
        emit_copy_row_of_taps(item, of_row, copy);
        return Values();
      },
      [&] {
        emit_copy_row_by_vectors(item, of_row, copy);
        return Values();
      });
}

int64_t PackedStrategy::taps_in_a_row() const {
  int64_t count = 1;
  for (auto axis = block_axes_.rbegin(); axis != block_axes_.rend(); ++axis) {
    if (stride_of(*axis, problem_.row_operand) != count) {
      break;
    }
    count *= axis->size;
  }
  return count;
}

// Copies one row, all of it inside the windows: the taps that are next to each other, and then those after them.
void PackedStrategy::emit_copy_row_of_taps(const Item &item, const ElementOffset &row, llvm::Value *copy) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const Operand operand = problem_.row_operand;
  const int64_t length = taps_in_a_row();
  std::vector<Axis> outer;
  for (int64_t rest = block_k_ / length; rest > 1; rest /= outer.back().size) {
    outer.push_back(block_axes_[outer.size()]);
  }
  llvm::Value *const first = m.sum(item.outer_k[operand], row).offset;
  emit_loop(b, m.integer(0), m.integer(block_k_ / length), 1, [&](llvm::Value *run) {
    llvm::Value *const from = b.CreateAdd(first, m.locate(run, outer, operand).offset);
    llvm::Value *const to = b.CreateMul(run, m.integer(length));
    const auto copy_vector = [&](llvm::Value *in_run, llvm::Value *mask) {
      llvm::Value *const values = m.load(operand, {Lanes::contiguous, in_run, nullptr}, from, mask);
      b.CreateAlignedStore(values, b.CreateGEP(m.sum_type, copy, b.CreateAdd(to, in_run)), m.sum_alignment());
    };
    const int64_t whole = length / width_ * width_;
    emit_loop(b, m.integer(0), m.integer(whole), width_, [&](llvm::Value *in_run) { copy_vector(in_run, nullptr); });
    if (whole < length) {  // what is written beyond is overwritten by the next run or row, or is not read
      llvm::Value *const lanes = m.lane_indices(m.integer(whole));
      copy_vector(m.integer(whole), b.CreateICmpSLT(lanes, llvm::ConstantInt::getSigned(lanes->getType(), length)));
    }
  });
}

// Copies one row by vectors at any contracted elements.
void PackedStrategy::emit_copy_row_by_vectors(const Item &item, const ElementOffset &of_row, llvm::Value *copy) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.row_operand;
  if (has_runs(width_ * row_copies_.group)) {
    emit_copy_row_of_runs(item, of_row, copy);
    return;
  }
  ElementOffset base = m.sum(item.outer_k[operand], of_row);
  if (row_copies_.group > 1) {
    emit_loop(b, m.integer(0), copied_places(item, row_copies_), width_, [&](llvm::Value *place) {
      llvm::Value *k = b.CreateMul(place, m.integer(row_copies_.group));
      llvm::Value *words = load_along(item, operand, row_copies_.group, base.offset, k);
      b.CreateAlignedStore(word_product_->row_words(b, words), b.CreateGEP(m.sum_type, copy, place), m.sum_alignment());
    });
    return;
  }
  emit_loop(b, item.copy_begin, item.copy_end, width_, [&](llvm::Value *in_block) {
    llvm::Value *k = b.CreateAdd(item.first_k, in_block);
    llvm::Value *mask = nullptr;
    if (block_k_ % width_ != 0) {
      llvm::Value *flat = m.lane_indices(k);
      mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), block_k_));
    }
    ElementOffset element;
    if (has_k_table(operand)) {
      auto *table = llvm::FixedVectorType::get(m.lane_index, static_cast<unsigned>(width_));
      auto read = [&](int64_t region) -> llvm::Value * {
        return b.CreateAlignedLoad(table, at(m, item.scratch, region, m.lane_index, in_block), llvm::Align(4));
      };
      element = {read(k_offset_regions_[operand]), std::vector<llvm::Value *>(problem_.windows.size())};
      for (size_t w = 0; w < problem_.windows.size() && operand == lhs_operand; ++w) {
        element.coordinates[w] = k_coordinate_regions_[w] >= 0 ? read(k_coordinate_regions_[w]) : nullptr;
      }
    } else {
      element = m.locate(m.lane_indices(k), block_axes_, operand);
    }
    if (operand == lhs_operand) {
      const ElementOffset *parts[] = {&base, &element};
      mask = m.mask_and(mask, m.mask_of(parts));
    }
    Lanes lanes = m.lanes_of(element, block_axes_, operand, k);
    auto pack = [&](const Lanes &from) {
      b.CreateAlignedStore(m.load(operand, from, base.offset, mask),
                           b.CreateGEP(m.sum_type, copy, b.CreateSub(in_block, item.copy_begin)), m.sum_alignment());
      return Values();
    };
    int64_t stride = 0;
    if (lanes.kind == Lanes::scattered && !has_single_stride(block_axes_, operand, &stride)) {
      emit_if(
          b, m.are_neighbours(lanes.offsets), [&] { return pack(ContractionMemory::as_contiguous(m, lanes)); },
          [&] { return pack(lanes); });
    } else {
      pack(lanes);
    }
  });
}

// Copies one row, whose offset is given, by vectors of neighbours.
void PackedStrategy::emit_copy_row_of_runs(const Item &item, const ElementOffset &row, llvm::Value *copy) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  const Operand operand = problem_.row_operand;
  const int64_t group = row_copies_.group;
  const auto copy_runs = [&](bool may_be_padding) {
    emit_loop(b, m.integer(0), copied_places(item, row_copies_), width_, [&](llvm::Value *place) {
      llvm::Value *in_block = b.CreateAdd(item.copy_begin, b.CreateMul(place, m.integer(group)));
      const ElementOffset element = k_offset(item, in_block, operand);
      const ElementOffset *parts[] = {&row, &element};
      llvm::Value *exists = may_be_padding ? m.mask_of(parts).condition : nullptr;
      llvm::Value *values = load_along(m, operand, group, b.CreateAdd(row.offset, element.offset), exists, nullptr);
      values = group > 1 ? word_product_->row_words(b, values) : values;
      b.CreateAlignedStore(values, b.CreateGEP(m.sum_type, copy, place), m.sum_alignment());
    });
    return Values();
  };
  if (!has_windows(operand)) {
    copy_runs(false);
    return;
  }
  emit_if(
      b, m.are_inside(m.sum(item.bases[operand], row), problem_.contracted), [&] { return copy_runs(false); },
      [&] { return copy_runs(true); });
}

// Copies a tile whose rows are next to each other in memory: reads vectors along the rows and transposes them.
void PackedStrategy::emit_copy_rows_transposed(const Item &item, llvm::Value *row) const {
  const ContractionMemory &m = item.m;
  llvm::IRBuilder<> &b = m.b;
  Operand operand = problem_.row_operand;
  for (int64_t first = 0; first < tile_.rows; first += width_) {
    llvm::Value *first_row = b.CreateAdd(row, m.integer(first));
    llvm::Value *flat = m.lane_indices(first_row);
    llvm::Value *mask = b.CreateICmpSLT(flat, llvm::ConstantInt::getSigned(flat->getType(), rows_));
    const int64_t group = row_copies_.group;
    emit_loop(b, m.integer(0), copied_places(item, row_copies_), width_, [&](llvm::Value *place) {
      Values matrix;
      for (int64_t i = 0; i < width_; ++i) {
        llvm::Value *k = b.CreateMul(b.CreateAdd(place, m.integer(i)), m.integer(group));
        llvm::Value *places = load_across(item, operand, group, {Lanes::contiguous, first_row, nullptr}, k, mask);
        matrix.push_back(group > 1 ? word_product_->row_words(b, places) : places);
      }
      transpose(b, matrix);
      for (int64_t r = 0; r < std::min(width_, tile_.rows - first); ++r) {
        b.CreateAlignedStore(matrix[static_cast<size_t>(r)],
                             row_pointer(item, row_copies_, m.integer(first + r), place), m.sum_alignment());
      }
    });
  }
}

}  // namespace bp::emit
