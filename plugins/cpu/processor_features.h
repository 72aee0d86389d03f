// The features of CPUs that code is generated for: those that a program can find out without help.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bp::cpu {

// Where x86's CPUID says that a feature is there: the register of an answer, and its bit.
struct X86Feature {
  enum Register : std::uint8_t { Eax, Ebx, Ecx, Edx };
  std::string_view name;  // LLVM's
  std::uint32_t leaf, subleaf;
  Register in;
  unsigned bit;
};
std::span<const X86Feature> x86_features();

// Where the identification registers of AArch64 say that a feature is there: a field of four bits, at least `least`.
struct Aarch64Feature {
  std::string_view name, in;  // LLVM's, the register's
  unsigned bit;
  unsigned least;
};
std::span<const Aarch64Feature> aarch64_features();

// Whether one of the tables contains the feature.
bool is_used_on_x86(std::string_view feature);
bool is_used_on_aarch64(std::string_view feature);

}  // namespace bp::cpu
