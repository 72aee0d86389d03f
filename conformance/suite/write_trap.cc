#include "conformance/suite/write_trap.h"

#include <sys/mman.h>

#include "core/base/check.h"

namespace bp::conformance {

std::atomic<WriteTrap *> WriteTrap::current_ = nullptr;

bool WriteTrap::Area::protect(int rights) const {
  return pages.empty() || mprotect(pages.data(), pages.size(), rights) == 0;
}

WriteTrap::WriteTrap(const std::vector<std::span<std::byte>> &areas)
    : areas_(std::make_unique<Area[]>(areas.size())), count_(areas.size()) {
  BP_CHECK(current_.exchange(this) == nullptr);
  struct sigaction action = {};
  action.sa_sigaction = &WriteTrap::on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  BP_CHECK(sigaction(SIGSEGV, &action, &before_) == 0);
  for (std::size_t i = 0; i < count_; ++i) {
    areas_[i].pages = areas[i];
    areas_[i].protect(PROT_READ);
  }
}

WriteTrap::~WriteTrap() {
  for (std::size_t i = 0; i < count_; ++i) {
    areas_[i].protect(PROT_READ | PROT_WRITE);
  }
  sigaction(SIGSEGV, &before_, nullptr);
  current_ = nullptr;
}

WriteTrap::Area *WriteTrap::area_of(const void *address) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const std::span<std::byte> pages = areas_[i].pages;
    if (address >= pages.data() && address < pages.data() + pages.size()) {
      return &areas_[i];
    }
  }
  return nullptr;
}

// Calls only functions that a signal handler may call. The instruction that faulted is retried after the return.
void WriteTrap::on_fault(int signal, siginfo_t *info, void *) {
  WriteTrap *trap = current_;
  Area *area = trap->area_of(info->si_addr);
  if (area == nullptr || !area->protect(PROT_READ | PROT_WRITE)) {
    sigaction(signal, &trap->before_, nullptr);
    return;
  }
  area->is_written = true;
}

}  // namespace bp::conformance
