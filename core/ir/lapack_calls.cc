#include "core/ir/lapack_calls.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace bp::ir {
namespace {

struct RoutineName {
  std::string_view name;
  LapackRoutine routine;
};
constexpr std::array routine_names = {
    RoutineName{"potrf", LapackRoutine::Potrf}, RoutineName{"trsm", LapackRoutine::Trsm},
    RoutineName{"getrf", LapackRoutine::Getrf}, RoutineName{"geqrf", LapackRoutine::Geqrf},
    RoutineName{"orgqr", LapackRoutine::Orgqr}, RoutineName{"ungqr", LapackRoutine::Orgqr},
    RoutineName{"syevd", LapackRoutine::Syevd}, RoutineName{"heevd", LapackRoutine::Syevd},
    RoutineName{"gesdd", LapackRoutine::Gesdd}, RoutineName{"gtsv", LapackRoutine::Gtsv},
    RoutineName{"gehrd", LapackRoutine::Gehrd}, RoutineName{"sytrd", LapackRoutine::Sytrd},
    RoutineName{"hetrd", LapackRoutine::Sytrd},
};

struct TypedRoutine {
  LapackRoutine routine = LapackRoutine::None;
  ElementType type = ElementType::Invalid;
};

// Returns the routine that a target names, such as "lapack_spotrf_ffi" for f32.
TypedRoutine routine_of(std::string_view target) {
  constexpr std::string_view beginning = "lapack_", ending = "_ffi";
  if (!target.starts_with(beginning) || !target.ends_with(ending) ||
      target.size() <= beginning.size() + ending.size()) {
    return {};
  }
  target.remove_prefix(beginning.size());
  target.remove_suffix(ending.size());
  const char letter = target[0];
  const ElementType type = letter == 's'   ? ElementType::F32
                           : letter == 'd' ? ElementType::F64
                           : letter == 'c' ? ElementType::C64
                           : letter == 'z' ? ElementType::C128
                                           : ElementType::Invalid;
  const auto *found = std::ranges::find(routine_names, target.substr(1), &RoutineName::name);
  return type == ElementType::Invalid || found == routine_names.end() ? TypedRoutine{}
                                                                      : TypedRoutine{found->routine, type};
}

// Returns the number that a flag has; 0 if there is no such flag.
int number(std::string_view config, std::string_view name) {
  for (std::size_t at = config.find(name); at != std::string_view::npos; at = config.find(name, at + 1)) {
    const bool is_whole = at > 0 && (config[at - 1] == '{' || config[at - 1] == ' ' || config[at - 1] == ',');
    std::string_view rest = config.substr(at + name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (is_whole && rest.starts_with('=')) {
      rest.remove_prefix(1);
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      int value = 0;
      const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      return code == std::errc() ? value : 0;
    }
  }
  return 0;
}

// Returns the letter that a flag has as a number.
char flag(std::string_view config, std::string_view name) {
  const int letter = number(config, name);
  return letter > 0 && letter < 128 ? static_cast<char>(letter) : '\0';
}

ElementType real_type(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

// Checks the parts of a call against those of a routine. The first operand has the matrices.
class Parts {
 public:
  explicit Parts(const Instruction &call) : call_(call), a_(call.operand(0).shape()) {
    if (call.shape().is_tuple()) {
      results_.assign(call.shape().elements().begin(), call.shape().elements().end());
    } else {
      results_ = {call.shape()};
    }
  }

  bool counts(std::size_t operands, std::size_t results) const {
    return call_.operands().size() == operands && results_.size() == results &&
           call_.shape().is_tuple() == (results > 1);
  }
  // Whether these are as many matrices as the first operand has, with these sizes.
  bool is_matrix(const Shape &shape, std::int64_t rows, std::int64_t columns) const {
    return is_array(shape, a_.element_type(), {rows, columns}) && is_by_columns(shape);
  }
  bool is_vector(const Shape &shape, ElementType type, std::int64_t size) const {
    return is_array(shape, type, {size});
  }
  bool is_number(const Shape &shape) const { return is_array(shape, ElementType::S32, {}); }

  const Shape &result(std::size_t i) const { return results_[i]; }
  Shape operand(std::size_t i) const { return call_.operand(i).shape(); }

 private:
  bool is_array(const Shape &shape, ElementType type, std::initializer_list<std::int64_t> sizes) const {
    const std::size_t batch = batch_rank();
    return shape.is_array() && shape.is_static() && shape.element_type() == type &&
           shape.rank() == batch + sizes.size() &&
           std::ranges::equal(shape.sizes().first(batch), a_.sizes().first(batch)) &&
           std::ranges::equal(shape.sizes().subspan(batch), std::span(sizes.begin(), sizes.size()));
  }
  // The diagonals of gtsv are vectors.
  std::size_t batch_rank() const {
    const bool has_diagonals = call_.operands().size() == 4;
    return a_.rank() - (has_diagonals ? 1 : 2);
  }
  // The layout says nothing if there is one row or column.
  static bool is_by_columns(const Shape &shape) {
    const auto rows = static_cast<std::int64_t>(shape.rank()) - 2;
    return shape.size(shape.rank() - 1) <= 1 || shape.size(shape.rank() - 2) <= 1 ||
           (shape.layout().minor_to_major[0] == rows && shape.layout().minor_to_major[1] == rows + 1);
  }

  const Instruction &call_;
  Shape a_;
  std::vector<Shape> results_;
};

// Types and sizes of a call. The matrices are m x n; the diagonals of gtsv have n elements.
struct Sizes {
  ElementType type, real;
  std::int64_t m, n, least;
};

bool fits_potrf(const Parts &parts, const LapackCall &, const Sizes &s) {
  return s.m == s.n && parts.is_matrix(parts.result(0), s.n, s.n) && parts.is_number(parts.result(1));
}

bool fits_trsm(const Parts &parts, const LapackCall &call, const Sizes &s) {
  const Shape b = parts.operand(1);
  if (s.m != s.n || !b.is_array() || b.rank() != parts.operand(0).rank() || b.element_type() != s.type) {
    return false;
  }
  const std::int64_t rows = b.size(b.rank() - 2), columns = b.size(b.rank() - 1);
  return (call.is_left ? rows : columns) == s.n && parts.is_matrix(parts.result(0), rows, columns);
}

bool fits_getrf(const Parts &parts, const LapackCall &, const Sizes &s) {
  return parts.is_matrix(parts.result(0), s.m, s.n) && parts.is_vector(parts.result(1), ElementType::S32, s.least) &&
         parts.is_number(parts.result(2));
}

bool fits_geqrf(const Parts &parts, const LapackCall &, const Sizes &s) {
  return parts.is_matrix(parts.result(0), s.m, s.n) && parts.is_vector(parts.result(1), s.type, s.least);
}

bool fits_orgqr(const Parts &parts, const LapackCall &, const Sizes &s) {
  const Shape taus = parts.operand(1);
  if (!taus.is_array() || taus.rank() + 1 != parts.operand(0).rank()) {
    return false;
  }
  const std::int64_t count = taus.size(taus.rank() - 1);
  return count >= 1 && count <= s.n && s.n <= s.m && parts.is_vector(taus, s.type, count) &&
         parts.is_matrix(parts.result(0), s.m, s.n);
}

bool fits_syevd(const Parts &parts, const LapackCall &, const Sizes &s) {
  return s.m == s.n && parts.is_matrix(parts.result(0), s.n, s.n) && parts.is_vector(parts.result(1), s.real, s.n) &&
         parts.is_number(parts.result(2));
}

bool fits_gesdd(const Parts &parts, const LapackCall &, const Sizes &s) {
  const Shape &u = parts.result(2), &v = parts.result(3);
  const bool is_full = parts.is_matrix(u, s.m, s.m) && parts.is_matrix(v, s.n, s.n);
  const bool is_reduced = parts.is_matrix(u, s.m, s.least) && parts.is_matrix(v, s.least, s.n);
  return parts.is_matrix(parts.result(0), s.m, s.n) && parts.is_vector(parts.result(1), s.real, s.least) &&
         (is_full || is_reduced) && parts.is_number(parts.result(4));
}

bool fits_gehrd(const Parts &parts, const LapackCall &, const Sizes &s) {
  return s.m == s.n && s.n >= 2 && parts.is_matrix(parts.result(0), s.n, s.n) &&
         parts.is_vector(parts.result(1), s.type, s.n - 1) && parts.is_number(parts.result(2));
}

bool fits_sytrd(const Parts &parts, const LapackCall &, const Sizes &s) {
  return s.m == s.n && s.n >= 2 && parts.is_matrix(parts.result(0), s.n, s.n) &&
         parts.is_vector(parts.result(1), s.real, s.n) && parts.is_vector(parts.result(2), s.real, s.n - 1) &&
         parts.is_vector(parts.result(3), s.type, s.n - 1) && parts.is_number(parts.result(4));
}

bool fits_gtsv(const Parts &parts, const LapackCall &, const Sizes &s) {
  const std::size_t rank = parts.operand(0).rank();
  const Shape b = parts.operand(3);
  if (!b.is_array() || b.rank() != rank + 1 || b.element_type() != s.type) {
    return false;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!parts.is_vector(parts.operand(i), s.type, s.n) || !parts.is_vector(parts.result(i), s.type, s.n)) {
      return false;
    }
  }
  return parts.is_matrix(parts.result(3), s.n, b.size(rank)) && parts.is_number(parts.result(4));
}

// The flags that a routine has; Range: the rows and columns that gehrd reduces, which must be all.
enum Flags : std::uint8_t { NoFlags = 0, Triangle = 1, SideAndForm = 2, Range = 4 };

struct RoutineRow {
  LapackRoutine routine;
  std::size_t operands, results;
  std::uint8_t flags;
  bool (*fits)(const Parts &, const LapackCall &, const Sizes &);
};
constexpr RoutineRow routine_rows[] = {
    {LapackRoutine::Potrf, 1, 2, Triangle, fits_potrf}, {LapackRoutine::Trsm, 2, 1, Triangle | SideAndForm, fits_trsm},
    {LapackRoutine::Getrf, 1, 3, NoFlags, fits_getrf},  {LapackRoutine::Geqrf, 1, 2, NoFlags, fits_geqrf},
    {LapackRoutine::Orgqr, 2, 1, NoFlags, fits_orgqr},  {LapackRoutine::Syevd, 1, 3, Triangle, fits_syevd},
    {LapackRoutine::Gesdd, 1, 5, NoFlags, fits_gesdd},  {LapackRoutine::Gehrd, 1, 3, Range, fits_gehrd},
    {LapackRoutine::Sytrd, 1, 5, Triangle, fits_sytrd}, {LapackRoutine::Gtsv, 4, 5, NoFlags, fits_gtsv},
};

// Reads the flags of the routine into the call. Returns whether each has one of its letters.
bool read_flags(LapackCall &call, std::uint8_t flags, std::string_view config, std::int64_t n) {
  const auto read = [&](std::string_view name, std::string_view letters, char &letter) {
    letter = flag(config, name);
    return letter != '\0' && letters.find(letter) != std::string_view::npos;
  };
  char uplo = 'U', side = 'L', diag = 'N', transpose = 'N';
  if ((flags & Triangle) != 0 && !read("uplo", "UL", uplo)) {
    return false;
  }
  if ((flags & SideAndForm) != 0 &&
      (!read("side", "LR", side) || !read("diag", "NU", diag) || !read("trans_x", "NTC", transpose))) {
    return false;
  }
  call.is_lower = uplo == 'L';
  call.is_left = side == 'L';
  call.has_unit_diagonal = diag == 'U';
  call.transpose = transpose == 'T'   ? Transpose::Transpose
                   : transpose == 'C' ? Transpose::Adjoint
                                      : Transpose::NoTranspose;
  return (flags & Range) == 0 || (number(config, "low") == 1 && number(config, "high") == n);
}

}  // namespace

LapackCall lapack_call_of(const Instruction &instruction) {
  if (instruction.opcode() != Opcode::CustomCall || instruction.operands().empty()) {
    return {};
  }
  const Shape a = instruction.operand(0).shape();
  if (!a.is_array() || !a.is_static() || a.element_count() == 0) {
    return {};
  }
  const auto [routine, type] = routine_of(instruction.text(AttributeKey::CustomCallTarget));
  if (routine == LapackRoutine::None || type != a.element_type() ||
      a.rank() < (routine == LapackRoutine::Gtsv ? 1 : 2)) {
    return {};
  }
  LapackCall call;
  call.routine = routine;
  const RoutineRow &row = *std::ranges::find(routine_rows, routine, &RoutineRow::routine);
  const Parts parts(instruction);
  const std::int64_t n = a.size(a.rank() - 1), m = routine == LapackRoutine::Gtsv ? n : a.size(a.rank() - 2);
  const bool fits = parts.counts(row.operands, row.results) &&
                    read_flags(call, row.flags, instruction.text(AttributeKey::BackendConfig), n) &&
                    row.fits(parts, call, {type, real_type(type), m, n, std::min(m, n)});
  return fits ? call : LapackCall{};
}

bool is_lapack_target(std::string_view target) {
  return routine_of(target).routine != LapackRoutine::None;
}

}  // namespace bp::ir
