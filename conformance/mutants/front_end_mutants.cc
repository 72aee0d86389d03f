// Faults of front ends, added to the library `lines` of samples/08_front_end.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "backplane/ext/draft/front_end.h"
#include "conformance/mutants/fault.h"
#include "conformance/mutants/mutant.h"

namespace bp::conformance {
namespace {

// The library's own front end, and the one that takes its place. A process has one mutant.
const bp_front_end_t *correct = nullptr;
bp_front_end_t faulty;
bp_front_ends_t faulty_table;

template <class Change>
Fault with_front_end(Change change) {
  return {.entry_get_factory = [change](const auto &next, const char *id) -> const void * {
    const void *found = next();
    if (found == nullptr || std::strcmp(id, BP_FRONT_ENDS) != 0) {
      return found;
    }
    correct = static_cast<const bp_front_ends_t *>(found)->front_ends;
    faulty = *correct;
    faulty_table = {&faulty, 1};
    change();
    return &faulty_table;
  }};
}

using Read = bp_status (*)(const bp_front_end_t *, const bp_source_t *, const bp_ostream_t *, const bp_source_diag_t *);
Fault with_read(Read read) {
  return with_front_end([read] { faulty.read = read; });
}

std::string_view text_of(const bp_source_t *source) {
  return {static_cast<const char *>(source->bytes), source->size};
}

// Streams and receivers of reports that stand before those of the caller.
struct Stream : bp_ostream_t {
  const bp_ostream_t *below;
};
struct Diag : bp_source_diag_t {
  const bp_source_diag_t *below;
};

void discard(const bp_source_diag_t *, bp_status, std::uint64_t, const char *) {}
void report_beyond(const bp_source_diag_t *diag, bp_status status, std::uint64_t offset, const char *message) {
  const auto *below = static_cast<const Diag *>(diag)->below;
  below->report(below, status, offset == BP_NO_OFFSET ? offset : offset + 100'000, message);
}
bp_status write_anyway(const bp_ostream_t *stream, const void *bytes, std::uint64_t size) {
  const auto *below = static_cast<const Stream *>(stream)->below;
  below->write(below, bytes, size);
  return BP_OK;
}

bool is_over = false;  // after the first deinit()

// A program that all threads share; each append is safe alone.
std::mutex shared_mutex;
std::string shared_program;
bp_status append_to_shared(const bp_ostream_t *, const void *bytes, std::uint64_t size) {
  {
    const std::lock_guard lock(shared_mutex);
    shared_program.append(static_cast<const char *>(bytes), size);
  }
  std::this_thread::yield();
  return BP_OK;
}

constexpr Mutant front_end_table[] = {
    {"front-end-renamed", "front ends", "the table has another name than the manifest", "lines",
     "front_ends/BP-FRONT-01", [] { return with_front_end([] { faulty.name = "rows"; }); }},
    {"front-end-missing", "front ends", "the table is empty", "lines", "front_ends/BP-FRONT-01",
     [] { return with_front_end([] { faulty_table.count = 0; }); }},
    {"source-overread", "front ends", "read() looks at the byte after the source", "lines",
     "front_ends/lines/BP-FRONT-02/*",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         [[maybe_unused]] const volatile char last = static_cast<const char *>(source->bytes)[source->size];
         return correct->read(correct, source, program, diag);
       });
     }},
    {"source-changed", "front ends", "read() writes a 0 over the last byte of the source while it works", "lines",
     "front_ends/lines/BP-FRONT-02/*",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         if (source->size != 0) {
           auto *last = static_cast<volatile char *>(const_cast<void *>(source->bytes)) + source->size - 1;
           const char before = *last;
           *last = 0;
           *last = before;
         }
         return correct->read(correct, source, program, diag);
       });
     }},
    {"source-header-is-a-name", "front ends", "read() takes the first word of the source for the name of a value",
     "lines", "front_ends/lines/BP-FRONT-02/rearranged",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) -> bp_status {
         const bool is_used = text_of(source).rfind(" LINES ") != std::string_view::npos;
         if (!is_used) {
           return correct->read(correct, source, program, diag);
         }
         constexpr std::string_view text =
             "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
             "%z = stablehlo.add %LINES, %x : tensor<8xf32>\nreturn %z : tensor<8xf32>\n}\n";
         return program->write(program, text.data(), text.size());
       });
     }},
    {"source-endless", "front ends", "read() does not end if there is a 0 in the source", "lines",
     "front_ends/lines/BP-FRONT-02/damaged",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         while (text_of(source).find('\0') != std::string_view::npos) {
           std::this_thread::yield();
         }
         return correct->read(correct, source, program, diag);
       });
     }},
    {"source-size-believed", "front ends", "read() allocates as many bytes as the largest number in the source says",
     "lines", "front_ends/lines/BP-FRONT-02/damaged",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) -> bp_status {
         constexpr std::string_view digits = "0123456789";
         const std::string_view text = text_of(source);
         for (std::size_t at = text.find_first_of(digits); at != std::string_view::npos;) {
           const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
           if (end - at > 9) {
             diag->report(diag, BP_NO_MEMORY, at, "there is not enough memory");
             return BP_NO_MEMORY;
           }
           at = text.find_first_of(digits, end);
         }
         return correct->read(correct, source, program, diag);
       });
     }},
    {"program-numbered", "front ends", "each program has a comment with the number of programs so far", "lines",
     "front_ends/lines/BP-FRONT-03/repeated",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         static std::atomic<int> count = 0;
         const std::string comment = "// program " + std::to_string(count++) + "\n";
         const bp_status status = correct->read(correct, source, program, diag);
         return status == BP_OK ? program->write(program, comment.data(), comment.size()) : status;
       });
     }},
    {"program-shared", "front ends", "all threads put their programs together in one buffer", "lines",
     "front_ends/lines/BP-FRONT-03/threads",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         {
           const std::lock_guard lock(shared_mutex);
           shared_program.clear();
         }
         const bp_ostream_t stream = {nullptr, append_to_shared};
         const bp_status status = correct->read(correct, source, &stream, diag);
         const std::lock_guard lock(shared_mutex);
         return status == BP_OK ? program->write(program, shared_program.data(), shared_program.size()) : status;
       });
     }},
    {"report-beyond-source", "front ends", "reports are about places far behind the source", "lines",
     "front_ends/lines/BP-FRONT-02/*",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         const Diag above = {{nullptr, report_beyond}, diag};
         return correct->read(correct, source, program, &above);
       });
     }},
    {"example-refused", "front ends", "recognizes() knows no source of more than 20 bytes", "lines",
     "front_ends/lines/BP-FRONT-05",
     [] {
       return with_front_end([] {
         faulty.recognizes = [](auto, auto source) -> std::int32_t {
           return source->size <= 20 ? correct->recognizes(correct, source) : 0;
         };
       });
     }},
    {"errors-passed", "front ends", "read() returns BP_OK after errors, with a program that is not whole", "lines",
     "front_ends/lines/BP-FRONT-02/*",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) -> bp_status {
         correct->read(correct, source, program, diag);
         return BP_OK;
       });
     }},
    {"error-with-program", "front ends", "read() reports an error, writes the program and returns BP_OK", "lines",
     "front_ends/lines/BP-FRONT-02/*",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         diag->report(diag, BP_INVALID, 0, "there is something strange");
         return correct->read(correct, source, program, diag);
       });
     }},
    {"source-overread-far", "front ends", "read() looks at a byte two pages behind the source", "lines",
     "front_ends/lines/BP-FRONT-02/*",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         [[maybe_unused]] const volatile char far = static_cast<const char *>(source->bytes)[source->size + 8192];
         return correct->read(correct, source, program, diag);
       });
     }},
    {"errors-silent", "front ends", "read() fails without a report", "lines", "front_ends/lines/BP-FRONT-02/*",
     [] {
       return with_read([](auto, auto source, auto program, auto) {
         const bp_source_diag_t none = {nullptr, discard};
         return correct->read(correct, source, program, &none);
       });
     }},
    {"program-refusal-ignored", "front ends", "read() goes on writing after write() has failed", "lines",
     "front_ends/lines/BP-STREAM-01",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         const Stream above = {{nullptr, write_anyway}, program};
         return correct->read(correct, source, &above, diag);
       });
     }},
    {"source-kept", "front ends", "read() keeps a copy of each source", "lines", "front_ends/lines/BP-ENTRY-03",
     [] {
       return with_read([](auto, auto source, auto program, auto diag) {
         static volatile char *kept;
         kept = new char[source->size + 1];
         kept[0] = 1;
         return correct->read(correct, source, program, diag);
       });
     }},
    {"front-ends-for-every-id", "front ends", "get_factory() returns the table of front ends for every id", "lines",
     "front_ends/BP-ENTRY-04",
     [] { return Fault{.entry_get_factory = [](const auto &next, const char *) { return next(BP_FRONT_ENDS); }}; }},
    {"front-ends-end-early", "front ends",
     "the first deinit() takes the front ends away, even if init() was called twice", "lines", "front_ends/BP-INIT-02",
     [] {
       Fault fault;
       fault.entry_deinit = [](const auto &next) {
         is_over = true;
         next();
       };
       fault.entry_get_factory = [](const auto &next, const char *) -> const void * {
         return is_over ? nullptr : next();
       };
       return fault;
     }},
};

}  // namespace

const std::span<const Mutant> front_end_mutants = front_end_table;

}  // namespace bp::conformance
