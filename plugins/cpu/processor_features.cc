#include "plugins/cpu/processor_features.h"

#include <algorithm>

namespace bp::cpu {
namespace {

using enum X86Feature::Register;

constexpr X86Feature x86[] = {
    {"sse3", 1, 0, Ecx, 0},
    {"pclmul", 1, 0, Ecx, 1},
    {"ssse3", 1, 0, Ecx, 9},
    {"fma", 1, 0, Ecx, 12},
    {"cx16", 1, 0, Ecx, 13},
    {"sse4.1", 1, 0, Ecx, 19},
    {"sse4.2", 1, 0, Ecx, 20},
    {"crc32", 1, 0, Ecx, 20},
    {"movbe", 1, 0, Ecx, 22},
    {"popcnt", 1, 0, Ecx, 23},
    {"aes", 1, 0, Ecx, 25},
    {"xsave", 1, 0, Ecx, 26},
    {"avx", 1, 0, Ecx, 28},
    {"f16c", 1, 0, Ecx, 29},
    {"rdrnd", 1, 0, Ecx, 30},
    {"fsgsbase", 7, 0, Ebx, 0},
    {"bmi", 7, 0, Ebx, 3},
    {"avx2", 7, 0, Ebx, 5},
    {"bmi2", 7, 0, Ebx, 8},
    {"avx512f", 7, 0, Ebx, 16},
    {"avx512dq", 7, 0, Ebx, 17},
    {"rdseed", 7, 0, Ebx, 18},
    {"adx", 7, 0, Ebx, 19},
    {"avx512ifma", 7, 0, Ebx, 21},
    {"clflushopt", 7, 0, Ebx, 23},
    {"clwb", 7, 0, Ebx, 24},
    {"avx512cd", 7, 0, Ebx, 28},
    {"sha", 7, 0, Ebx, 29},
    {"avx512bw", 7, 0, Ebx, 30},
    {"avx512vl", 7, 0, Ebx, 31},
    {"avx512vbmi", 7, 0, Ecx, 1},
    {"avx512vbmi2", 7, 0, Ecx, 6},
    {"gfni", 7, 0, Ecx, 8},
    {"vaes", 7, 0, Ecx, 9},
    {"vpclmulqdq", 7, 0, Ecx, 10},
    {"avx512vnni", 7, 0, Ecx, 11},
    {"avx512bitalg", 7, 0, Ecx, 12},
    {"avx512vpopcntdq", 7, 0, Ecx, 14},
    {"avx512vp2intersect", 7, 0, Edx, 8},
    {"amx-bf16", 7, 0, Edx, 22},
    {"avx512fp16", 7, 0, Edx, 23},
    {"amx-tile", 7, 0, Edx, 24},
    {"amx-int8", 7, 0, Edx, 25},
    {"avxvnni", 7, 1, Eax, 4},
    {"avx512bf16", 7, 1, Eax, 5},
    {"amx-fp16", 7, 1, Eax, 21},
    {"avxifma", 7, 1, Eax, 23},
    {"avxvnniint8", 7, 1, Edx, 4},
    {"avxneconvert", 7, 1, Edx, 5},
    {"avxvnniint16", 7, 1, Edx, 10},
    {"sahf", 0x80000001, 0, Ecx, 0},
    {"lzcnt", 0x80000001, 0, Ecx, 5},
    {"sse4a", 0x80000001, 0, Ecx, 6},
    {"prfchw", 0x80000001, 0, Ecx, 8},
    {"xop", 0x80000001, 0, Ecx, 11},
    {"fma4", 0x80000001, 0, Ecx, 16},
    {"tbm", 0x80000001, 0, Ecx, 21},
};

// SVE and SME are missing because vectors have 128 bits.
constexpr Aarch64Feature aarch64[] = {
    {"aes", "ID_AA64ISAR0_EL1", 4, 1},      {"sha2", "ID_AA64ISAR0_EL1", 12, 1},
    {"crc", "ID_AA64ISAR0_EL1", 16, 1},     {"lse", "ID_AA64ISAR0_EL1", 20, 2},
    {"rdm", "ID_AA64ISAR0_EL1", 28, 1},     {"sha3", "ID_AA64ISAR0_EL1", 32, 1},
    {"dotprod", "ID_AA64ISAR0_EL1", 44, 1}, {"fp16fml", "ID_AA64ISAR0_EL1", 48, 1},
    {"jsconv", "ID_AA64ISAR1_EL1", 12, 1},  {"complxnum", "ID_AA64ISAR1_EL1", 16, 1},
    {"rcpc", "ID_AA64ISAR1_EL1", 20, 1},    {"fptoint", "ID_AA64ISAR1_EL1", 32, 1},
    {"bf16", "ID_AA64ISAR1_EL1", 44, 1},    {"i8mm", "ID_AA64ISAR1_EL1", 52, 1},
    {"fullfp16", "ID_AA64PFR0_EL1", 16, 1}, {"flagm", "ID_AA64ISAR0_EL1", 52, 1},
};

}  // namespace

std::span<const X86Feature> x86_features() {
  return x86;
}

std::span<const Aarch64Feature> aarch64_features() {
  return aarch64;
}

bool is_used_on_x86(std::string_view feature) {
  return std::ranges::find(x86, feature, &X86Feature::name) != std::end(x86);
}

bool is_used_on_aarch64(std::string_view feature) {
  return std::ranges::find(aarch64, feature, &Aarch64Feature::name) != std::end(aarch64);
}

}  // namespace bp::cpu
