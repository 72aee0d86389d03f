#include "core/aot/archive.h"

#include <cstdint>
#include <limits>

namespace bp::aot {
namespace {

constexpr std::size_t header_size = 60;

// The header of a member: name, time, owner, group, mode, size, all as text. Names of up to 15 bytes end with "/";
// others are offsets in the member "//".
std::string header_of(const std::string &name, std::size_t size, bool is_file) {
  return is_file ? fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 644, size)
                 : fmt::format("{:<48}{:<10}`\n", name, size);
}

std::size_t padded(std::size_t size) {
  return size + size % 2;
}

void append_padded(std::string &to, const std::string &bytes) {
  to += bytes;
  to += bytes.size() % 2 != 0 ? "\n" : "";
}

void append_big_endian(std::string &to, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    to += static_cast<char>((number >> shift) & 0xff);
  }
}

}  // namespace

Result<std::string> write_archive(const std::vector<Member> &members) {
  std::string long_names;
  std::vector<std::string> names;
  std::size_t symbol_count = 0, name_bytes = 0;
  for (const Member &member : members) {
    if (member.name.size() < 16) {
      names.push_back(member.name + "/");
    } else {
      names.push_back(fmt::format("/{}", long_names.size()));
      long_names += member.name + "/\n";
    }
    for (const std::string &symbol : member.symbols) {
      ++symbol_count;
      name_bytes += symbol.size() + 1;
    }
  }
  const std::size_t index_size = 4 + 4 * symbol_count + name_bytes;
  std::string archive = "!<arch>\n";
  std::size_t at = archive.size() + header_size + padded(index_size) +
                   (long_names.empty() ? 0 : header_size + padded(long_names.size()));
  std::string index, index_names;
  append_big_endian(index, symbol_count);
  for (const Member &member : members) {
    for (const std::string &symbol : member.symbols) {
      append_big_endian(index, at);
      index_names += symbol;
      index_names += '\0';
    }
    at += header_size + padded(member.bytes.size());
  }
  if (at > std::numeric_limits<std::uint32_t>::max()) {
    return unsupported(
        "the library would have {} bytes, expected less than 4 GiB: put the constants in a file "
        "(--weights)",
        at);
  }
  archive.reserve(at);
  archive += header_of("/", index_size, true);
  append_padded(archive, index + index_names);
  if (!long_names.empty()) {
    archive += header_of("//", long_names.size(), false);
    append_padded(archive, long_names);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    archive += header_of(names[i], members[i].bytes.size(), true);
    append_padded(archive, members[i].bytes);
  }
  return archive;
}

}  // namespace bp::aot
