// Tiles: a team computes a tile of the output. It copies slices of both operands to its memory and multiplies one slice
// there while the next ones along the contracted axes are being copied; each member keeps the sums of some elements of
// the tile. Elements of a slice that do not exist or are in the padding are zero. Derived classes define how slices are
// stored and multiplied.
#pragma once

#include <array>
#include <optional>

#include "plugins/llvm/contraction/gpu/cost.h"
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

  // depth: length of a slice along the contracted axes. unit: minimum number of elements along each side that are
  // multiplied together; a side of the tile is each_ times the unit, where each_ is a power of two.
  TileStrategy(const ContractionProblem &problem, Team &team, int64_t depth, std::array<int64_t, 2> unit,
               const ContractionShape &shape);

  // A slice is stored as lines of elements that follow each other along the contracted axes, or else along the side.
  virtual llvm::Type *slice_type() const = 0;
  virtual bool has_contracted_lines(size_t side) const = 0;
  // Returns the elements of a vector of the operand, from its stored form.
  virtual Values elements(const ContractionMemory &memory, Operand operand, llvm::Value *stored) const = 0;
  // Returns the position (row and column in the tile) of sum number `sum`. The sums of units_together() rows of units,
  // which are written out together, are consecutive.
  virtual OfSides position(const ContractionMemory &memory, size_t sum) const = 0;
  virtual int64_t units_together() const = 0;
  virtual Values multiply(const ContractionMemory &memory, const OfSides &slices, Values sums) const = 0;
  // Whether the multiplication continues asynchronously, until the member multiplies the next slices or calls
  // finish_sums().
  virtual bool multiplies_async() const { return false; }
  virtual Values finish_sums(const ContractionMemory &, Values sums) const { return sums; }
  // slice_offset() returns the offset of an element in a slice, in elements: k along the contracted axis, i along the
  // side; slice_size() returns the number of elements of the slice. By default, lines begin in different banks of
  // memory.
  virtual llvm::Value *slice_offset(const ContractionMemory &memory, size_t side, llvm::Value *k, llvm::Value *i) const;
  virtual int64_t slice_size(size_t side) const;
  virtual int64_t max_memory_bytes() const { return team_.max_memory_bytes(); }
  // Called by a member before it waits for the others, so that the elements it copied are visible to all that multiply.
  virtual void fence_copied(const ContractionMemory &) const {}
  // Whether lines of slices are in the format in which a copy engine writes them.
  virtual bool takes_boxes() const { return false; }
  // Returns the length, a multiple of depth, of the longest chain of additions that keeps enough precision. Longer sums
  // are computed in parts, which are added at the end.
  virtual int64_t longest_chain() const = 0;
  virtual size_t sums() const = 0;  // number of sums per member

  int64_t tile(size_t side) const { return each_[side] * unit_[side]; }
  Operand operand(size_t side) const { return side == row_side ? problem_.row_operand : problem_.column_operand; }
  // Whether the operand is contiguous along the contracted axes; see cost.h.
  bool lies_along_contracted(size_t side) const {
    return emit::lies_along_contracted(problem_, axes(problem_, side), operand(side));
  }

  const ContractionProblem problem_;
  Team &team_;
  const int64_t depth_;
  const std::array<int64_t, 2> unit_, each_;

 private:
  // Neighbours that a member copies to a position in a slice. is_one: i1, whether this piece exists; null: yes.
  struct Piece {
    llvm::Value *slice, *k, *i, *is_one;
    std::optional<ContractionMemory::Loading> loading;  // none: copied asynchronously
  };
  using Pieces = std::vector<Piece>;
  // A side that is copied by a copy engine: the number of its view.
  struct Boxes {
    std::size_t view;
    bool has_batch;
  };
  using BoxesOfSides = std::array<std::optional<Boxes>, 2>;
  class Slices;

  // Returns the offset at which a batch element begins.
  ElementOffset batch_offset(const ContractionMemory &memory, llvm::Value *batch, Operand of) const;
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
  bool may_be_copied_async(size_t side) const;
  bool is_copied_async(const ContractionMemory &memory, size_t side) const;
  int64_t slices_bytes() const;
  int64_t slices_at_once() const;  // number of slices of both sides in memory at once
  llvm::Value *slice_address(const ContractionMemory &memory, size_t side, llvm::Value *slice, llvm::Value *k,
                             llvm::Value *i) const;
  Pieces start_copy(const ContractionMemory &memory, size_t side, const ElementOffset &batch, llvm::Value *first,
                    llvm::Value *first_contracted, llvm::Value *slice) const;
  void finish_copy(const ContractionMemory &memory, size_t side, const Pieces &pieces) const;
  std::optional<TensorView> view(const ContractionMemory &memory, size_t side) const;
  BoxesOfSides make_boxes(const ContractionMemory &memory) const;
  llvm::Value *barrier(const ContractionMemory &memory, llvm::Value *scratch, llvm::Value *slice_number) const;
  void copy_boxes(const ContractionMemory &memory, const BoxesOfSides &boxes, const OfSides &first, llvm::Value *batch,
                  llvm::Value *k, const OfSides &slices, llvm::Value *barrier) const;
  Values add_up(const ContractionMemory &memory, const OfSides &first, llvm::Value *batch, llvm::Value *scratch) const;
  void write_out(const ContractionMemory &memory, const Values &sums, const OfSides &first, const ElementOffset &batch,
                 llvm::Value *scratch) const;

  const std::array<int64_t, 2> size_;  // rows, columns
  const int64_t contracted_;
};

// Tiles whose members multiply numbers of the sums' type.
std::unique_ptr<ContractionStrategy> make_scalar_tiles(const ContractionProblem &problem, Team &team,
                                                       const ContractionShape &shape);
// Tiles for a team that has a MatrixUnit for the elements.
std::unique_ptr<ContractionStrategy> make_matrix_tiles(const ContractionProblem &problem, Team &team,
                                                       const ContractionShape &shape);
// Tiles for a team of two warpgroups that has a WarpgroupUnit for the elements.
std::unique_ptr<ContractionStrategy> make_warpgroup_tiles(const ContractionProblem &problem, Team &team,
                                                          const ContractionShape &shape);

}  // namespace bp::emit
