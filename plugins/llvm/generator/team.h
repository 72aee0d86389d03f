// Team: the threads that do one item of a kernel together, such as a row. They run the same code and come to the same
// places of it together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

// A unit that multiplies a matrix of 16 rows by one of 8 columns, both of 32 bytes: the narrower its elements, the more are
// contracted. With g = lane / 4 and p = lane % 4, of those that exchange values a member has these i32, each some
// neighbours along the contracted axis, and these sums, which are f32, or i32 of integers:
// | a    | rows g, g + 8, g, g + 8, at 4p of the first 16 bytes, twice, and of the last 16, twice |
// | b    | column g, at 4p of the first 16 bytes, and of the last 16                             |
// | sums | row g, columns 2p and 2p + 1; row g + 8, the same columns                             |
struct MatrixUnit {
  static constexpr std::int64_t rows = 16, columns = 8, contracted_bytes = 32;
  static constexpr std::int64_t sums = 4;  // of a member
};
// TF32 is an f32 rounded to the digits of f16.
enum class MatrixElement : std::uint8_t { F16, BF16, TF32, S8, U8 };
constexpr bool is_integer(MatrixElement element) {
  return element == MatrixElement::S8 || element == MatrixElement::U8;
}
constexpr std::int64_t bytes_of(MatrixElement element) {
  return is_integer(element) ? 1 : element == MatrixElement::TF32 ? 4 : 2;
}

// A unit that 128 members, a warpgroup, have together: it multiplies a slice of 64 rows by one of some columns, 64 to 256,
// a multiple of 8, both of 128 bytes along the contracted axis, and reads them from the team's memory itself. A slice lies
// in lines of 128 bytes, each 16 bytes of line n where their number xor n % 8 says; it begins at a multiple of 1024 bytes.
// The lines are along the contracted axis, one for each row or column; or else, of elements of two bytes, along the side:
// of 64 neighbours those at each of 64 places of the contracted axis, then the next 64 neighbours likewise.
// With warp = member % 128 / 32, g = lane / 4 and p = lane % 4, a member has, of each 8 columns, four sums:
// | sums | row 16 warp + g, columns 2p and 2p + 1; row 16 warp + g + 8, the same columns |
struct WarpgroupUnit {
  static constexpr std::int64_t members = 128, rows = 64, min_columns = 64, max_columns = 256;
  static constexpr std::int64_t line_bytes = 128, lines_together = 8, alignment = 1024;
  static constexpr std::int64_t neighbours = 64;                        // in a line along the side
  static constexpr std::int64_t block_bytes = neighbours * line_bytes;  // from some neighbours to the next
};
struct WarpgroupSlice {
  llvm::Value *memory;
  bool has_contracted_lines;
};

// An array of a kernel's argument as a copy engine sees it: by up to five dimensions, the innermost first, whose elements
// are neighbours in memory. Of these it copies a box at a time; what of it is outside comes as zeros. Lines of a box, as long
// as those of a WarpgroupUnit, come to lie as the unit wants them.
struct TensorView {
  static constexpr std::size_t max_dimensions = 5;
  struct Dimension {
    std::int64_t size, stride, box;  // in elements; strides but the first are multiples of 16 bytes
  };
  llvm::Value *pointer = nullptr;
  std::int64_t offset = 0;  // elements; with the pointer, a multiple of 16 bytes
  std::int64_t element_bytes = 1;
  std::vector<Dimension> dimensions;
};

class Team {
 public:
  virtual ~Team() = default;
  // Threads, a power of two; and those of them that can exchange values, at most as many.
  virtual std::int64_t size() const = 0;
  virtual std::int64_t exchanging() const = 0;
  virtual llvm::Value *member() const = 0;  // i64, below size
  // i1, or null for always: what it does is wanted. A team of which nothing is wanted runs along and must not write.
  virtual llvm::Value *is_wanted() const = 0;

  // Waits for the others. What they wrote to the team's memory before is there.
  virtual void wait(llvm::IRBuilderBase &builder) = 0;
  // The value, of any compute type, that member ^ mask has; mask is below exchanging().
  virtual llvm::Value *exchange(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint32_t mask) = 0;
  // Whether there is a unit for such elements; its sums + a * b.
  virtual bool has_matrix_unit(MatrixElement element) const = 0;
  virtual std::vector<llvm::Value *> multiply_matrices(llvm::IRBuilderBase &builder, MatrixElement element,
                                                       std::span<llvm::Value *const> a, std::span<llvm::Value *const> b,
                                                       std::span<llvm::Value *const> sums) = 0;
  // Four matrices of 8 lines of 16 bytes in the team's memory: member 8 n + i, of those that exchange values, says where
  // line i of matrix n is. Of each, a member gets the four bytes at 4p of line g, g and p as above; of those that are to be
  // turned, which have elements of two bytes, elements 2p and 2p + 1 of column g.
  virtual std::vector<llvm::Value *> load_matrices(llvm::IRBuilderBase &builder, llvm::Value *line,
                                                   bool are_turned) = 0;
  // Likewise for a warpgroup: sums + rows * columns. The unit goes on with one multiplication after the call has returned,
  // until the next one, of the same sums, has returned, or finish_slices(); till then the slices must not be written, and the
  // sums not be used but for that. What members wrote to the team's memory it finds there if they called show_to_unit() after
  // that, and then wait().
  virtual bool has_warpgroup_unit(MatrixElement element) const = 0;
  virtual std::vector<llvm::Value *> multiply_slices(llvm::IRBuilderBase &builder, MatrixElement element,
                                                     const WarpgroupSlice &rows, const WarpgroupSlice &columns,
                                                     std::span<llvm::Value *const> sums) = 0;
  virtual std::vector<llvm::Value *> finish_slices(llvm::IRBuilderBase &builder,
                                                   std::span<llvm::Value *const> sums) = 0;
  virtual void show_to_unit(llvm::IRBuilderBase &builder) = 0;
  // Whether 16 bytes can be copied to the team's memory while the member goes on; both places are aligned to as many.
  // Where is_there (i1, or null for everywhere) denies, zeros come. All that were started since the last end_copies() are a
  // group; they are there for the member once it has waited for all groups but the `last` ones, for the others after the
  // next wait().
  virtual bool copies_by_itself() const = 0;
  virtual void start_copy(llvm::IRBuilderBase &builder, llvm::Value *to, llvm::Value *from, llvm::Value *is_there) = 0;
  virtual void end_copies(llvm::IRBuilderBase &builder) = 0;
  virtual void wait_for_copies(llvm::IRBuilderBase &builder, std::uint32_t last) = 0;
  // Whether there is an engine that copies boxes, and room for one more view; then makes it known and returns its number. A
  // barrier is 8 bytes of the team's memory, made by one member, before a wait(), for one phase after the other. A phase ends
  // when as many bytes were copied as one member said. Members that wait for its end, phases being even and odd in turn, find
  // them there. coordinates: i32, of the box's first element, by dimension.
  virtual bool has_copy_engine() const = 0;
  virtual std::size_t add_view(const TensorView &view) = 0;
  virtual void make_barrier(llvm::IRBuilderBase &builder, llvm::Value *barrier) = 0;
  virtual void expect_bytes(llvm::IRBuilderBase &builder, llvm::Value *barrier, std::uint32_t bytes) = 0;
  virtual void copy_box(llvm::IRBuilderBase &builder, std::size_t view, std::span<llvm::Value *const> coordinates,
                        llvm::Value *to, llvm::Value *barrier) = 0;
  virtual void wait_for_phase(llvm::IRBuilderBase &builder, llvm::Value *barrier, llvm::Value *is_odd) = 0;
  // Memory of all of the team, aligned to 64 bytes, or to 1024 of one that has a warpgroup unit, or to 16 of one that lies
  // side by side with others; asked for at most once. At most so much, beside which there is room for other teams; or all
  // that there is.
  virtual std::int64_t max_memory_bytes() const = 0;
  virtual std::int64_t whole_memory_bytes() const = 0;
  virtual llvm::Value *memory(llvm::IRBuilderBase &builder, std::int64_t bytes) = 0;
};

// Both have as many values, which may have lanes.
using Combine = std::function<std::vector<llvm::Value *>(std::span<llvm::Value *const>, std::span<llvm::Value *const>)>;
// What comes out when the values of all members are combined, the same in each. memory: reduction_bytes() of the team,
// which must not be in use by another one of these that no wait separates; unused if all members can exchange.
std::vector<llvm::Value *> combine_members(llvm::IRBuilderBase &builder, Team &team, std::vector<llvm::Value *> values,
                                           llvm::Value *memory, const Combine &combine);
// shown: shown_bytes() of each of the values, together, which is what a value of so many bytes takes there.
std::int64_t shown_bytes(std::int64_t bytes);
std::int64_t reduction_bytes(const Team &team, std::int64_t shown);

// What the values of the members before one combine to, in their order; of the first, anything.
struct ScannedMembers {
  std::vector<llvm::Value *> before, all;  // all: the same in each
  llvm::Value *is_after_any = nullptr;     // i1: it is not the first
};
// memory: as above.
ScannedMembers scan_members(llvm::IRBuilderBase &builder, Team &team, std::vector<llvm::Value *> values,
                            llvm::Value *memory, const Combine &combine);

}  // namespace bp::emit
