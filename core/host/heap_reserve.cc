#include "core/host/heap_reserve.h"

#include <cstdlib>
#include <utility>

namespace bp::host {
namespace {

// Below the size from which malloc() maps memory separately, which would be returned to the system at once.
constexpr std::size_t piece_bytes = 64 * 1024;

struct Piece {
  Piece *next;
};

}  // namespace

// Pieces below the last one stay in the heap when they are freed: only the heap's end is returned to the system.
HeapReserve::HeapReserve(std::size_t bytes) {
  Piece *pieces = nullptr;
  bool is_had = true;
  for (std::size_t had = 0; had < bytes && is_had; had += piece_bytes) {
    auto *piece = static_cast<Piece *>(std::malloc(piece_bytes));
    is_had = piece != nullptr;
    if (is_had) {
      piece->next = pieces;
      pieces = piece;
    }
  }
  last_ = is_had ? std::malloc(piece_bytes) : nullptr;
  while (pieces != nullptr) {
    std::free(std::exchange(pieces, pieces->next));
  }
}

HeapReserve::~HeapReserve() {
  std::free(last_);
}

}  // namespace bp::host
