// Custom calls that factorize matrices, by the names that XLA and JAX give them. Their operands are one matrix or many:
// [..., rows, columns].
#pragma once

#include "core/ir/module.h"

namespace bp::ir {

enum class Factorization : std::uint8_t {
  None,
  Qr,                // "Qr": a matrix to its packed factors and the factors of its reflectors, as LAPACK's geqrf
  ReflectorProduct,  // "ProductOfElementaryHouseholderReflectors": the columns of the product, as LAPACK's orgqr
  Lu,                // "LuDecomposition": a matrix to its factors, row exchanges (from 0) and the permutation they make
  Eigh,              // "Eigh": a Hermitian matrix to its eigenvectors, in columns, and its eigenvalues
};

// Returns None unless target, types and sizes are those of a factorization, and there are elements, but for Lu.
Factorization factorization_of(const Instruction &instruction);

// The configuration of Eigh, "lower,sort,max_sweeps,tolerance".
struct EighOptions {
  bool is_lower = true, is_sorted = true;
};
EighOptions eigh_options(const Instruction &instruction);

}  // namespace bp::ir
