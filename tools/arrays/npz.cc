#include "tools/arrays/npz.h"

#include <zip.h>

#include <filesystem>

#include <memory>

#include "core/base/files.h"
#include "tools/arrays/npy.h"

namespace bp::arrays {
namespace {

constexpr std::string_view ending = ".npy";

Error problem(const std::string &file, zip_error_t &error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return invalid_input("{}: {}, expected a zip archive of .npy files", file, text);
}

struct CloseFile {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
struct Discard {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};

// Reads one file of an archive, of at most `limit` bytes. `total`: those of all files, for messages.
Result<std::string> read_entry(zip_t *archive, zip_uint64_t number, const std::string &file, std::uint64_t limit,
                               std::uint64_t total) {
  zip_stat_t about;
  zip_stat_init(&about);
  const std::unique_ptr<zip_file_t, CloseFile> entry(zip_fopen_index(archive, number, 0));
  if (entry == nullptr || zip_stat_index(archive, number, 0, &about) != 0) {
    return invalid_input("{}: {}", file, zip_strerror(archive));
  }
  // The size that the archive states is not believed before the bytes are there.
  std::string bytes;
  constexpr std::size_t step = 1 << 20;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + step);
    const zip_int64_t count = zip_fread(entry.get(), bytes.data() + before, step);
    if (count < 0) {
      return invalid_input("{}: an entry is damaged", file);
    }
    bytes.resize(before + static_cast<std::size_t>(count));
    if (bytes.size() > limit) {
      return make_error(ErrorCode::OutOfMemory, "{}: the arrays have more than {} bytes, expected at most that many",
                        file, total);
    }
    if (count == 0) {
      return bytes;
    }
  }
}

}  // namespace

bool is_npz(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06");
}

Result<std::vector<std::pair<std::string, std::string>>> read_npz(std::string_view bytes, const std::string &file,
                                                                  std::uint64_t limit) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t *source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) {
    return problem(file, error);
  }
  const std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive == nullptr) {
    zip_source_free(source);
    return problem(file, error);
  }
  std::vector<std::pair<std::string, std::string>> entries;
  std::uint64_t left = limit;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    const char *entry_name = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    std::string name = entry_name == nullptr ? "" : entry_name;
    if (!name.ends_with(ending)) {
      return invalid_input("{}: holds \"{}\", expected .npy files only", file, name);
    }
    name.resize(name.size() - ending.size());
    BP_ASSIGN(std::string entry, read_entry(archive.get(), static_cast<zip_uint64_t>(i), file, left, limit));
    left -= entry.size();
    entries.emplace_back(std::move(name), std::move(entry));
  }
  return entries;
}

Status write_npz(const std::string &file, const std::vector<std::pair<std::string, ir::Literal>> &arrays) {
  int code = 0;
  // The library replaces the name as it is given, whatever it stands for.
  std::error_code absent;
  const std::filesystem::path target = std::filesystem::canonical(file, absent);
  if (!absent && !std::filesystem::is_regular_file(target, absent)) {
    return invalid_input("{}: is no file, expected one that can be replaced, or a name that is free", file);
  }
  const std::string path = absent ? file : target.string();
  zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return make_error(ErrorCode::Io, "{}: {}", file, text);
  }
  std::vector<std::string> contents;  // must live until the archive is written
  contents.reserve(arrays.size());
  for (const auto &[name, array] : arrays) {
    contents.push_back(write_npy(array));
    zip_source_t *source = zip_source_buffer(archive, contents.back().data(), contents.back().size(), 0);
    const zip_int64_t index =
        source == nullptr ? -1 : zip_file_add(archive, (name + std::string(ending)).c_str(), source, ZIP_FL_OVERWRITE);
    if (index < 0 || zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0) {
      const std::string text = zip_strerror(archive);
      zip_discard(archive);
      return make_error(ErrorCode::Io, "{}: {}", file, text);
    }
  }
  if (zip_close(archive) != 0) {
    const std::string text = zip_strerror(archive);
    zip_discard(archive);
    return make_error(ErrorCode::Io, "{}: {}", file, text);
  }
  return {};
}

}  // namespace bp::arrays
