// Products of tiles: AMX of x86, with eight registers of 16 rows of 16 words each. A tile of sums += a tile of rows
// [row][k] * a tile of columns [k][column], whose words hold neighbours along k (word_product.h).
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace bp::emit {

// The words along each side of a tile.
constexpr int64_t tile_side = 16;

// Emits what must come before products of tiles: the registers are asked for (the function bp_use_tiles) and
// configured, for tiles of sums with at most so many rows. release_tiles() must follow, with no call of foreign code
// between them.
void configure_tiles(llvm::IRBuilderBase &b, llvm::Module &module, int64_t rows);
void release_tiles(llvm::IRBuilderBase &b);

// A matrix of words in memory.
struct TileMatrix {
  llvm::Value *pointer;
  int64_t stride;  // words from a row to the next one

  // Returns the address of a tile, by the word that it starts with. The indices are i64.
  llvm::Value *tile(llvm::IRBuilderBase &b, llvm::Value *row, llvm::Value *column) const;
};

struct TileProduct {
  TileMatrix rows, columns, sums;
  int64_t row_tiles, column_tiles;  // of the sums: 2 and 2, or 1 and 4 at most
  llvm::Value *words;               // i64: along k, a multiple of tile_side
  llvm::Value *is_first;            // i1: sums start at zero, not at what is in memory
  llvm::Intrinsic::ID instruction;
};
void emit_tile_product(llvm::IRBuilderBase &b, const TileProduct &product);

}  // namespace bp::emit
