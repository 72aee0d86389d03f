// Team: the threads that work together on one item of a kernel, such as a row; on a GPU a thread block or a part of
// one. All members run the same code and reach its wait() and shuffle_xor() calls together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

// A unit that multiplies a matrix of 16 rows by one of 8 columns (PTX: mma). Rows and columns have 32 bytes along the
// contracted axis: the narrower the elements, the more of them are contracted. A member's lane is its number among the
// members that exchange values (a warp); g = lane / 4 and p = lane % 4. Each member holds these i32 words, each with
// some neighbours along the contracted axis, and these sums, which are f32, or i32 for integers:
// | a    | rows g, g + 8, g, g + 8; the first two words at byte 4p, the last two at byte 16 + 4p |
// | b    | column g; the first word at byte 4p, the second at byte 16 + 4p                       |
// | sums | row g, columns 2p and 2p + 1; row g + 8, the same columns                             |
struct MatrixUnit {
  static constexpr std::int64_t rows = 16, columns = 8, contracted_bytes = 32;
  static constexpr std::int64_t sums = 4;  // per member
};
// TF32 is an f32 rounded to the mantissa bits of f16.
enum class MatrixElement : std::uint8_t { F16, BF16, TF32, S8, U8 };
constexpr bool is_integer(MatrixElement element) {
  return element == MatrixElement::S8 || element == MatrixElement::U8;
}
constexpr std::int64_t bytes_of(MatrixElement element) {
  return is_integer(element) ? 1 : element == MatrixElement::TF32 ? 4 : 2;
}

// A unit that multiplies for 128 members together, a warpgroup (PTX: wgmma): a slice of 64 rows by one of 64 to 256
// columns, a multiple of 8, both of 128 bytes along the contracted axis. It reads the slices from the team's memory
// itself. A slice is stored in lines of 128 bytes and begins at a multiple of 1024 bytes. Within line n, 16-byte chunk
// c is stored at chunk position c xor (n % 8).
// The lines run along the contracted axis, one for each row or column. Alternatively, for elements of two bytes, they
// run along the side: one line with 64 neighbouring rows or columns for each of 64 indices of the contracted axis, then
// such lines for the next 64 neighbours.
// With warp = member % 128 / 32, g = lane / 4 and p = lane % 4, a member holds four sums of each 8 columns:
// | sums | row 16 warp + g, columns 2p and 2p + 1; row 16 warp + g + 8, the same columns |
struct WarpgroupUnit {
  static constexpr std::int64_t members = 128, rows = 64, min_columns = 64, max_columns = 256;
  static constexpr std::int64_t line_bytes = 128, lines_together = 8, alignment = 1024;
  static constexpr std::int64_t neighbours = 64;                        // in a line along the side
  static constexpr std::int64_t block_bytes = neighbours * line_bytes;  // from one group of neighbours to the next
};
struct WarpgroupSlice {
  llvm::Value *memory;
  bool has_contracted_lines;
};

// An array in a kernel's argument as a copy engine sees it (PTX: the tensor map of TMA): by up to five dimensions, the
// innermost first, whose elements are neighbours in memory. The engine copies one box of the array at a time; elements
// of a box outside the array are written as zeros. Lines of a box that are as long as those of a WarpgroupUnit are
// stored in the order that the unit expects.
struct TensorView {
  static constexpr std::size_t max_dimensions = 5;
  struct Dimension {
    std::int64_t size, stride, box;  // in elements; all strides but the first are multiples of 16 bytes
  };
  llvm::Value *pointer = nullptr;
  std::int64_t offset = 0;  // in elements; pointer plus offset is a multiple of 16 bytes
  std::int64_t element_bytes = 1;
  std::vector<Dimension> dimensions;
};

class Team {
 public:
  virtual ~Team() = default;
  // The number of threads, a power of two, and the number of those among them that can exchange values, at most size().
  virtual std::int64_t size() const = 0;
  virtual std::int64_t exchange_width() const = 0;
  virtual llvm::Value *member() const = 0;  // i64, less than size()
  // i1: whether the work of the team is needed; null: always. A team whose work is not needed runs the same code but
  // must not write.
  virtual llvm::Value *has_work() const = 0;

  // Waits for the other members. What they wrote to the team's memory before is visible afterwards.
  virtual void wait(llvm::IRBuilderBase &builder) = 0;
  // Returns the value, of any compute type, that member ^ mask passes; mask is less than exchange_width().
  virtual llvm::Value *shuffle_xor(llvm::IRBuilderBase &builder, llvm::Value *value, std::uint32_t mask) = 0;
  // Whether there is a MatrixUnit for these elements. mma() returns sums + a * b.
  virtual bool has_matrix_unit(MatrixElement element) const = 0;
  virtual std::vector<llvm::Value *> mma(llvm::IRBuilderBase &builder, MatrixElement element,
                                         std::span<llvm::Value *const> a, std::span<llvm::Value *const> b,
                                         std::span<llvm::Value *const> sums) = 0;
  // Loads four matrices of 8 lines of 16 bytes from the team's memory (PTX: ldmatrix). Among the members that exchange
  // values, member 8 n + i passes the address of line i of matrix n. From each matrix a member gets the four bytes at
  // byte 4p of line g, with g and p as in MatrixUnit. From a matrix that is transposed, which has elements of two
  // bytes, it gets elements 2p and 2p + 1 of column g. transposed: whether all four are.
  virtual std::vector<llvm::Value *> ldmatrix(llvm::IRBuilderBase &builder, llvm::Value *line, bool transposed) = 0;
  // Whether there is a WarpgroupUnit for these elements. wgmma() returns sums + rows * columns (PTX: wgmma.mma_async).
  // The unit continues with a multiplication after the call has returned, until the next multiplication of the same
  // sums, or wgmma_wait(), has returned; until then the slices must not be written, and the sums must only be passed to
  // these two. The unit sees what members wrote to the team's memory if they called proxy_fence() after the writes, and
  // then wait().
  virtual bool has_warpgroup_unit(MatrixElement element) const = 0;
  virtual std::vector<llvm::Value *> wgmma(llvm::IRBuilderBase &builder, MatrixElement element,
                                           const WarpgroupSlice &rows, const WarpgroupSlice &columns,
                                           std::span<llvm::Value *const> sums) = 0;
  virtual std::vector<llvm::Value *> wgmma_wait(llvm::IRBuilderBase &builder, std::span<llvm::Value *const> sums) = 0;
  virtual void proxy_fence(llvm::IRBuilderBase &builder) = 0;
  // Whether members can copy 16 bytes to the team's memory asynchronously (PTX: cp.async); both addresses are aligned
  // to 16 bytes. If is_there (i1; null: always true) is false, zeros are written. All copies started since the last
  // cp_async_commit() form a group. cp_async_wait() waits for all groups except the newest `last` ones; their bytes are
  // then visible to the member, and to the other members after the next wait().
  virtual bool has_async_copy() const = 0;
  virtual void cp_async(llvm::IRBuilderBase &builder, llvm::Value *to, llvm::Value *from, llvm::Value *is_there) = 0;
  virtual void cp_async_commit(llvm::IRBuilderBase &builder) = 0;
  virtual void cp_async_wait(llvm::IRBuilderBase &builder, std::uint32_t last) = 0;
  // Whether there is an engine that copies boxes (PTX: cp.async.bulk.tensor), and room for one more view. add_view()
  // registers a view and returns its number. A barrier (PTX: mbarrier) is 8 bytes of the team's memory, initialized by
  // one member before a wait(). It is used for one phase after the other. A phase ends when as many bytes were copied
  // as one member announced with mbarrier_expect_bytes(). Members that wait for its end see the bytes; is_odd: phases
  // are alternately even and odd. coordinates: i32, those of the box's first element, by dimension.
  virtual bool has_copy_engine() const = 0;
  virtual std::size_t add_view(const TensorView &view) = 0;
  virtual void init_mbarrier(llvm::IRBuilderBase &builder, llvm::Value *barrier) = 0;
  virtual void mbarrier_expect_bytes(llvm::IRBuilderBase &builder, llvm::Value *barrier, std::uint32_t bytes) = 0;
  virtual void tma_load(llvm::IRBuilderBase &builder, std::size_t view, std::span<llvm::Value *const> coordinates,
                        llvm::Value *to, llvm::Value *barrier) = 0;
  virtual void mbarrier_wait(llvm::IRBuilderBase &builder, llvm::Value *barrier, llvm::Value *is_odd) = 0;
  // Memory shared by the team, aligned to 64 bytes, or to 1024 for a team that has a warpgroup unit, or to 16 for a
  // team that is interleaved with others; requested at most once. max_memory_bytes() is the limit that leaves room for
  // other teams, whole_memory_bytes() is all that there is.
  virtual std::int64_t max_memory_bytes() const = 0;
  virtual std::int64_t whole_memory_bytes() const = 0;
  virtual llvm::Value *memory(llvm::IRBuilderBase &builder, std::int64_t bytes) = 0;
};

// Combines two lists of the same number of values, which may be vectors.
using Combine = std::function<std::vector<llvm::Value *>(std::span<llvm::Value *const>, std::span<llvm::Value *const>)>;
// Returns the combination of the values of all members, the same in each member. memory: reduction_bytes() of the
// team's memory, not in use by an earlier combination that no wait() separates from this one; unused if all members can
// exchange values.
std::vector<llvm::Value *> combine_members(llvm::IRBuilderBase &builder, Team &team, std::vector<llvm::Value *> values,
                                           llvm::Value *memory, const Combine &combine);
// shown_bytes(): the bytes of that memory that a value of `bytes` bytes takes. reduction_bytes(): `shown` is the sum of
// shown_bytes() of the values.
std::int64_t shown_bytes(std::int64_t bytes);
std::int64_t reduction_bytes(const Team &team, std::int64_t shown);

// The combination of the values of all members before this one, in their order; undefined for the first member.
struct ScannedMembers {
  std::vector<llvm::Value *> before, all;  // all: the combination of all members, the same in each
  llvm::Value *is_after_any = nullptr;     // i1: the member is not the first
};
// memory: as for combine_members().
ScannedMembers scan_members(llvm::IRBuilderBase &builder, Team &team, std::vector<llvm::Value *> values,
                            llvm::Value *memory, const Combine &combine);

}  // namespace bp::emit
