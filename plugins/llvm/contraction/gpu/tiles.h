// Tiles: a team does a tile of the output. It copies slices of both operands to its memory, and multiplies one from there
// while the next ones along the contracted axes are on their way; each member keeps the sums of some elements of the tile.
// Elements of a slice that are not there, or lie in the padding, are zero. How slices lie in memory and are multiplied is
// for those that derive.
#pragma once

#include <array>
#include <optional>

#include "plugins/llvm/contraction/strategy.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

class TileStrategy : public ContractionStrategy {
 public:
  int64_t items() const override { return tiles(); }
  int64_t scratch_bytes() const override;
  void emit_item(const ContractionMemory &memory, llvm::Value *item, llvm::Value *scratch) const override;

 protected:
  static constexpr size_t row_side = 0, column_side = 1;
  using OfSides = std::array<llvm::Value *, 2>;

  // depth: of the contracted axes, in a slice. unit: elements along each side that are multiplied at least, of which a side
  // of the tile has each_, a power of two.
  TileStrategy(const ContractionProblem &problem, Team &team, int64_t depth, std::array<int64_t, 2> unit,
               const ContractionShape &shape);

  // A slice in memory is lines of neighbours along the contracted axes, or else along the side.
  virtual llvm::Type *slice_type() const = 0;
  virtual bool has_contracted_lines(size_t side) const = 0;
  // The elements of a vector of the operand, as it is stored.
  virtual Values elements(const ContractionMemory &memory, Operand operand, llvm::Value *stored) const = 0;
  // The element of the tile that a sum is of: row and column. Of every few rows of units, which are written out together,
  // come as many sums, one after the other.
  virtual OfSides position(const ContractionMemory &memory, size_t sum) const = 0;
  virtual int64_t units_together() const = 0;
  virtual Values multiply(const ContractionMemory &memory, const OfSides &slices, Values sums) const = 0;
  // Whether that goes on after the member did, until it multiplies the next slices, or finishes.
  virtual bool multiplies_behind() const { return false; }
  virtual Values finish_sums(const ContractionMemory &, Values sums) const { return sums; }
  // The place of an element in a slice, in elements: k along the contracted axis, i along the side; and the whole slice.
  // Unless a strategy knows better, lines begin in different banks of memory.
  virtual llvm::Value *slice_place(const ContractionMemory &memory, size_t side, llvm::Value *k, llvm::Value *i) const;
  virtual int64_t slice_size(size_t side) const;
  virtual int64_t max_memory_bytes() const { return team_.max_memory_bytes(); }
  // What a member does before it waits for the others, so that what it copied is there for all who multiply.
  virtual void show_copied(const ContractionMemory &) const {}
  // Whether lines of slices are as a copy engine brings them.
  virtual bool takes_boxes() const { return false; }
  // Longer chains of additions lose too much; they are parts, added in the end. A multiple of depth.
  virtual int64_t longest_chain() const = 0;
  virtual size_t sums() const = 0;  // of a member

  int64_t tile(size_t side) const { return each_[side] * unit_[side]; }
  Operand operand(size_t side) const { return side == row_side ? problem_.row_operand : problem_.column_operand; }
  // Whether neighbours in the operand's memory are neighbours along the contracted axes.
  bool lies_along_contracted(size_t side) const {
    return emit::lies_along_contracted(problem_, axes(problem_, side), operand(side));
  }

  const ContractionProblem problem_;
  Team &team_;
  const int64_t depth_;
  const std::array<int64_t, 2> unit_, each_;

 private:
  // Some neighbours that a member copies to a slice, to where these are. is_one (i1, null: yes): there are as many.
  struct Piece {
    llvm::Value *slice, *k, *i, *is_one;
    std::optional<ContractionMemory::Loading> loading;  // none: it comes by itself
  };
  using Pieces = std::vector<Piece>;
  // A side that a copy engine brings: the number of its view.
  struct Boxes {
    std::size_t view;
    bool has_batch;
  };
  using BoxesOfSides = std::array<std::optional<Boxes>, 2>;

  // Where a batch begins.
  Place batch_place(const ContractionMemory &memory, llvm::Value *batch, Operand of) const;
  int64_t tiles_along(size_t side) const { return divide_up(size_[side], tile(side)); }
  int64_t tiles() const { return total_size(problem_.batch) * tiles_along(row_side) * tiles_along(column_side); }
  static const std::vector<Axis> &axes(const ContractionProblem &problem, size_t side) {
    return side == row_side ? problem.rows : problem.columns;
  }
  int64_t line_stride(size_t side) const;
  int64_t sums_stride() const;
  int64_t piece_lanes(size_t side) const {
    return emit::piece_lanes(problem_, axes(problem_, side), operand(side), tile(side), depth_);
  }
  bool may_come_by_itself(size_t side) const;
  bool comes_by_itself(const ContractionMemory &memory, size_t side) const;
  int64_t slices_bytes() const;
  int64_t slices_at_once() const;  // of both sides
  llvm::Value *slice_address(const ContractionMemory &memory, size_t side, llvm::Value *slice, llvm::Value *k,
                             llvm::Value *i) const;
  Pieces start_copy(const ContractionMemory &memory, size_t side, const Place &batch, llvm::Value *first,
                    llvm::Value *first_contracted, llvm::Value *slice) const;
  void finish_copy(const ContractionMemory &memory, size_t side, const Pieces &pieces) const;
  std::optional<TensorView> view(const ContractionMemory &memory, size_t side) const;
  BoxesOfSides make_boxes(const ContractionMemory &memory) const;
  llvm::Value *barrier(const ContractionMemory &memory, llvm::Value *scratch, llvm::Value *slice_number) const;
  void copy_boxes(const ContractionMemory &memory, const BoxesOfSides &boxes, const OfSides &first, llvm::Value *batch,
                  llvm::Value *k, const OfSides &slices, llvm::Value *barrier) const;
  Values add_up(const ContractionMemory &memory, const OfSides &first, llvm::Value *batch, llvm::Value *scratch) const;
  void write_out(const ContractionMemory &memory, const Values &sums, const OfSides &first, const Place &batch,
                 llvm::Value *scratch) const;

  const std::array<int64_t, 2> size_;  // by side
  const int64_t contracted_;
};

// Members multiply numbers of the sums' type.
std::unique_ptr<ContractionStrategy> make_scalar_tiles(const ContractionProblem &problem, Team &team,
                                                       const ContractionShape &shape);
// The team has a matrix unit for them.
std::unique_ptr<ContractionStrategy> make_matrix_tiles(const ContractionProblem &problem, Team &team,
                                                       const ContractionShape &shape);
// Likewise of a team of two warpgroups.
std::unique_ptr<ContractionStrategy> make_warpgroup_tiles(const ContractionProblem &problem, Team &team,
                                                          const ContractionShape &shape);

}  // namespace bp::emit
