#include "plugins/llvm/contraction/tile_product.h"

#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <array>

#include "plugins/llvm/generator/loops.h"

namespace bp::emit {

namespace {

// Registers: sums first, then the tiles of rows and those of columns.
constexpr int64_t tile_registers = 8, row_bytes = 64;

// The memory format that ldtilecfg reads.
struct TileConfiguration {
  static constexpr size_t bytes = 64, row_bytes_at = 16, rows_at = 48;
  std::array<uint8_t, bytes> content{};

  explicit TileConfiguration(int64_t rows) {
    content[0] = 1;  // the palette
    const int64_t first_of_columns = tile_registers - 2;
    for (int64_t i = 0; i < tile_registers; ++i) {
      const auto r = static_cast<size_t>(i);
      content[row_bytes_at + 2 * r] = row_bytes;
      // With few rows of sums, any register but the last ones holds sums or rows.
      content[rows_at + r] = static_cast<uint8_t>(i < first_of_columns ? std::min(rows, tile_side) : tile_side);
    }
  }
};

}  // namespace

void configure_tiles(llvm::IRBuilderBase &b, llvm::Module &module, int64_t rows) {
  b.CreateCall(module.getOrInsertFunction("bp_use_tiles", llvm::FunctionType::get(b.getVoidTy(), false)));
  const TileConfiguration configuration(rows);
  llvm::Constant *const content = llvm::ConstantDataArray::get(module.getContext(), configuration.content);
  auto *const global = new llvm::GlobalVariable(module, content->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                                content, "tile_configuration");
  global->setAlignment(llvm::Align(TileConfiguration::bytes));
  b.CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {}, {global});
}

void release_tiles(llvm::IRBuilderBase &b) {
  b.CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {}, {});
}

llvm::Value *TileMatrix::tile(llvm::IRBuilderBase &b, llvm::Value *row, llvm::Value *column) const {
  llvm::Value *const index = b.CreateAdd(b.CreateMul(row, b.getInt64(static_cast<uint64_t>(stride))), column);
  return b.CreateGEP(b.getInt32Ty(), pointer, index);
}

void emit_tile_product(llvm::IRBuilderBase &b, const TileProduct &product) {
  const auto number = [&](int64_t i) { return b.getInt64(static_cast<uint64_t>(i)); };
  const auto sums_register = [&](int64_t r, int64_t c) { return r * product.column_tiles + c; };
  const auto rows_register = [&](int64_t r) { return 4 + r; };
  const auto columns_register = [&](int64_t c) { return 6 + c % 2; };
  const auto name = [&](int64_t i) { return b.getInt8(static_cast<uint8_t>(i)); };
  const auto move = [&](llvm::Intrinsic::ID id, int64_t in, const TileMatrix &matrix, llvm::Value *row,
                        llvm::Value *column) {
    b.CreateIntrinsic(id, {}, {name(in), matrix.tile(b, row, column), number(matrix.stride * 4)});
  };
  const auto for_sums = [&](auto &&emit) {
    for (int64_t r = 0; r < product.row_tiles; ++r) {
      for (int64_t c = 0; c < product.column_tiles; ++c) {
        emit(r, c);
      }
    }
    return Values();
  };
  const auto move_sums = [&](llvm::Intrinsic::ID id) {
    return for_sums([&](int64_t r, int64_t c) {
      move(id, sums_register(r, c), product.sums, number(r * tile_side), number(c * tile_side));
    });
  };
  emit_if(
      b, product.is_first,
      [&] {
        return for_sums([&](int64_t r, int64_t c) {
          b.CreateIntrinsic(llvm::Intrinsic::x86_tilezero, {}, {name(sums_register(r, c))});
        });
      },
      [&] { return move_sums(llvm::Intrinsic::x86_tileloadd64); });
  emit_loop(b, number(0), product.words, tile_side, [&](llvm::Value *k) {
    for (int64_t r = 0; r < product.row_tiles; ++r) {
      move(llvm::Intrinsic::x86_tileloadd64, rows_register(r), product.rows, number(r * tile_side), k);
    }
    for (int64_t c = 0; c < product.column_tiles; ++c) {
      move(llvm::Intrinsic::x86_tileloadd64, columns_register(c), product.columns, k, number(c * tile_side));
      for (int64_t r = 0; r < product.row_tiles; ++r) {
        b.CreateIntrinsic(product.instruction, {},
                          {name(sums_register(r, c)), name(rows_register(r)), name(columns_register(c))});
      }
    }
  });
  move_sums(llvm::Intrinsic::x86_tilestored64);
}

}  // namespace bp::emit
