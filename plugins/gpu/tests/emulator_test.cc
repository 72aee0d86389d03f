// The emulator on kernels of a few instructions: it finds the mistakes for which a GPU would hang, or give arbitrary
// results.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "plugin_api/cpp/call.h"
#include "plugins/gpu/code_generation.h"
#include "plugins/gpu/emulator/emulator.h"
#include "plugins/gpu/emulator/host_target.h"
#include "plugins/gpu/machine.h"
#include "plugins/gpu/tests/targets.h"
#include "plugins/gpu/threads.h"
#include "plugins/llvm/generator/loops.h"
#include "plugins/llvm/generator/team.h"

namespace bp::gpu::tests {
namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t nothing = 0xffffffff;  // of memory that nobody wrote
constexpr std::uint32_t input_words = 4096;

// Emits the code of a kernel for one block. Its first argument has a word for each thread, its second one is `input`.
struct Code {
  llvm::IRBuilder<> &b;
  const Threads &threads;
  const KernelFrame &frame;

  llvm::Value *number(std::uint64_t value) const { return b.getInt64(value); }
  llvm::Value *word(std::uint32_t value) const { return b.getInt32(value); }
  llvm::Value *is_thread(std::uint64_t value) const { return b.CreateICmpEQ(frame.thread, number(value)); }
  // The thread `distance` threads further on.
  llvm::Value *other(std::uint64_t distance) const {
    return b.CreateURem(b.CreateAdd(frame.thread, number(distance)), frame.threads);
  }
  llvm::Value *at(llvm::Value *memory, llvm::Value *index) const {
    return b.CreateInBoundsGEP(b.getInt32Ty(), memory, index);
  }
  llvm::Value *shared(llvm::Value *index) const { return at(threads.shared_memory(b, frame), index); }
  llvm::Value *input(llvm::Value *index) const { return at(frame.pointers[1], index); }
  void write(llvm::Value *index, llvm::Value *value) const { b.CreateStore(value, shared(index)); }
  llvm::Value *read(llvm::Value *index) const { return b.CreateLoad(b.getInt32Ty(), shared(index)); }
  void result(llvm::Value *value) const { b.CreateStore(value, at(frame.pointers[0], frame.thread)); }
  void wait() const { threads.wait_for_block(b, frame); }
  void when(llvm::Value *condition, const std::function<void()> &body) const { emit::emit_when(b, condition, body); }
};

struct Outcome {
  bp_status status = BP_OK;
  std::string message;
  Words words;

  std::size_t count(std::uint32_t word) const {
    return static_cast<std::size_t>(std::count(words.begin(), words.end(), word));
  }
};

Words input() {
  Words words(input_words);
  std::iota(words.begin(), words.end(), 1000);
  return words;
}

// maps: of the input.
Outcome run(std::uint32_t threads, std::uint32_t shared_bytes, const std::function<void(const Code &)> &body,
            const std::vector<TensorMap> &maps = {}, bool finds_races = false) {
  const Target target = full_target();
  const auto made = make_host_machine();
  REQUIRE(made.ok());
  const auto &host = *made;
  llvm::LLVMContext context;
  llvm::Module module("kernels", context);
  module.setTargetTriple(host->getTargetTriple().str());
  module.setDataLayout(host->createDataLayout());
  const auto emulated = make_emulated_threads(target, finds_races);
  llvm::IRBuilder<> b(context);
  const KernelFrame frame = emulated->begin_kernel(module, b, 0, 2, maps.size(), nullptr, Cooperation::Block);
  body({b, *emulated, frame});
  emulated->end_kernel(b, frame, threads, 1);
  emulated->finish(module, 1);
  const auto code = generate_code(module, {.make_machine = make_host_machine}, {});
  REQUIRE(code.ok());

  Words results(threads), words = input();
  LaunchPlan plan;
  plan.allocation_sizes = {results.size() * sizeof(std::uint32_t), words.size() * sizeof(std::uint32_t), 0};
  plan.ranges = {{.allocation = 0, .is_written = 1, .size = plan.allocation_sizes[0]},
                 {.allocation = 1, .size = plan.allocation_sizes[1]}};
  plan.maps = maps;
  plan.kernel_count = 1;
  Command &launch = plan.commands.emplace_back();
  launch.kind = CommandKind::Launch;
  launch.count = 2;
  launch.map_count = static_cast<std::uint32_t>(maps.size());
  launch.grid = {.blocks = 1, .threads = threads, .shared_bytes = shared_bytes};
  const auto machine = make_emulator(target, 0);
  const auto kernels = machine->load(plan, code->parts);
  REQUIRE(kernels.ok());
  const std::uint64_t bases[] = {reinterpret_cast<std::uint64_t>(results.data()),
                                 reinterpret_cast<std::uint64_t>(words.data()), 0};
  const plugin::Status status = (*kernels)->start(0, bases);
  return status.ok() ? Outcome{BP_OK, "", std::move(results)}
                     : Outcome{status.error().status(), status.error().message(), std::move(results)};
}

Words numbers(std::uint32_t count, std::uint32_t first) {
  Words words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

// 8 lines of 128 bytes.
const TensorMap lines = {
    .argument = 1, .element_bytes = 4, .dimension_count = 2, .box = {32, 8}, .sizes = {32, 128}, .strides = {4, 128}};
constexpr std::uint32_t lines_bytes = 1024, barrier_at = lines_bytes;

llvm::Value *barrier(const Code &code) {
  return code.shared(code.number(barrier_at / 4));
}
void copy_lines(const Code &code) {
  llvm::Value *first[] = {code.word(0), code.word(0)};
  code.threads.tma_load(code.b, code.frame, code.frame.maps[0], first, code.shared(code.number(0)), barrier(code));
}
// The first line of a box, after `bytes` bytes were expected, and the box was copied or not.
Outcome run_box(bool is_copied, std::uint32_t bytes, bool waits) {
  return run(32, lines_bytes + 64,
             [&](const Code &code) {
               code.when(code.is_thread(0), [&] { code.threads.init_mbarrier(code.b, code.frame, barrier(code)); });
               code.wait();
               code.when(code.is_thread(0), [&] {
                 code.threads.mbarrier_expect_bytes(code.b, code.frame, barrier(code), bytes);
                 if (is_copied) {
                   copy_lines(code);
                 }
               });
               code.wait();
               if (waits) {
                 code.threads.mbarrier_wait(code.b, code.frame, barrier(code), code.b.getFalse());
               }
               code.result(code.read(code.frame.thread));
             },
             {lines});
}

// A warpgroup writes ones to 64 rows and 64 columns of bf16, 128 bytes by each thread, and multiplies them. written:
// emits code between the writes and the wait, usually a proxy fence; started: between the multiplication and its end.
constexpr std::uint32_t one = 0x3f80, ones = one << 16 | one;
const auto sum_of_ones = std::bit_cast<std::uint32_t>(64.0f);

Outcome run_slices(const std::function<void(const Code &)> &written,
                   const std::function<void(const Code &)> &started = {}) {
  using Unit = emit::WarpgroupUnit;
  constexpr std::uint32_t slice_words = Unit::rows * Unit::line_bytes / 4;
  return run(Unit::members, 2 * slice_words * 4, [&](const Code &code) {
    llvm::Value *own = code.b.CreateMul(code.frame.thread, code.number(Unit::line_bytes / 4));
    for (std::uint64_t i = 0; i < Unit::line_bytes / 4; ++i) {
      code.write(code.b.CreateAdd(own, code.number(i)), code.word(ones));
    }
    written(code);
    code.wait();
    const std::vector<llvm::Value *> zeros(Unit::rows * 64 / Unit::members,
                                           llvm::ConstantFP::get(code.b.getFloatTy(), 0));
    auto sums = code.threads.wgmma(code.b, code.frame, emit::MatrixElement::BF16, {code.shared(code.number(0)), true},
                                   {code.shared(code.number(slice_words)), true}, zeros);
    if (started) {
      started(code);
    }
    sums = code.threads.wgmma_wait(code.b, code.frame, sums);
    code.result(code.b.CreateBitCast(sums[0], code.b.getInt32Ty()));
  });
}
void show(const Code &code) {
  code.threads.proxy_fence(code.b, code.frame);
}

}  // namespace

TEST_CASE("threads that wait for different things are found") {
  const auto run_waits = [](std::uint64_t first, const std::function<void(const Code &)> &wait) {
    return run(64, 0, [&](const Code &code) {
      code.when(code.is_thread(first), [&] { wait(code); });
      code.wait();
    });
  };
  const auto of_warp = [](const Code &code) { code.threads.wait_for_warp(code.b, code.frame); };
  const auto of_block = [](const Code &code) { code.wait(); };
  const std::string end = " wait for different things, which would hang a GPU: the kernel is wrong";
  for (const auto &[thread, wait, what] : {std::tuple(0, std::function(of_warp), "warp"),
                                           {32, of_warp, "warp"},
                                           {5, of_warp, "block"},
                                           {0, of_block, "block"},
                                           {63, of_block, "block"}}) {
    INFO(thread);
    const Outcome outcome = run_waits(static_cast<std::uint64_t>(thread), wait);
    CHECK(outcome.status == BP_INTERNAL);
    CHECK(outcome.message == "threads of one " + std::string(what) + end);
  }
  CHECK(run_waits(64, of_block).status == BP_OK);
}

TEST_CASE("data written without a barrier is not visible to other threads") {
  // The turns of threads go up and down: before the first wait up, after it down.
  for (const bool waits_first : {false, true}) {
    for (const bool waits : {false, true}) {
      for (const std::uint32_t distance : {1u, 63u}) {
        INFO(waits_first << waits << " " << distance);
        const Outcome outcome = run(64, 256, [&](const Code &code) {
          if (waits_first) {
            code.wait();
          }
          code.write(code.frame.thread, code.b.CreateTrunc(code.frame.thread, code.b.getInt32Ty()));
          if (waits) {
            code.wait();
          }
          code.result(code.read(code.other(distance)));
        });
        REQUIRE(outcome.status == BP_OK);
        const bool goes_towards = (distance == 1) != waits_first;  // whom it reads
        CHECK(outcome.count(nothing) == (waits ? 0u : goes_towards ? 63u : 1u));
        if (waits) {
          for (std::uint32_t i = 0; i < 64; ++i) {
            CHECK(outcome.words[i] == (i + distance) % 64);
          }
        }
      }
    }
  }
}

TEST_CASE("a byte that threads access without waiting for each other is found") {
  // The other thread is `distance` threads further on; `between` emits a wait for nothing, the warp or the block.
  const auto touched = [](bool is_write, std::uint64_t distance, const std::function<void(const Code &)> &between) {
    return run(
        64, 256,
        [&](const Code &code) {
          code.write(code.frame.thread, code.word(1));
          between(code);
          if (is_write) {
            code.write(code.other(distance), code.word(2));
            code.result(code.word(3));
          } else {
            code.result(code.read(code.other(distance)));
          }
        },
        {}, true);
  };
  const std::function<void(const Code &)> nothing_else = [](const Code &) {};
  const std::function<void(const Code &)> warp = [](const Code &code) {
    code.threads.wait_for_warp(code.b, code.frame);
  };
  const std::function<void(const Code &)> block = [](const Code &code) { code.wait(); };
  for (const bool is_write : {false, true}) {
    INFO(is_write);
    CHECK(touched(is_write, 0, nothing_else).status == BP_OK);
    CHECK(touched(is_write, 1, block).status == BP_OK);
    // Whoever comes first.
    const std::string unordered = ", and neither waits for the other: the kernel is wrong";
    CHECK(touched(is_write, 1, nothing_else).message ==
          "thread 1 of block 0 writes byte 4 of shared memory, which thread 0 of block 0 has " +
              std::string(is_write ? "written" : "read") + unordered);
    CHECK(touched(is_write, 32, warp).message ==
          "thread 31 of block 0 " + std::string(is_write ? "writes" : "reads") +
              " byte 252 of shared memory, which thread 63 of block 0 has written" + unordered);
  }
  // Also what another one has read, and in memory that outlives the block.
  const Outcome outcome = run(
      2, 0,
      [](const Code &code) {
        llvm::Value *first = code.b.CreateLoad(code.b.getInt32Ty(), code.input(code.number(7)));
        code.when(code.is_thread(1), [&] { code.b.CreateStore(first, code.input(code.number(7))); });
        code.result(first);
      },
      {}, true);
  CHECK(outcome.message ==
        "thread 1 of block 0 writes byte 28 of argument 1, which thread 0 of block 0 has read, and neither waits "
        "for the other: the kernel is wrong");
}

TEST_CASE("asynchronous copies are visible no sooner than they are waited for") {
  const auto copied = [](bool is_there, bool ends, int last) {
    return run(32, 512, [&](const Code &code) {
      llvm::Value *index = code.b.CreateMul(code.frame.thread, code.number(4));
      code.write(index, code.word(1));
      code.threads.cp_async(code.b, code.frame, code.shared(index), code.input(index), code.b.getInt1(is_there));
      if (ends) {
        code.threads.cp_async_commit(code.b, code.frame);
      }
      if (last >= 0) {
        code.threads.cp_async_wait(code.b, code.frame, static_cast<std::uint32_t>(last));
      }
      code.result(code.read(index));
    });
  };
  Words words;
  for (std::uint32_t i = 0; i < 32; ++i) {
    words.push_back(input()[4 * i]);
  }
  CHECK(copied(true, true, 0).words == words);
  CHECK(copied(false, true, 0).words == Words(32, 0));
  CHECK(copied(true, true, -1).words == Words(32, nothing));
  CHECK(copied(true, true, 1).words == Words(32, nothing));
  CHECK(copied(true, false, 0).words == Words(32, nothing));
}

TEST_CASE("a copy that is started too early overwrites data that is still read") {
  for (const bool waits : {false, true}) {
    for (const bool is_box : {false, true}) {
      INFO(waits << is_box);
      const Outcome outcome =
          run(32, lines_bytes + 64,
              [&](const Code &code) {
                code.write(code.frame.thread, code.b.CreateTrunc(code.frame.thread, code.b.getInt32Ty()));
                code.when(code.is_thread(0), [&] { code.threads.init_mbarrier(code.b, code.frame, barrier(code)); });
                code.wait();
                llvm::Value *value = nullptr;
                if (waits) {
                  value = code.read(code.frame.thread);
                  code.wait();
                }
                for (const std::uint64_t thread : {0u, 31u}) {  // one of them is the first
                  code.when(code.is_thread(thread), [&] {
                    if (is_box) {
                      copy_lines(code);
                    } else {
                      code.threads.cp_async(code.b, code.frame, code.shared(code.number(8)), code.input(code.number(0)),
                                            nullptr);
                    }
                  });
                }
                code.result(waits ? value : code.read(code.frame.thread));
              },
              {lines});
      REQUIRE(outcome.status == BP_OK);
      CHECK((outcome.words == numbers(32, 0)) == waits);
      CHECK(outcome.count(nothing) == (waits ? 0u : is_box ? 32u : 4u));
    }
  }
}

TEST_CASE("boxes are visible when they are waited for, and a wait for a box that is never copied is found") {
  const std::string message =
      "a thread waits for a box that no thread copies, which would hang a GPU: the kernel is wrong";
  const Outcome copied = run_box(true, lines_bytes, true);
  CHECK(copied.status == BP_OK);
  CHECK(copied.words == numbers(32, 1000));
  CHECK(run_box(true, lines_bytes, false).words == Words(32, nothing));
  CHECK(run_box(false, 0, true).message == message);
  CHECK(run_box(false, lines_bytes, true).message == message);
  CHECK(run_box(true, lines_bytes + 128, true).message == message);
  CHECK(run_box(true, 0, true).status == BP_INTERNAL);
}

TEST_CASE("a unit sees what all threads wrote before their fence and barrier") {
  CHECK(run_slices(show).words == Words(128, sum_of_ones));
  CHECK(run_slices([](const Code &) {}).count(sum_of_ones) == 0);
  CHECK(run_slices([](const Code &code) {
          code.when(code.b.CreateNot(code.is_thread(77)), [&] { show(code); });
        }).count(sum_of_ones) == 0);
  // Not by all of them once, but by one twice.
  CHECK(run_slices([](const Code &code) {
          code.when(code.b.CreateNot(code.is_thread(77)), [&] { show(code); });
          code.when(code.is_thread(78), [&] { show(code); });
        }).count(sum_of_ones) == 0);
  // Before the wait before.
  CHECK(run_slices([](const Code &code) {
          code.when(code.b.CreateNot(code.is_thread(77)), [&] { show(code); });
          code.wait();
          code.when(code.is_thread(77), [&] { show(code); });
        }).count(sum_of_ones) == 0);
  // A row is written after the fence.
  const Outcome late = run_slices([](const Code &code) {
    show(code);
    code.when(code.is_thread(127), [&] { code.write(code.number(55 * 32), code.word(0)); });
  });
  CHECK(late.count(sum_of_ones) > 0);
  CHECK(late.count(sum_of_ones) < 128);
}

TEST_CASE("a write while a unit reads is found") {
  // Half of the warps read at once.
  const auto written_meanwhile = [](std::uint64_t row) {
    return run_slices(show, [&](const Code &code) {
      code.wait();
      code.when(code.is_thread(0), [&] { code.write(code.number(row * 32), code.word(ones + 1)); });
      code.wait();
    });
  };
  CHECK(written_meanwhile(0).count(sum_of_ones) == 128);
  CHECK(written_meanwhile(16).count(sum_of_ones) < 128);
}

}  // namespace bp::gpu::tests
