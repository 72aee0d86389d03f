// The file of a package: a header, an index in JSON, and blobs, each found by the SHA-256 of its bytes.
//
// Numbers are little-endian. All blobs, and the first byte after the index's padding, are at multiples of 64, so that
// code can work on a blob where the file is mapped. Every byte of the file is covered by one check: a hash, or a rule
// about padding.
//
//   offset  bytes
//        0      8  "BPACKAGE"
//        8      4  version of the format: 1
//       12      4  0
//       16     32  SHA-256 of the bytes from 48 to the end of the index
//       48      8  size of the whole file
//       56      8  size of the index
//       64         index; its member `blobs` lists hash, offset from the first blob, and size of each, in order
//                  zeros up to a multiple of 64; then the blobs, with zeros between them up to multiples of 64
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/base/shared_bytes.h"

namespace bp::package {

// Blobs to be written, in the order in which they were added. Equal ones are stored once.
class BlobList {
 public:
  struct Blob {
    Sha256 hash;
    SharedBytes bytes;
  };

  // Returns the hash.
  Sha256 add(SharedBytes bytes);
  // Adds bytes whose hash is known already.
  void add(const Sha256 &hash, SharedBytes bytes);
  const std::vector<Blob> &blobs() const { return blobs_; }

 private:
  std::vector<Blob> blobs_;
  std::map<Sha256, std::size_t> found_;
};

// Returns the bytes of a container, in pieces that follow each other. `index` gets the member `blobs`.
std::vector<SharedBytes> write_container(boost::json::object index, const BlobList &blobs);

struct Container {
  boost::json::object index;
  std::map<Sha256, SharedBytes> blobs;  // parts of the file
};

// Checks and reads a container; trusts nothing. Fails with InvalidInput if it is damaged, cut, of another format or of
// a newer version. `file`: its name in messages.
Result<Container> read_container(const SharedBytes &bytes, std::string_view file);

// Whether the bytes claim to be a container, or what there was before containers.
bool is_container(std::string_view bytes);

}  // namespace bp::package
