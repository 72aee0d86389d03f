#include "plugins/cpu/ahead_of_time/machine_check.h"

#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace bp::cpu {
namespace {

enum Register : std::uint8_t { Eax, Ebx, Ecx, Edx };

// Where x86's CPUID says that a feature is there: the register of an answer, and its bit.
struct X86Feature {
  std::string_view name;
  std::uint32_t leaf, subleaf;
  Register in;
  unsigned bit;
};
constexpr X86Feature x86_features[] = {
    {"sse3", 1, 0, Ecx, 0},
    {"pclmul", 1, 0, Ecx, 1},
    {"ssse3", 1, 0, Ecx, 9},
    {"fma", 1, 0, Ecx, 12},
    {"cx16", 1, 0, Ecx, 13},
    {"sse4.1", 1, 0, Ecx, 19},
    {"sse4.2", 1, 0, Ecx, 20},
    {"movbe", 1, 0, Ecx, 22},
    {"popcnt", 1, 0, Ecx, 23},
    {"aes", 1, 0, Ecx, 25},
    {"avx", 1, 0, Ecx, 28},
    {"f16c", 1, 0, Ecx, 29},
    {"bmi", 7, 0, Ebx, 3},
    {"avx2", 7, 0, Ebx, 5},
    {"bmi2", 7, 0, Ebx, 8},
    {"avx512f", 7, 0, Ebx, 16},
    {"avx512dq", 7, 0, Ebx, 17},
    {"adx", 7, 0, Ebx, 19},
    {"avx512ifma", 7, 0, Ebx, 21},
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
    {"avx512fp16", 7, 0, Edx, 23},
    {"avxvnni", 7, 1, Eax, 4},
    {"avx512bf16", 7, 1, Eax, 5},
    {"avxifma", 7, 1, Eax, 23},
    {"avxvnniint8", 7, 1, Edx, 4},
    {"avxneconvert", 7, 1, Edx, 5},
    {"avxvnniint16", 7, 1, Edx, 10},
    {"sahf", 0x80000001, 0, Ecx, 0},
    {"lzcnt", 0x80000001, 0, Ecx, 5},
};

// Text that continues as long as every question so far was answered by yes: each adds a block, which goes on to the
// next one, or to `no`.
class Questions {
 public:
  void add(const std::string &code, const std::string &condition) {
    const std::string next = "q" + std::to_string(++count_);
    text_ += code + "  br i1 " + condition + ", label %" + next + ", label %no\n" + next + ":\n";
  }
  // A name that no other value of the function has.
  std::string value() { return "%v" + std::to_string(values_++); }
  // Adds: (from & mask) == mask, for a value of 32 bits.
  void add_bits(const std::string &code, const std::string &from, std::uint32_t mask) {
    const std::string masked = value(), same = value(), bits = std::to_string(static_cast<std::int32_t>(mask));
    add(code + "  " + masked + " = and i32 " + from + ", " + bits + "\n  " + same + " = icmp eq i32 " + masked + ", " +
            bits + "\n",
        same);
  }
  std::string function() const {
    return "define i32 @bp_check() nounwind {\n" + text_ + "  ret i32 1\n" + (count_ == 0 ? "" : "no:\n  ret i32 0\n") +
           "}\n";
  }

 private:
  std::string text_;
  int count_ = 0, values_ = 0;
};

constexpr std::string_view four = "{ i32, i32, i32, i32 }";

// Adds the question for an answer of CPUID; returns the value of all four registers.
std::string ask_cpuid(Questions &questions, std::string &code, std::uint32_t leaf, std::uint32_t subleaf) {
  const std::string all = questions.value();
  code += "  " + all + " = call " + std::string(four) +
          R"( asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 )" +
          std::to_string(static_cast<std::int32_t>(leaf)) + ", i32 " + std::to_string(subleaf) + ")\n";
  return all;
}

std::string take(Questions &questions, std::string &code, const std::string &all, Register in) {
  const std::string one = questions.value();
  code += "  " + one + " = extractvalue " + std::string(four) + " " + all + ", " + std::to_string(in) + "\n";
  return one;
}

std::string x86_check(const Target &target) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<Register, std::uint32_t>> wanted;  // by leaf and subleaf
  for (const X86Feature &feature : x86_features) {
    if (target.has(feature.name)) {
      wanted[{feature.leaf, feature.subleaf}][feature.in] |= std::uint32_t{1} << feature.bit;
    }
  }
  Questions questions;
  for (const auto &[leaf, masks] : wanted) {
    // A processor without this leaf answers with that of another one.
    std::string code;
    const std::uint32_t range = leaf.first & 0x80000000;
    const std::string top = take(questions, code, ask_cpuid(questions, code, range, 0), Eax);
    const std::string has_leaf = questions.value();
    code += "  " + has_leaf + " = icmp uge i32 " + top + ", " + std::to_string(static_cast<std::int32_t>(leaf.first)) +
            "\n";
    questions.add(code, has_leaf);
    code.clear();
    const std::string all = ask_cpuid(questions, code, leaf.first, leaf.second);
    for (const auto &[in, mask] : masks) {
      const std::string bits = take(questions, code, all, in);
      questions.add_bits(code, bits, mask);
      code.clear();
    }
  }
  if (target.has("avx")) {
    constexpr std::uint32_t has_xgetbv = 1u << 27, avx_registers = 0x06, avx512_registers = 0xe6;
    std::string code;
    const std::string bits = take(questions, code, ask_cpuid(questions, code, 1, 0), Ecx);
    questions.add_bits(code, bits, has_xgetbv);
    const std::string both = questions.value(), saved = questions.value();
    code = "  " + both +
           R"( = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0))" +
           "\n  " + saved + " = extractvalue { i32, i32 } " + both + ", 0\n";
    questions.add_bits(code, saved, target.has("avx512f") ? avx512_registers : avx_registers);
  }
  return questions.function();
}

// Where the identification registers of AArch64 say that a feature is there: a field of four bits, at least `least`.
struct Aarch64Feature {
  std::string_view name, in;
  unsigned bit;
  unsigned least;
};
constexpr Aarch64Feature aarch64_features[] = {
    {"aes", "ID_AA64ISAR0_EL1", 4, 1},      {"sha2", "ID_AA64ISAR0_EL1", 12, 1},
    {"crc", "ID_AA64ISAR0_EL1", 16, 1},     {"lse", "ID_AA64ISAR0_EL1", 20, 2},
    {"rdm", "ID_AA64ISAR0_EL1", 28, 1},     {"sha3", "ID_AA64ISAR0_EL1", 32, 1},
    {"dotprod", "ID_AA64ISAR0_EL1", 44, 1}, {"fp16fml", "ID_AA64ISAR0_EL1", 48, 1},
    {"jsconv", "ID_AA64ISAR1_EL1", 12, 1},  {"complxnum", "ID_AA64ISAR1_EL1", 16, 1},
    {"rcpc", "ID_AA64ISAR1_EL1", 20, 1},    {"fptoint", "ID_AA64ISAR1_EL1", 32, 1},
    {"bf16", "ID_AA64ISAR1_EL1", 44, 1},    {"i8mm", "ID_AA64ISAR1_EL1", 52, 1},
    {"fullfp16", "ID_AA64PFR0_EL1", 16, 1},
};

// Linux lets programs read these registers.
std::string aarch64_check(const Target &target) {
  Questions questions;
  for (const Aarch64Feature &feature : aarch64_features) {
    if (!target.has(feature.name)) {
      continue;
    }
    const std::string all = questions.value(), shifted = questions.value(), field = questions.value(),
                      enough = questions.value(), present = questions.value(), both = questions.value();
    std::string code =
        "  " + all + " = call i64 asm sideeffect \"mrs $0, " + std::string(feature.in) + "\", \"=r\"()\n";
    code += "  " + shifted + " = lshr i64 " + all + ", " + std::to_string(feature.bit) + "\n";
    code += "  " + field + " = and i64 " + shifted + ", 15\n";
    code += "  " + enough + " = icmp uge i64 " + field + ", " + std::to_string(feature.least) + "\n";
    code += "  " + present + " = icmp ne i64 " + field + ", 15\n";  // no floating-point unit at all
    code += "  " + both + " = and i1 " + enough + ", " + present + "\n";
    questions.add(code, both);
  }
  return questions.function();
}

}  // namespace

std::string machine_check_text(const Target &target) {
  return llvm::Triple(target.triple).isX86() ? x86_check(target) : aarch64_check(target);
}

}  // namespace bp::cpu
