#include "plugins/llvm/contraction/packed/panels.h"
#include "plugins/llvm/contraction/packed/transpose.h"
#include "plugins/llvm/generator/loops.h"

namespace bp::emit {
namespace {

using llvm::Value;

class PanelCopy {
 public:
  PanelCopy(llvm::IRBuilder<> &b, const PanelSource &source, int64_t width, int64_t lanes, Value *from, Value *first,
            Value *to)
      : b_(b),
        source_(source),
        width_(width),
        lanes_(lanes),
        vector_(llvm::FixedVectorType::get(source.type, static_cast<unsigned>(lanes))),
        alignment_(source.type->getScalarSizeInBits() / 8),
        from_(from),
        first_(first),
        to_(to) {}

  void emit() {
    if (source_.contracted_stride == 1) {
      for (int64_t lane = 0; lane < width_; lane += lanes_) {
        emit_transposed(lane);
      }
      return;
    }
    emit_loop(b_, integer(0), integer(source_.contracted), 1, [&](Value *k) {
      for (int64_t lane = 0; lane < width_; lane += lanes_) {
        store(source_.neighbour_stride == 1 ? load_neighbours(k, lane) : gather(k, lane), k, lane);
      }
    });
  }

 private:
  Value *integer(int64_t value) const { return b_.getInt64(static_cast<uint64_t>(value)); }
  Value *address(Value *neighbour, Value *k) const {
    Value *const index = b_.CreateAdd(b_.CreateMul(neighbour, integer(source_.neighbour_stride)),
                                      b_.CreateMul(k, integer(source_.contracted_stride)));
    return b_.CreateGEP(source_.type, from_, index);
  }
  void store(Value *values, Value *k, int64_t lane) const {
    Value *const index = b_.CreateAdd(b_.CreateMul(k, integer(width_)), integer(lane));
    b_.CreateAlignedStore(values, b_.CreateGEP(source_.type, to_, index), alignment_);
  }
  Value *load(Value *pointer, Value *mask) const {
    return mask == nullptr
               ? static_cast<Value *>(b_.CreateAlignedLoad(vector_, pointer, alignment_))
               : b_.CreateMaskedLoad(vector_, pointer, alignment_, mask, llvm::Constant::getNullValue(vector_));
  }
  // Returns the neighbour in this lane of the panel; the last one of the matrix for those after it.
  Value *neighbour(int64_t lane) const {
    Value *const number = b_.CreateAdd(first_, integer(lane));
    return source_.neighbours % width_ == 0
               ? number
               : b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number, integer(source_.neighbours - 1));
  }
  Value *are_below(Value *number, int64_t end) const {
    Value *const lanes =
        b_.CreateAdd(b_.CreateVectorSplat(static_cast<unsigned>(lanes_), number),
                     b_.CreateStepVector(llvm::FixedVectorType::get(b_.getInt64Ty(), static_cast<unsigned>(lanes_))));
    return b_.CreateICmpSLT(lanes, llvm::ConstantInt::getSigned(lanes->getType(), end));
  }

  Value *load_neighbours(Value *k, int64_t lane) const {
    Value *const number = b_.CreateAdd(first_, integer(lane));
    const bool may_end = source_.neighbours % width_ != 0;
    return load(address(number, k), may_end ? are_below(number, source_.neighbours) : nullptr);
  }

  Value *gather(Value *k, int64_t lane) const {
    Value *values = llvm::PoisonValue::get(vector_);
    for (int64_t i = 0; i < lanes_; ++i) {
      Value *const element = b_.CreateAlignedLoad(source_.type, address(neighbour(lane + i), k), alignment_);
      values = b_.CreateInsertElement(values, element, static_cast<uint64_t>(i));
    }
    return values;
  }

  // Copies a vector of neighbours from this lane on, each of which is read along k.
  void emit_transposed(int64_t lane) const {
    Values rows;
    for (int64_t i = 0; i < lanes_; ++i) {
      rows.push_back(address(neighbour(lane + i), integer(0)));
    }
    const auto copy = [&](Value *k, int64_t count) {
      Value *const mask = count == lanes_ ? nullptr : are_below(integer(0), count);
      Values matrix;
      for (Value *row : rows) {
        matrix.push_back(load(b_.CreateGEP(source_.type, row, k), mask));
      }
      transpose(b_, matrix);
      for (int64_t i = 0; i < count; ++i) {
        store(matrix[static_cast<size_t>(i)], b_.CreateAdd(k, integer(i)), lane);
      }
    };
    const int64_t whole = source_.contracted / lanes_ * lanes_;
    emit_loop(b_, integer(0), integer(whole), lanes_, [&](Value *k) { copy(k, lanes_); });
    if (whole < source_.contracted) {
      copy(integer(whole), source_.contracted - whole);
    }
  }

  llvm::IRBuilder<> &b_;
  const PanelSource &source_;
  const int64_t width_, lanes_;
  llvm::FixedVectorType *const vector_;
  const llvm::Align alignment_;
  Value *const from_, *const first_, *const to_;
};

}  // namespace

void emit_panel_copy(llvm::IRBuilder<> &b, const PanelSource &source, int64_t width, int64_t lanes, Value *from,
                     Value *first, Value *to) {
  PanelCopy(b, source, width, lanes, from, first, to).emit();
}

}  // namespace bp::emit
