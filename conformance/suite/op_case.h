// The cases of one operation: its programs (conformance/coverage/programs.h) x element type x shape x layout x values.
//
//   ops/add/f32/prime/random         ops/OP/TYPE/SHAPE/VALUES
//   ops/convert.s8/f32/prime/edge    a variant of the op's program: here what it converts to
//   ops/add/f32/matrix.transposed/random    how the matrix is stored: see Storage
//   ops/exponential/f32/sweep/0x3f   the operands with this highest byte
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/coverage/programs.h"
#include "conformance/suite/subject.h"
#include "conformance/suite/values.h"

namespace bp::conformance {

// How arrays are stored that have two or more dimensions.
enum class Storage : std::uint8_t {
  RowMajor,
  TransposedOperands,  // parameters have their last dimension first
  TransposedLast,      // the last one of several parameters has
  TransposedResult,
  Tiled,  // all in the same tiles, in which they leave gaps
};

// A class of shapes, defined by the one size from which all shapes of a program are derived.
struct ShapeClass {
  std::string_view name;
  coverage::Size size;
  Storage storage = Storage::RowMajor;
};
// Shape class of programs that do not depend on a size.
inline constexpr std::string_view fixed_shape = "fixed";

struct OpCase {
  const ir::OpInfo *op = nullptr;
  std::string variant;
  ir::ElementType type = ir::ElementType::Invalid;  // Invalid: the op's programs have no element type
  ShapeClass shape;
  Values values = Values::Random;
  std::uint32_t highest_byte = 0;  // highest byte of the operands, for a sweep

  std::string id() const;
  static std::optional<OpCase> parse(std::string_view id);
  // Returns the program, verified, but without the tiles of Storage::Tiled, which depend on the device. Fails if there
  // is no such program, or none for this type and shape.
  Result<ir::Module> module() const;
};

// Returns the ids of the cases of an op. Cases that share a program are adjacent.
std::vector<std::string> list_op_cases(const ir::OpInfo &op, Mode mode);

}  // namespace bp::conformance
