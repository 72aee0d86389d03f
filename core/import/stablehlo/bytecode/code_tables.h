// Tables of codes that the reader and the writer of VHLO share.
#pragma once

#include <array>
#include <string_view>

#include "core/import/stablehlo/bytecode/codes.h"
#include "core/import/stablehlo/bytecode/vhlo.h"
#include "core/ir/element_type.h"

namespace bp::import::stablehlo::bytecode {

// An element type of VHLO, and the version that introduced it. Source: VhloTypes.td.
struct ElementCode {
  std::uint64_t code;
  ir::ElementType type;
  Version first = oldest_version;
};
inline constexpr ElementCode element_codes[] = {
    {0, ir::ElementType::Pred},
    {2, ir::ElementType::BF16},
    {3, ir::ElementType::F16},
    {4, ir::ElementType::F32},
    {5, ir::ElementType::F64},
    {6, ir::ElementType::F8E4M3FN},
    {7, ir::ElementType::F8E5M2},
    {10, ir::ElementType::S4},
    {11, ir::ElementType::S8},
    {12, ir::ElementType::S16},
    {13, ir::ElementType::S32},
    {14, ir::ElementType::S64},
    {15, ir::ElementType::U4},
    {16, ir::ElementType::U8},
    {17, ir::ElementType::U16},
    {18, ir::ElementType::U32},
    {19, ir::ElementType::U64},
    {27, ir::ElementType::F8E4M3FNUZ, {0, 10, 0}},
    {28, ir::ElementType::F8E5M2FNUZ, {0, 10, 0}},
    {29, ir::ElementType::F8E4M3B11FNUZ, {0, 11, 0}},
    {31, ir::ElementType::S2, {1, 2, 0}},
    {32, ir::ElementType::U2, {1, 2, 0}},
    {35, ir::ElementType::F8E4M3, {1, 7, 0}},
    {36, ir::ElementType::F8E3M4, {1, 7, 0}},
    {37, ir::ElementType::F4E2M1FN, {1, 8, 0}},
    {38, ir::ElementType::F6E2M3FN, {1, 8, 0}},
    {39, ir::ElementType::F6E3M2FN, {1, 8, 0}},
    {40, ir::ElementType::F8E8M0FNU, {1, 8, 0}},
};

// The floats of MLIR's builtin dialect.
struct BuiltinFloatCode {
  builtin_type::Code code;
  ir::ElementType type;
};
inline constexpr BuiltinFloatCode builtin_float_codes[] = {
    {builtin_type::Bf16, ir::ElementType::BF16},
    {builtin_type::F16, ir::ElementType::F16},
    {builtin_type::F32, ir::ElementType::F32},
    {builtin_type::F64, ir::ElementType::F64},
};

// The words of an enumeration of VHLO, by value.
struct Words {
  vhlo_attribute::Code code;
  AttributeKind kind;     // of operations' attributes that consist of such words
  std::string_view name;  // in #stablehlo<name WORD>
  std::array<std::string_view, 6> words;
};
inline constexpr Words enumerations[] = {
    {vhlo_attribute::ComparisonDirection,
     AttributeKind::ComparisonDirection,
     "comparison_direction",
     {"EQ", "NE", "GE", "GT", "LE", "LT"}},
    {vhlo_attribute::ComparisonType,
     AttributeKind::ComparisonType,
     "comparison_type",
     {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
    {vhlo_attribute::FftType, AttributeKind::FftType, "fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
    {vhlo_attribute::Precision, AttributeKind::Precisions, "precision", {"DEFAULT", "HIGH", "HIGHEST"}},
    {vhlo_attribute::RngAlgorithm, AttributeKind::RngAlgorithm, "rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}},
    {vhlo_attribute::RngDistribution, AttributeKind::RngDistribution, "rng_distribution", {"", "UNIFORM", "NORMAL"}},
    {vhlo_attribute::Transpose,
     AttributeKind::Transpose,
     "transpose",
     {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
    {vhlo_attribute::ResultAccuracyMode,
     AttributeKind::Accuracy,
     "result_accuracy_mode",
     {"DEFAULT", "HIGHEST", "TOLERANCE"}},
};

// Versions that introduced what only some programs have. Source: VhloTypes.td, VhloAttrs.td.
namespace since {
inline constexpr Version quantized_per_axis{0, 18, 0}, none_type{1, 6, 0}, tf32{1, 6, 0}, buffer{1, 13, 0},
    future{1, 15, 0}, mesh_axes{1, 16, 0}, dictionary_config{1, 3, 0};
}  // namespace since

}  // namespace bp::import::stablehlo::bytecode
