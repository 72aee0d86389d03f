// Custom calls of LAPACK's routines, as JAX exports programs for its cpu platform: "lapack_spotrf_ffi" and others.
// Their operands are one matrix or many: [..., rows, columns], column by column in memory; the routines overwrite them,
// and what they leave there is among the results. Flags are LAPACK's letters, as numbers: {uplo = 76 : ui8}.
// Source of the semantics: LAPACK, and lapack_kernels.cc of jaxlib.
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

enum class LapackRoutine : std::uint8_t {
  None,
  Potrf,  // a -> Cholesky factor in one triangle, the other as it was; info
  Trsm,   // a, b -> solution of op(a) x = b or x op(a) = b
  Getrf,  // a -> factors, row exchanges (from 1), info
  Geqrf,  // a -> packed factors, factors of the reflectors
  Orgqr,  // packed factors, factors of the reflectors -> columns of their product; ungqr too
  Syevd,  // a -> eigenvectors in columns, eigenvalues in ascending order, info; heevd too
  Gesdd,  // a -> a destroyed, singular values in descending order, u, adjoint of v, info
  Gehrd,  // a -> Hessenberg form h = q^H a q, with the vectors of the reflectors below it, their factors, info
  Sytrd,  // a -> tridiagonal form likewise, diagonal, second diagonal, factors of the reflectors, info; hetrd too
  Gtsv,   // diagonals below, of and above the main one, each of size n, and b -> their factors, solution, info
};

// `info` is 0, or the number, from 1, of the pivot where a routine stopped, for each matrix.
struct LapackCall {
  LapackRoutine routine = LapackRoutine::None;
  bool is_lower = false, is_left = false, has_unit_diagonal = false;
  Transpose transpose = Transpose::NoTranspose;
};

// Returns a call of the routine None unless target, flags, types, sizes and layouts are those of a routine, and there
// are elements.
LapackCall lapack_call_of(const Instruction &instruction);

// Whether the target is the name of a routine above, as of a call that lapack_call_of() does not take.
bool is_lapack_target(std::string_view target);

}  // namespace bp::ir
