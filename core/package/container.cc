#include "core/package/container.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/package/hex.h"

namespace bp::package {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "BPACKAGE";
constexpr std::string_view magic_before = "BPEXEC1\n";  // of serialized programs before there were packages
constexpr std::uint32_t current_version = 1;
constexpr std::uint64_t alignment = 64;

struct Header {
  char magic[8];
  std::uint32_t version, zero;
  Sha256 hash;
  std::uint64_t size, index_size;
};
static_assert(sizeof(Header) == 64);
constexpr std::size_t hashed_from = offsetof(Header, size);

std::uint64_t padding_after(std::uint64_t offset) {
  return (alignment - offset % alignment) % alignment;
}

SharedBytes owned(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return SharedBytes(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

// Reads a container from its beginning to its end.
class ContainerReader {
 public:
  ContainerReader(const SharedBytes &bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<Container> read() {
    BP_TRY(read_header());
    Container container;
    boost::system::error_code problem;
    boost::json::value value = boost::json::parse(bytes_.part(sizeof(Header), header_.index_size).text(), problem);
    if (problem || !value.is_object()) {
      return damaged("its index is no JSON object");
    }
    container.index = std::move(value.as_object());
    BP_TRY(read_blobs(container));
    return container;
  }

 private:
  template <class... Args>
  Error damaged(fmt::format_string<Args...> format, Args &&...args) const {
    return invalid_input("{}: a damaged package: {}", file_, fmt::format(format, std::forward<Args>(args)...));
  }

  Status read_header() {
    const std::string_view text = bytes_.text();
    if (text.starts_with(magic_before)) {
      return invalid_input(
          "{}: a serialized program of an earlier Backplane (it begins with BPEXEC1), expected a package: compile the "
          "program again",
          file_);
    }
    if (!text.starts_with(magic)) {
      return invalid_input("{}: not a package of Backplane, which begins with {}", file_, magic);
    }
    if (bytes_.size() < sizeof(Header)) {
      return damaged("it has {} bytes, expected at least {}", bytes_.size(), sizeof(Header));
    }
    std::memcpy(&header_, text.data(), sizeof header_);
    if (header_.version != current_version || header_.zero != 0) {
      return invalid_input("{}: a package of version {}, expected {}: it was made by another Backplane", file_,
                           header_.version, current_version);
    }
    if (header_.size != bytes_.size()) {
      return damaged("it has {} bytes, but its header says {}", bytes_.size(), header_.size);
    }
    if (header_.index_size > bytes_.size() - sizeof(Header)) {
      return damaged("its index has {} bytes, expected at most {}", header_.index_size, bytes_.size() - sizeof(Header));
    }
    const std::size_t hashed_size = sizeof(Header) - hashed_from + header_.index_size;
    if (sha256(bytes_.bytes().subspan(hashed_from, hashed_size)) != header_.hash) {
      return damaged("its index has another hash than its header says");
    }
    return {};
  }

  // Checks that the zeros up to the next multiple of 64 are there, and passes them.
  Status pass_padding() {
    const std::uint64_t padding = std::min<std::uint64_t>(padding_after(at_), bytes_.size() - at_);
    const auto zeros = bytes_.bytes().subspan(at_, padding);
    at_ += padding;
    return std::ranges::all_of(zeros, [](std::byte byte) { return byte == std::byte(0); })
               ? Status()
               : damaged("bytes before offset {} are not zero", at_);
  }

  Status read_blobs(Container &container) {
    const boost::json::value *list = container.index.if_contains("blobs");
    if (list == nullptr || !list->is_array()) {
      return damaged("its index has no list of blobs");
    }
    at_ = sizeof(Header) + header_.index_size;
    BP_TRY(pass_padding());
    const std::uint64_t first = at_;
    for (const boost::json::value &entry : list->as_array()) {
      BP_TRY(pass_padding());
      BP_TRY(read_blob(entry, first, container));
    }
    return at_ == bytes_.size() && first % alignment == 0
               ? Status()
               : damaged("its blobs end at offset {}, expected {}, the end of the file", at_, bytes_.size());
  }

  Status read_blob(const boost::json::value &entry, std::uint64_t first, Container &container) {
    const std::size_t number = container.blobs.size();
    const auto *object = entry.if_object();
    const auto member = [&](std::string_view name) { return object == nullptr ? nullptr : object->if_contains(name); };
    const boost::json::value *digits = member("sha256"), *offset = member("offset"), *size = member("size");
    const auto hash = digits != nullptr && digits->is_string() ? parse_hex(digits->as_string()) : std::nullopt;
    const auto is_number = [](const boost::json::value *value) {
      return value != nullptr && value->is_int64() && value->as_int64() >= 0;
    };
    if (!hash || !is_number(offset) || !is_number(size)) {
      return damaged("blob {} of its index has no sha256, offset or size", number);
    }
    if (static_cast<std::uint64_t>(offset->as_int64()) != at_ - first) {
      return damaged("blob {} is at {}, expected {}, after the blob before", number, offset->as_int64(), at_ - first);
    }
    const auto count = static_cast<std::uint64_t>(size->as_int64());
    if (count > bytes_.size() - at_) {
      return damaged("blob {} has {} bytes, expected at most {}, up to the end of the file", number, count,
                     bytes_.size() - at_);
    }
    const SharedBytes part = bytes_.part(at_, count);
    if (sha256(part.bytes()) != *hash) {
      return damaged("blob {} has another hash than {}", number, to_hex(*hash));
    }
    if (!container.blobs.emplace(*hash, part).second) {
      return damaged("blob {} is there twice: {}", number, to_hex(*hash));
    }
    at_ += count;
    return {};
  }

  const SharedBytes &bytes_;
  const std::string_view file_;
  Header header_{};
  std::uint64_t at_ = 0;
};

}  // namespace

Sha256 BlobList::add(SharedBytes bytes) {
  const Sha256 hash = sha256(bytes.bytes());
  add(hash, std::move(bytes));
  return hash;
}

void BlobList::add(const Sha256 &hash, SharedBytes bytes) {
  if (found_.emplace(hash, blobs_.size()).second) {
    blobs_.push_back({hash, std::move(bytes)});
  }
}

std::vector<SharedBytes> write_container(boost::json::object index, const BlobList &blobs) {
  boost::json::array list;
  std::uint64_t end = 0;  // of the blobs so far, from the first one
  for (const BlobList::Blob &blob : blobs.blobs()) {
    end += padding_after(end);
    list.push_back({{"sha256", to_hex(blob.hash)},
                    {"offset", static_cast<std::int64_t>(end)},
                    {"size", static_cast<std::int64_t>(blob.bytes.size())}});
    end += blob.bytes.size();
  }
  index["blobs"] = std::move(list);
  const std::string text = boost::json::serialize(index);

  Header header{};
  magic.copy(header.magic, sizeof header.magic);
  header.version = current_version;
  header.index_size = text.size();
  const std::uint64_t first = sizeof header + text.size() + padding_after(sizeof header + text.size());
  header.size = first + end;
  std::string front(reinterpret_cast<const char *>(&header), sizeof header);
  front += text;
  header.hash = sha256(std::as_bytes(std::span(std::string_view(front).substr(hashed_from))));
  std::memcpy(front.data(), &header, sizeof header);
  front.resize(first);

  std::vector<SharedBytes> pieces = {owned(front)};
  std::uint64_t at = first;
  for (const BlobList::Blob &blob : blobs.blobs()) {
    pieces.push_back(owned(std::string(padding_after(at), '\0')));
    pieces.push_back(blob.bytes);
    at += padding_after(at) + blob.bytes.size();
  }
  return pieces;
}

Result<Container> read_container(const SharedBytes &bytes, std::string_view file) {
  return ContainerReader(bytes, file).read();
}

bool is_container(std::string_view bytes) {
  return bytes.starts_with(magic) || bytes.starts_with(magic_before);
}

}  // namespace bp::package
