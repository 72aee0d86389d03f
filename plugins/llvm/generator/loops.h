// Structured control flow: the builder continues after the loop or branch.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <vector>

namespace bp::emit {

using Values = std::vector<llvm::Value *>;

// Emits for (index = begin; index < end; index += step), signed; step is positive. Carried values start at `initial`;
// the body returns their next values, and the call returns the last ones.
inline Values emit_loop_carrying(llvm::IRBuilderBase &b, llvm::Value *begin, llvm::Value *end, int64_t step,
                                 const Values &initial,
                                 const std::function<Values(llvm::Value *, const Values &)> &body) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *loop = llvm::BasicBlock::Create(b.getContext(), "loop", function);
  llvm::BasicBlock *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  llvm::Value *is_entered = b.CreateICmpSLT(begin, end);
  b.CreateCondBr(is_entered, loop, after);
  b.SetInsertPoint(loop);
  llvm::PHINode *index = b.CreatePHI(begin->getType(), 2, "index");
  index->addIncoming(begin, before);
  Values carried;
  for (llvm::Value *value : initial) {
    llvm::PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    carried.push_back(phi);
  }
  Values next = body(index, carried);
  llvm::BasicBlock *last = b.GetInsertBlock();
  llvm::Value *next_index =
      b.CreateAdd(index, llvm::ConstantInt::get(begin->getType(), static_cast<uint64_t>(step)), "next", false, true);
  index->addIncoming(next_index, last);
  for (size_t i = 0; i < next.size(); ++i) {
    llvm::cast<llvm::PHINode>(carried[i])->addIncoming(next[i], last);
  }
  b.CreateCondBr(b.CreateICmpSLT(next_index, end), loop, after);
  b.SetInsertPoint(after);
  Values result;
  for (size_t i = 0; i < next.size(); ++i) {
    llvm::PHINode *phi = b.CreatePHI(next[i]->getType(), 2);
    phi->addIncoming(initial[i], before);
    phi->addIncoming(next[i], last);
    result.push_back(phi);
  }
  return result;
}

// Returns x[i] + y[i] for all i, floats or integers.
inline Values emit_additions(llvm::IRBuilderBase &b, const Values &x, const Values &y) {
  Values sums;
  for (size_t i = 0; i < x.size(); ++i) {
    sums.push_back(x[i]->getType()->isFPOrFPVectorTy() ? b.CreateFAdd(x[i], y[i]) : b.CreateAdd(x[i], y[i]));
  }
  return sums;
}

// Emits a sum over index = 0, step, 2 step ... below `end`: the body adds its element to the values that it is given. A
// long chain of float additions loses precision, so the sum restarts from `zeros` every `part` indices (a multiple of
// step), and these partial sums are added: the error grows with the number of parts plus the length of one part instead
// of their product.
inline Values emit_sum(llvm::IRBuilderBase &b, int64_t end, int64_t step, const Values &zeros,
                       const std::function<Values(llvm::Value *, const Values &)> &body, int64_t part) {
  auto integer = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  if (end <= 2 * part) {
    return emit_loop_carrying(b, integer(0), integer(end), step, zeros, body);
  }
  return emit_loop_carrying(b, integer(0), integer(end), part, zeros, [&](llvm::Value *first, const Values &sums) {
    llvm::Value *last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(first, integer(part)), integer(end));
    return emit_additions(b, sums, emit_loop_carrying(b, first, last, step, zeros, body));
  });
}

inline Values emit_sum(llvm::IRBuilderBase &b, int64_t end, int64_t step, const Values &zeros,
                       const std::function<Values(llvm::Value *, const Values &)> &body) {
  return emit_sum(b, end, step, zeros, body, 256 * step);
}

inline void emit_loop(llvm::IRBuilderBase &b, llvm::Value *begin, llvm::Value *end, int64_t step,
                      const std::function<void(llvm::Value *)> &body) {
  emit_loop_carrying(b, begin, end, step, {}, [&](llvm::Value *index, const Values &) {
    body(index);
    return Values();
  });
}

// Emits a branch. Both bodies return the same number of values with the same types; the call returns those of the body
// that ran.
inline Values emit_if(llvm::IRBuilderBase &b, llvm::Value *condition, const std::function<Values()> &then_body,
                      const std::function<Values()> &else_body) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *then_block = llvm::BasicBlock::Create(b.getContext(), "then", function);
  llvm::BasicBlock *else_block = llvm::BasicBlock::Create(b.getContext(), "else", function);
  llvm::BasicBlock *after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition, then_block, else_block);
  b.SetInsertPoint(then_block);
  Values then_values = then_body();
  llvm::BasicBlock *then_last = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(else_block);
  Values else_values = else_body();
  llvm::BasicBlock *else_last = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  Values result;
  for (size_t i = 0; i < then_values.size(); ++i) {
    llvm::PHINode *phi = b.CreatePHI(then_values[i]->getType(), 2);
    phi->addIncoming(then_values[i], then_last);
    phi->addIncoming(else_values[i], else_last);
    result.push_back(phi);
  }
  return result;
}

// Emits body under a condition; null: always.
inline void emit_when(llvm::IRBuilderBase &b, llvm::Value *condition, const std::function<void()> &body) {
  if (condition == nullptr) {
    body();
    return;
  }
  emit_if(
      b, condition,
      [&] {
        body();
        return Values();
      },
      [] { return Values(); });
}

}  // namespace bp::emit
