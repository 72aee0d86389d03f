#include "plugins/llvm/program.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "plugins/llvm/kernel/call.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/program_kernels.h"
#include "plugins/llvm/small_loop.h"

namespace bp::emit {

using plugin::Result;
using plugin::Status;

namespace {

using llvm::Value;

constexpr std::size_t calls_per_function = 256;

class ProgramEmitter {
 public:
  ProgramEmitter(const ModuleView &module, const ProgramOptions &options) : module_(module), options_(options) {}

  Result<Program> emit() {
    driver_ = add_unit(program_, options_, "driver");
    kernels_ = std::make_unique<ProgramKernels>(options_, program_, *driver_);
    find_small_loops();
    for (std::uint32_t id = 0; id < module_.computation_count(); ++id) {  // callees are before callers
      if (needs_function_[id]) {
        BP_TRY(emit_control(module_.computation(id)));
      }
    }
    llvm::Function *entry = function_of(module_.image().entry);
    entry->setName(entry_name);
    entry->setLinkage(llvm::GlobalValue::ExternalLinkage);
    for (CodeUnit &unit : program_.units) {
      finish(*unit.module);
      std::string message;
      llvm::raw_string_ostream stream(message);
      if (llvm::verifyModule(*unit.module, &stream)) {
        return plugin::Error(BP_INTERNAL, "generated code is malformed: " + message);
      }
    }
    return std::move(program_);
  }

 private:
  void finish(llvm::Module &module) {
    const std::string width = std::to_string(options_.target.vector_bits);
    for (llvm::Function &function : module) {
      if (!function.isDeclaration()) {
        function.addFnAttr("prefer-vector-width", width);
        function.addFnAttr("min-legal-vector-width", width);
        function.addFnAttr(llvm::Attribute::NoUnwind);
      }
    }
  }

  // Finds small loops, and the computations that are called elsewhere, too, and so are functions.
  void find_small_loops() {
    needs_function_.resize(module_.computation_count());
    needs_function_[module_.image().entry] = true;
    for (std::uint32_t id = module_.computation_count(); id-- > 0;) {  // callers are after callees
      const ComputationView computation = module_.computation(id);
      for (std::uint32_t n = 0; n < computation.instruction_count() && needs_function_[id]; ++n) {
        const InstructionView instruction = module_.instruction(computation.first_instruction() + n);
        if (!is_control_flow(instruction.op())) {
          continue;
        }
        if (std::optional<SmallLoop> loop; instruction.op() == BP_OP_WHILE && (loop = small_loop(instruction))) {
          small_loops_.emplace(instruction.id(), std::move(*loop));
          continue;
        }
        for (const std::uint32_t callee : instruction.calls()) {
          needs_function_[callee] = !module_.computation(callee).embedded();
        }
      }
    }
  }

  // --- memory ---

  Location location(std::uint32_t value) const { return location_of(module_, value); }

  Value *pointer(const Location &location) {
    if (const LoopVariable *variable = loop_ == nullptr ? nullptr : loop_->variable_of(location)) {
      return b_->CreateConstInBoundsGEP1_64(b_->getInt8Ty(), variables_.at(variable),
                                            location.offset - variable->location.offset);
    }
    return address(location);
  }

  // Returns the location's address in memory.
  Value *address(const Location &location) {
    llvm::IRBuilder<> &b = *b_;
    Value *allocations = b.GetInsertBlock()->getParent()->getArg(0);
    // bp_loc_t: for host memory the second word is the address.
    Value *slot = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), allocations,
                                               location.allocation * sizeof(bp_loc_t) + offsetof(bp_loc_t, offset));
    Value *base = b.CreateAlignedLoad(b.getPtrTy(), slot, llvm::Align(8));
    return location.offset == 0 ? base : b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, location.offset);
  }

  std::uint64_t alignment(const Location &location) const { return alignment_of(module_, location); }

  void move(std::uint32_t from_value, std::uint32_t to_value) {
    const Location from = location(from_value), to = location(to_value);
    if (from.exists() && to.exists() && !from.same(to)) {
      b_->CreateMemMove(pointer(to), llvm::MaybeAlign(alignment(to)), pointer(from), llvm::MaybeAlign(alignment(from)),
                        std::min(from.size, to.size));
    }
  }

  // --- control flow ---

  llvm::Function *function_of(std::uint32_t computation) { return functions_.at(computation); }

  llvm::Function *add_driver_function(const std::string &name) {
    llvm::Type *pointer = llvm::PointerType::getUnqual(driver_->getContext());
    auto *type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(driver_->getContext()), {pointer, pointer, pointer}, false);
    auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, driver_);
    function->addFnAttr(llvm::Attribute::NoInline);
    leave_ = nullptr;
    kernels_->begin_function();
    b_ = std::make_unique<llvm::IRBuilder<>>(llvm::BasicBlock::Create(driver_->getContext(), "entry", function));
    return function;
  }

  // Emits code that goes to `leave` if the run is to end early.
  void leave_if_over(llvm::BasicBlock *leave) {
    llvm::Function *function = b_->GetInsertBlock()->getParent();
    auto *ask = llvm::BasicBlock::Create(driver_->getContext(), "ask", function);
    auto *go_on = llvm::BasicBlock::Create(driver_->getContext(), "go_on", function);
    Value *is_over = load_from_caller(*b_, offsetof(bp_aot_caller_t, is_over));
    b_->CreateCondBr(b_->CreateIsNull(is_over), go_on, ask);
    b_->SetInsertPoint(ask);
    auto *type = llvm::FunctionType::get(b_->getInt32Ty(), {b_->getPtrTy()}, false);
    Value *answer = b_->CreateCall(type, is_over, {function->getArg(2)});
    b_->CreateCondBr(b_->CreateIsNull(answer), go_on, leave);
    b_->SetInsertPoint(go_on);
  }

  // The block that returns from the current function.
  llvm::BasicBlock *leave() {
    if (leave_ == nullptr) {
      leave_ = llvm::BasicBlock::Create(driver_->getContext(), "leave", b_->GetInsertBlock()->getParent());
      llvm::IRBuilder<>(leave_).CreateRetVoid();
    }
    return leave_;
  }

  // Emits a call of the application, after which the code leaves if it failed.
  void emit_host_call(InstructionView instruction) {
    llvm::Function *function = b_->GetInsertBlock()->getParent();
    auto *go_on = llvm::BasicBlock::Create(driver_->getContext(), "go_on", function);
    auto *type = llvm::FunctionType::get(b_->getInt32Ty(), {b_->getPtrTy(), b_->getInt32Ty()}, false);
    Value *call = load_from_caller(*b_, offsetof(bp_aot_caller_t, call));
    Value *answer = b_->CreateCall(type, call, {function->getArg(2), b_->getInt32(instruction.id())});
    b_->CreateCondBr(b_->CreateIsNull(answer), go_on, leave());
    b_->SetInsertPoint(go_on);
  }

  bool calls_host(std::uint32_t computation) const { return calling_.contains(computation); }

  // Emits a call of a computation, or its instructions in a small loop.
  Status call(std::uint32_t computation) {
    if (loop_ == nullptr) {
      call(function_of(computation));
      return {};
    }
    const ComputationView view = module_.computation(computation);
    for (std::uint32_t n = 0; n < view.instruction_count(); ++n) {
      BP_TRY(emit_instruction(module_.instruction(view.first_instruction() + n)));
    }
    return {};
  }

  void call(llvm::Function *function) {
    llvm::Function *caller = b_->GetInsertBlock()->getParent();
    b_->CreateCall(function, {caller->getArg(0), caller->getArg(1), caller->getArg(2)});
  }

  // Keeps functions small, so that compile time is linear: a long computation becomes a chain of functions.
  Status emit_control(ComputationView computation) {
    const std::string name = "control." + std::to_string(computation.id());
    std::vector<llvm::Function *> parts;
    std::size_t calls = calls_per_function;
    for (std::uint32_t n = 0; n < computation.instruction_count(); ++n) {
      if (calls++ >= calls_per_function) {
        if (!parts.empty()) {
          b_->CreateRetVoid();
        }
        parts.push_back(add_driver_function(name + "." + std::to_string(parts.size())));
        calls = 0;
      }
      const InstructionView instruction = module_.instruction(computation.first_instruction() + n);
      BP_TRY(emit_instruction(instruction));
      const bool calls_inside =
          is_control_flow(instruction.op()) &&
          std::ranges::any_of(instruction.calls(), [&](std::uint32_t callee) { return calls_host(callee); });
      if (calls_inside) {
        leave_if_over(leave());
      }
      if (calls_inside || instruction.is_host_call()) {
        calling_.insert(computation.id());
      }
    }
    if (parts.empty()) {
      parts.push_back(add_driver_function(name));
    }
    b_->CreateRetVoid();
    if (parts.size() > 1) {
      llvm::Function *whole = add_driver_function(name);
      for (llvm::Function *part : parts) {
        leave_if_over(leave());
        call(part);
      }
      b_->CreateRetVoid();
      parts = {whole};
    }
    functions_[computation.id()] = parts[0];
    return {};
  }

  Status emit_instruction(InstructionView instruction) {
    if (std::string problem = kernel_problem(instruction, options_.target); !problem.empty()) {
      return error_at(instruction, BP_UNSUPPORTED, problem);
    }
    const std::uint16_t op = instruction.op();
    if (op == BP_OP_PARAMETER || op == BP_OP_CONSTANT) {
      return {};
    }
    if (instruction.is_host_call()) {
      emit_host_call(instruction);
      return {};
    }
    if (is_forwarding(op)) {
      for (std::size_t i = 0; i < std::min(instruction.result_count(), instruction.operand_count()); ++i) {
        move(instruction.operand(i), instruction.result(i));
      }
      return {};
    }
    if (is_control_flow(op)) {
      for (const std::uint32_t callee : instruction.calls()) {
        if (module_.computation(callee).embedded()) {
          return error_at(instruction, BP_INTERNAL, "calls an embedded computation as control flow");
        }
      }
      switch (op) {
        case BP_OP_WHILE: return emit_while(instruction);
        case BP_OP_CONDITIONAL: return emit_conditional(instruction);
        default: return emit_branch(instruction, 0, 0);
      }
    }
    if (const std::string problem = memory_problem(instruction); !problem.empty()) {
      return error_at(instruction, BP_INTERNAL, problem);
    }
    if (has_no_elements(instruction)) {
      return {};
    }
    if (op == BP_OP_RNG_GET_AND_UPDATE_STATE) {
      emit_random_state(instruction);
      return {};
    }
    if (op == BP_OP_COPY && same_storage(instruction.shape(), instruction.operand_shape(0))) {
      move(instruction.operand(0), instruction.result());
      return {};
    }
    return emit_kernel_call(instruction);
  }

  // Emits the state before the update: XLA:CPU's initial state plus `delta` for each earlier run of the instruction
  // since the program was loaded. Threads that run it at the same time get different states.
  void emit_random_state(InstructionView instruction) {
    constexpr std::uint64_t first_state = 0x7012395;
    llvm::IntegerType *word = b_->getInt64Ty(), *state = b_->getInt128Ty();
    auto *runs = new llvm::GlobalVariable(*driver_, word, false, llvm::GlobalValue::InternalLinkage, b_->getInt64(0),
                                          "runs." + std::to_string(instruction.id()));
    Value *before = b_->CreateAtomicRMW(llvm::AtomicRMWInst::Add, runs, b_->getInt64(1), llvm::MaybeAlign(8),
                                        llvm::AtomicOrdering::Monotonic);
    Value *delta = llvm::ConstantInt::getSigned(state, instruction.number(BP_ATTR_DELTA));
    Value *advance = b_->CreateMul(b_->CreateZExt(before, state), delta);
    Value *sum = b_->CreateAdd(advance, llvm::ConstantInt::get(state, first_state));
    const Location to = location(instruction.result());
    b_->CreateAlignedStore(sum, pointer(to), llvm::MaybeAlign(alignment(to)));
  }

  // Calls computation `which` with the operands from `first` on; its roots become the results of the instruction.
  Status emit_branch(InstructionView instruction, std::size_t which, std::size_t first) {
    const ComputationView callee = instruction.called(which);
    for (std::size_t i = 0; i < callee.parameters().size(); ++i) {
      move(instruction.operand(first + i), callee.parameters()[i]);
    }
    BP_TRY(call(callee.id()));
    for (std::size_t i = 0; i < callee.roots().size(); ++i) {
      move(callee.roots()[i], instruction.result(i));
    }
    return {};
  }

  Status emit_while(InstructionView instruction) {
    const ComputationView condition = instruction.called(0), body = instruction.called(1);
    const auto move_all = [&](std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        move(from[i], to[i]);
      }
    };
    std::vector<std::uint32_t> results;
    for (std::size_t i = 0; i < instruction.result_count(); ++i) {
      results.push_back(instruction.result(i));
    }
    llvm::Function *function = b_->GetInsertBlock()->getParent();
    llvm::LLVMContext &context = driver_->getContext();
    auto *test = llvm::BasicBlock::Create(context, "while.condition", function);
    auto *loop = llvm::BasicBlock::Create(context, "while.body", function);
    auto *after = llvm::BasicBlock::Create(context, "while.after", function);
    move_all(instruction.operands(), body.parameters());
    const auto small = loop_ == nullptr ? small_loops_.find(instruction.id()) : small_loops_.end();
    if (small != small_loops_.end()) {
      enter(small->second);
    }
    b_->CreateBr(test);
    b_->SetInsertPoint(test);
    leave_if_over(after);
    move_all(body.parameters(), condition.parameters());
    BP_TRY(call(condition.id()));
    if (calls_host(condition.id())) {
      leave_if_over(after);
    }
    b_->CreateCondBr(load_predicate(condition.roots()[0]), loop, after);
    b_->SetInsertPoint(loop);
    BP_TRY(call(body.id()));
    move_all(body.roots(), body.parameters());
    b_->CreateBr(test);
    b_->SetInsertPoint(after);
    if (small != small_loops_.end()) {
      leave_small_loop();
    }
    move_all(body.parameters(), results);
    return {};
  }

  // Gives the small values of a loop variables, until leave_small_loop().
  void enter(const SmallLoop &loop) {
    llvm::Function *function = b_->GetInsertBlock()->getParent();
    function->addFnAttr(keeps_variables);
    llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
    constexpr std::uint64_t alignment = 64;
    for (const LoopVariable &variable : loop.variables) {
      const Location &at = variable.location;
      const std::uint64_t before = at.offset % alignment;  // so that addresses have the alignment of those in memory
      llvm::AllocaInst *memory = entry.CreateAlloca(llvm::ArrayType::get(b_->getInt8Ty(), before + at.size));
      memory->setAlignment(llvm::Align(alignment));
      b_->CreateLifetimeStart(memory, b_->getInt64(before + at.size));  // loops share the stack
      stack_[&variable] = memory;
      variables_[&variable] = b_->CreateConstInBoundsGEP1_64(b_->getInt8Ty(), memory, before);
      b_->CreateMemCpy(variables_[&variable], llvm::Align(1), address(at), llvm::Align(1), at.size);
    }
    loop_ = &loop;
  }

  void leave_small_loop() {
    for (const LoopVariable &variable : loop_->variables) {
      if (variable.is_written) {
        b_->CreateMemCpy(address(variable.location), llvm::Align(1), variables_[&variable], llvm::Align(1),
                         variable.location.size);
      }
      llvm::AllocaInst *memory = stack_.at(&variable);
      b_->CreateLifetimeEnd(memory, b_->getInt64(memory->getAllocatedType()->getArrayNumElements()));
    }
    loop_ = nullptr;
  }

  Value *load_predicate(std::uint32_t value) {
    Value *byte = b_->CreateAlignedLoad(b_->getInt8Ty(), pointer(location(value)), llvm::Align(1));
    return b_->CreateICmpNE(byte, b_->getInt8(0));
  }

  Status emit_conditional(InstructionView instruction) {
    if (!location(instruction.operand(0)).exists()) {
      return error_at(instruction, BP_INTERNAL, "has a selector without memory");
    }
    llvm::Function *function = b_->GetInsertBlock()->getParent();
    llvm::LLVMContext &context = driver_->getContext();
    const std::size_t count = instruction.calls().size();
    // For a pred, branch 0 is the one for true. An index out of range selects the last branch.
    Value *selector = instruction.operand_shape(0).dtype == BP_DTYPE_PRED
                          ? b_->CreateZExt(b_->CreateNot(load_predicate(instruction.operand(0))), b_->getInt32Ty())
                          : static_cast<Value *>(b_->CreateAlignedLoad(
                                b_->getInt32Ty(), pointer(location(instruction.operand(0))), llvm::Align(4)));
    auto *after = llvm::BasicBlock::Create(context, "conditional.after", function);
    std::vector<llvm::BasicBlock *> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      blocks.push_back(llvm::BasicBlock::Create(context, "branch", function));
    }
    llvm::SwitchInst *choice = b_->CreateSwitch(selector, blocks.back(), static_cast<unsigned>(count));
    std::size_t operand = 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + 1 < count) {
        choice->addCase(b_->getInt32(static_cast<std::uint32_t>(i)), blocks[i]);
      }
      b_->SetInsertPoint(blocks[i]);
      BP_TRY(emit_branch(instruction, i, operand));
      operand += instruction.called(i).parameters().size();
      b_->CreateBr(after);
    }
    b_->SetInsertPoint(after);
    return {};
  }

  Status emit_kernel_call(InstructionView instruction) {
    const KernelCall call = kernel_call(instruction);
    std::vector<Value *> pointers;
    for (const KernelArgument &argument : call.arguments) {
      pointers.push_back(pointer(argument.location));
    }
    kernels_->emit_call(*b_, instruction, call, std::move(pointers), loop_ != nullptr);
    return {};
  }

  const ModuleView &module_;
  const ProgramOptions &options_;
  Program program_;
  llvm::Module *driver_ = nullptr;
  std::unique_ptr<ProgramKernels> kernels_;
  std::unique_ptr<llvm::IRBuilder<>> b_;
  llvm::BasicBlock *leave_ = nullptr;  // of the current function; made when it is needed
  std::unordered_map<std::uint32_t, llvm::Function *> functions_;
  std::unordered_set<std::uint32_t> calling_;                 // computations that call the application
  std::vector<bool> needs_function_;                          // by computation
  std::unordered_map<std::uint32_t, SmallLoop> small_loops_;  // by instruction
  const SmallLoop *loop_ = nullptr;                           // the one whose code is being emitted
  std::unordered_map<const LoopVariable *, llvm::AllocaInst *> stack_;
  std::unordered_map<const LoopVariable *, Value *> variables_;
};

}  // namespace

Result<Program> emit_program(const ModuleView &module, const ProgramOptions &options) {
  if (!module.final()) {
    return plugin::Error(
        BP_INVALID, "the module is at stage " + std::to_string(module.image().stage) + ", expected the final stage");
  }
  return ProgramEmitter(module, options).emit();
}

}  // namespace bp::emit
