#include "core/import/library/library_front_ends.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>

#include "core/host/byte_sink.h"
#include "core/host/diagnostics.h"
#include "core/host/discovery.h"
#include "core/import/front_ends.h"

namespace bp::import::library {
namespace {

// The reports of a front end about one source.
class SourceReports {
 public:
  explicit SourceReports(const Source &source) : source_(source), abi_{this, &SourceReports::report} {}
  SourceReports(const SourceReports &) = delete;
  SourceReports &operator=(const SourceReports &) = delete;

  const bp_source_diag_t *abi() const { return &abi_; }

  // Appends the warnings, "file:line:column: ...".
  void add_warnings(std::vector<std::string> &warnings) const {
    for (const Entry &entry : entries_) {
      if (entry.status == BP_OK) {
        warnings.push_back(located(Error(ErrorCode::InvalidInput, entry.message), entry.offset).to_string());
      }
    }
  }
  // Whether there is an error, which makes the program worthless (BP-FRONT-07).
  bool has_errors() const {
    return std::ranges::any_of(entries_, [](const Entry &entry) { return entry.status != BP_OK; });
  }
  // Returns the error of a call that returned `status`: the first report, with the others as notes.
  Error error(bp_status status, std::string_view front_end) const {
    const ErrorCode code = host::error_code(status, ErrorCode::PluginFailure);
    const auto first = std::ranges::find_if(entries_, [](const Entry &entry) { return entry.status != BP_OK; });
    if (first == entries_.end()) {
      return make_error(code, "{}: the front end {} cannot read it ({}), and does not say why", source_.file, front_end,
                        host::status_name(status));
    }
    Error error = located(Error(code, first->message), first->offset);
    for (auto other = first + 1; other != entries_.end(); ++other) {
      if (other->status != BP_OK) {
        error = std::move(error).note(located(Error(code, other->message), other->offset).to_string());
      }
    }
    return error;
  }

 private:
  struct Entry {
    bp_status status;
    std::uint64_t offset;
    std::string message;
  };

  static void report(const bp_source_diag_t *diag, bp_status status, std::uint64_t offset,
                     const char *message) noexcept {
    constexpr std::size_t max_entries = 100;
    auto &self = *static_cast<SourceReports *>(diag->ctx);
    const std::lock_guard lock(self.mutex_);
    if (self.entries_.size() < max_entries) {
      self.entries_.push_back({status, offset, host::printable(message == nullptr ? "" : message)});
    }
  }

  // Adds the place: line and column of a text, the offset in other files.
  Error located(Error error, std::uint64_t offset) const {
    const std::string_view bytes = source_.file_text;
    if (offset > bytes.size()) {
      return std::move(error).at({source_.file, 0, 0, {}});
    }
    if (bytes.find('\0') != std::string_view::npos) {
      return std::move(error).at({fmt::format("{}: offset {}", source_.file, offset), 0, 0, {}});
    }
    const std::string_view before = bytes.substr(0, offset);
    const auto line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
    const auto column = static_cast<std::uint32_t>(offset - (before.rfind('\n') + 1) + 1);
    return std::move(error).at({source_.file, line, column, {}}).in(bytes);
  }

  const Source &source_;
  bp_source_diag_t abi_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

bp_source_t abi_of(std::string_view bytes, const std::string &file) {
  return {bytes.empty() ? "" : bytes.data(), bytes.size(), file.c_str()};
}

// A loaded front end, with the texts that its descriptor borrows.
struct LoadedFrontEnd {
  std::shared_ptr<const host::Plugin> plugin;
  std::string endings, first_bytes;
  FrontEnd descriptor;
};

// Returns the program that the front end writes for a source.
Result<std::string> write_program(const bp_front_end_t &front_end, const Source &source, const ReadOptions &options) {
  const bp_source_t bytes = abi_of(source.text, source.file);
  SourceReports reports(source);
  host::ByteSink program;
  bp_status status = BP_INTERNAL;
  try {
    status = front_end.read(&front_end, &bytes, program.abi(), reports.abi());
  } catch (...) {
    reports.abi()->report(reports.abi(), BP_INTERNAL, BP_NO_OFFSET, "the front end threw an exception (BP-LAW-04)");
  }
  if (options.warnings != nullptr) {
    reports.add_warnings(*options.warnings);
  }
  if (status != BP_OK || reports.has_errors()) {
    return reports.error(status, front_end.name);
  }
  const std::vector<std::byte> written = program.take();
  return std::string(reinterpret_cast<const char *>(written.data()), written.size());
}

// Calls `function` with the core's front end for a program that was written, and with that program.
template <class Function>
auto with_program(const bp_front_end_t &front_end, const std::string &library, const std::string &program,
                  const std::string &file, const Function &function) -> decltype(function(front_ends()[0], Source())) {
  const FrontEnd *own = recognize(program);
  if (own == nullptr) {
    return make_error(ErrorCode::PluginFailure,
                      "{}: the front end {} wrote no program that the core recognizes, expected StableHLO or HLO",
                      library, front_end.name);
  }
  auto result =
      function(own, Source{program, 1, program, fmt::format("{} ({} of {})", file, own->name, front_end.name)});
  if (!result.ok()) {
    return std::move(result).error().note(
        fmt::format("in the program that the front end {} wrote for {}", front_end.name, file));
  }
  return result;
}

}  // namespace

std::string printed(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const bool is_plain = byte >= 0x20 && byte < 0x7f;
    text += is_plain ? std::string(1, byte) : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

bool LibraryFormat::fits(std::string_view bytes, std::string_view file) const {
  const bool begins = !manifest.first_bytes.empty() && bytes.starts_with(manifest.first_bytes);
  return begins ||
         std::ranges::any_of(manifest.endings, [&](const std::string &ending) { return file.ends_with(ending); });
}

std::vector<LibraryFormat> formats() {
  std::vector<LibraryFormat> all;
  for (const host::Candidate &candidate : host::scan(host::plugin_directories())) {
    for (const host::ManifestFrontEnd &manifest :
         candidate.manifest ? candidate.manifest->front_ends : std::vector<host::ManifestFrontEnd>()) {
      const auto same = std::ranges::find_if(all, [&](const LibraryFormat &other) {
        return other.refusal.empty() && other.manifest.name == manifest.name;
      });
      const bool is_own =
          std::ranges::any_of(front_ends(), [&](const FrontEnd *own) { return own->name == manifest.name; });
      std::string refusal;
      if (candidate.refusal) {
        refusal = candidate.refusal->to_string();
      } else if (is_own) {
        refusal = fmt::format("{}: the name {} is that of a front end of the core, expected another", candidate.path,
                              manifest.name);
      } else if (same != all.end()) {
        refusal = fmt::format("{}: the name {} is taken by {}", candidate.path, manifest.name, same->candidate.path);
      }
      all.push_back({candidate, manifest, std::move(refusal)});
    }
  }
  return all;
}

std::shared_ptr<const FrontEnd> front_end_of(std::shared_ptr<const host::Plugin> plugin, std::size_t index) {
  const auto loaded = std::make_shared<LoadedFrontEnd>();
  const host::ManifestFrontEnd &manifest = plugin->manifest().front_ends[index];
  const bp_front_end_t *front_end = &plugin->front_ends()->front_ends[index];
  const std::string path = plugin->path();
  loaded->endings = fmt::format("{}", fmt::join(manifest.endings, " "));
  loaded->first_bytes = manifest.first_bytes.empty() ? "the ending" : printed(manifest.first_bytes);
  FrontEnd &descriptor = loaded->descriptor;
  descriptor.name = manifest.name;
  descriptor.description = manifest.description;
  descriptor.endings = loaded->endings;
  descriptor.first_bytes = loaded->first_bytes;
  descriptor.recognizes = [front_end](std::string_view bytes) {
    const bp_source_t source = abi_of(bytes, "");
    try {
      return front_end->recognizes(front_end, &source) != 0;
    } catch (...) {  // against BP-LAW-04
      return false;
    }
  };
  descriptor.read = [front_end, path](const Source &source, const ReadOptions &options) -> Result<ir::Module> {
    BP_ASSIGN(const std::string program, write_program(*front_end, source, options));
    return with_program(*front_end, path, program, source.file,
                        [&](const FrontEnd *own, const Source &written) { return own->read(written, options); });
  };
  descriptor.parameters = [front_end, path](const Source &source) -> Result<std::vector<Parameter>> {
    BP_ASSIGN(const std::string program, write_program(*front_end, source, {}));
    return with_program(*front_end, path, program, source.file,
                        [&](const FrontEnd *own, const Source &written) -> Result<std::vector<Parameter>> {
                          if (own->parameters == nullptr) {
                            return invalid_input("{}: no sizes of the program are open: it is {}", source.file,
                                                 own->description);
                          }
                          return own->parameters(written);
                        });
  };
  loaded->plugin = std::move(plugin);
  return {loaded, &loaded->descriptor};
}

Result<std::shared_ptr<const FrontEnd>> load(const LibraryFormat &format) {
  BP_ASSIGN(std::shared_ptr<const host::Plugin> plugin, host::Plugin::load(format.candidate));
  const std::vector<host::ManifestFrontEnd> &all = plugin->manifest().front_ends;
  const auto found = std::ranges::find(all, format.manifest.name, &host::ManifestFrontEnd::name);
  return front_end_of(std::move(plugin), static_cast<std::size_t>(found - all.begin()));
}

Result<std::shared_ptr<const FrontEnd>> find_front_end(std::string_view bytes, const std::string &file) {
  for (const LibraryFormat &format : formats()) {
    if (!format.refusal.empty() || !format.fits(bytes, file)) {
      continue;
    }
    BP_ASSIGN(std::shared_ptr<const FrontEnd> front_end, load(format));
    if (front_end->recognizes(bytes)) {
      return front_end;
    }
  }
  return std::shared_ptr<const FrontEnd>();
}

std::vector<std::string> refusals_for(std::string_view bytes, std::string_view file) {
  std::vector<std::string> refusals;
  for (const LibraryFormat &format : formats()) {
    if (!format.refusal.empty() && format.fits(bytes, file)) {
      refusals.push_back(fmt::format("the front end {} is not asked: {}", format.manifest.name, format.refusal));
    }
  }
  return refusals;
}

}  // namespace bp::import::library
