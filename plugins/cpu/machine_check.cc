#include "plugins/cpu/machine_check.h"

#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "plugins/cpu/processor_features.h"

namespace bp::cpu {
namespace {

using Register = X86Feature::Register;

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
  code += "  " + one + " = extractvalue " + std::string(four) + " " + all + ", " +
          std::to_string(static_cast<int>(in)) + "\n";
  return one;
}

std::string x86_check(const Target &target) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<Register, std::uint32_t>> wanted;  // by leaf and subleaf
  for (const X86Feature &feature : x86_features()) {
    if (target.has(feature.name)) {
      wanted[{feature.leaf, feature.subleaf}][feature.in] |= std::uint32_t{1} << feature.bit;
    }
  }
  Questions questions;
  for (const auto &[leaf, masks] : wanted) {
    // A processor without this leaf answers with that of another one.
    std::string code;
    const std::uint32_t range = leaf.first & 0x80000000;
    const std::string top = take(questions, code, ask_cpuid(questions, code, range, 0), Register::Eax);
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
    constexpr std::uint32_t has_xgetbv = 1u << 27, avx_registers = 0x06, avx512_registers = 0xe6,
                            tile_registers = 0x60000;
    std::string code;
    const std::string bits = take(questions, code, ask_cpuid(questions, code, 1, 0), Register::Ecx);
    questions.add_bits(code, bits, has_xgetbv);
    const std::string both = questions.value(), saved = questions.value();
    code = "  " + both +
           R"( = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0))" +
           "\n  " + saved + " = extractvalue { i32, i32 } " + both + ", 0\n";
    const std::uint32_t wanted_registers =
        (target.has("avx512f") ? avx512_registers : avx_registers) | (target.has("amx-tile") ? tile_registers : 0);
    questions.add_bits(code, saved, wanted_registers);
  }
  if (target.has("amx-tile") && llvm::Triple(llvm::Triple::normalize(target.triple)).isOSLinux()) {
    // arch_prctl() asks Linux for the registers: plugins/llvm/tile_registers.h.
    const std::string answer = questions.value(), given = questions.value();
    questions.add("  " + answer +
                      R"( = call i64 asm sideeffect "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory}")" +
                      "(i64 158, i64 4131, i64 18)\n  " + given + " = icmp eq i64 " + answer + ", 0\n",
                  given);
  }
  return questions.function();
}

// Linux lets programs read these registers.
std::string aarch64_check(const Target &target) {
  Questions questions;
  for (const Aarch64Feature &feature : aarch64_features()) {
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
