#include "plugins/llvm/program_kernels.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backplane/ext/draft/aot.h"
#include "plugins/llvm/generator/loops.h"
#include "plugins/llvm/kernel/kernel.h"
#include "plugins/llvm/scalar/avx512.h"
#include "plugins/llvm/sharing.h"
#include "plugins/llvm/small_loop.h"

namespace bp::emit {

using llvm::Value;

namespace {

// Few kernels per unit keep all threads busy: a model has 10 to 100 different kernels, some of which take much longer.
constexpr std::size_t kernels_per_unit = 4;
// Instructions of a kernel that is inlined, and of all that are inlined in a function. More would take longer to
// compile than they save.
constexpr unsigned max_inlined_kernel = 256, max_inlined_instructions = 4096;

// Returns the kernel in a module, which declares it if another one defines it. arguments: number of pointers.
llvm::Function *declare(llvm::Module &module, const std::string &kernel, std::size_t arguments) {
  if (llvm::Function *known = module.getFunction(kernel)) {
    return known;
  }
  llvm::LLVMContext &context = module.getContext();
  std::vector<llvm::Type *> types(arguments + 1, llvm::PointerType::getUnqual(context));
  types.insert(types.end(), 2, llvm::Type::getInt64Ty(context));
  auto *function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                                          llvm::GlobalValue::ExternalLinkage, kernel, module);
  return function;
}

llvm::Function *declare_task(llvm::Module &module, const std::string &kernel) {
  const std::string name = kernel + ".task";
  if (llvm::Function *known = module.getFunction(name)) {
    return known;
  }
  llvm::Type *pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::Type *number = llvm::Type::getInt64Ty(module.getContext());
  auto *type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {pointer, pointer, number, number}, false);
  auto *task = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  return task;
}

// Emits the bp_aot_task that calls a kernel with the pointers of an array.
void emit_task(llvm::Function *kernel, std::size_t arguments) {
  llvm::Function *task = declare_task(*kernel->getParent(), kernel->getName().str());
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(kernel->getContext(), "entry", task));
  std::vector<Value *> values;
  for (std::size_t i = 0; i < arguments; ++i) {
    values.push_back(b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), task->getArg(0), i)));
  }
  values.insert(values.end(), {task->getArg(1), task->getArg(2), task->getArg(3)});
  b.CreateCall(kernel, values);
  b.CreateRetVoid();
}

}  // namespace

llvm::Module *add_unit(Program &program, const ProgramOptions &options, const std::string &name) {
  auto context = make_fragile<llvm::LLVMContext>();
  auto module = make_fragile<llvm::Module>(name, *context);
  module->setTargetTriple(options.triple);
  module->setDataLayout(options.data_layout);
  if (options.target.has_avx512) {
    use_avx512(*module);
  }
  program.units.push_back({std::move(context), std::move(module)});
  return program.units.back().module.get();
}

llvm::Value *load_from_caller(llvm::IRBuilder<> &b, std::size_t offset) {
  Value *caller = b.GetInsertBlock()->getParent()->getArg(2);
  llvm::LoadInst *member = b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), caller, offset));
  member->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return member;
}

void ProgramKernels::emit_call(llvm::IRBuilder<> &b, InstructionView instruction, const KernelCall &call,
                               std::vector<Value *> pointers, bool is_in_small_loop) {
  const EmittedKernel &kernel = kernel_of(instruction, call, is_in_small_loop);
  Value *scratch = b.GetInsertBlock()->getParent()->getArg(1);
  if (kernel.common_bytes > 0) {
    pointers.push_back(
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), scratch, static_cast<std::uint64_t>(-kernel.common_bytes)));
  }
  run_steps(b, kernel, pointers, scratch);
}

// Returns the kernel for a call: in a small loop one to be inlined, unless it is large.
const ProgramKernels::EmittedKernel &ProgramKernels::kernel_of(InstructionView instruction, const KernelCall &call,
                                                               bool is_in_small_loop) {
  if (is_in_small_loop && may_be_inlined(instruction) && inlined_instructions_ < max_inlined_instructions) {
    auto [found, is_new] = inlined_kernels_.try_emplace(call.signature);
    if (is_new) {
      found->second = emit_kernel(instruction, call, driver_);
      llvm::Function *function = driver_.getFunction(found->second.name);
      found->second.instructions = function->getInstructionCount();
      function->setLinkage(llvm::GlobalValue::InternalLinkage);
      function->addFnAttr(llvm::Attribute::AlwaysInline);
      if (found->second.instructions > max_inlined_kernel) {
        function->eraseFromParent();
      }
    }
    if (found->second.instructions <= max_inlined_kernel) {
      inlined_instructions_ += found->second.instructions;
      return found->second;
    }
  }
  auto [found, is_new] = kernels_.try_emplace(call.signature);
  if (is_new) {
    llvm::Module *unit = unit_for_kernel();
    found->second = emit_kernel(instruction, call, *unit);
    found->second.is_shared = found->second.work.items > 1 && is_worth_sharing(instruction);
    if (found->second.is_shared) {
      emit_task(unit->getFunction(found->second.name), found->second.arguments);
    }
  }
  return found->second;
}

ProgramKernels::EmittedKernel ProgramKernels::emit_kernel(InstructionView instruction, const KernelCall &call,
                                                          llvm::Module &unit) {
  const std::int64_t common = (common_bytes(instruction, options_.target) + 63) / 64 * 64;
  EmittedKernel kernel = {.name = "kernel." + std::to_string(++kernel_count_),
                          .arguments = call.arguments.size() + (common > 0 ? 1 : 0),
                          .common_bytes = common};
  llvm::Function *function = declare(unit, kernel.name, kernel.arguments);
  describe_arguments(*function, call);
  KernelBuilder builder(llvm::BasicBlock::Create(unit.getContext(), "entry", function));
  std::vector<Value *> parameters;
  for (unsigned i = 0; i < call.arguments.size(); ++i) {
    parameters.push_back(function->getArg(i));
  }
  const auto count = static_cast<unsigned>(kernel.arguments);
  KernelSite site = kernel_site(instruction, call, parameters);
  site.scratch = function->getArg(count);
  site.begin = function->getArg(count + 1);
  site.end = function->getArg(count + 2);
  site.common = common > 0 ? function->getArg(count - 1) : nullptr;
  kernel.work = emit::emit_kernel(builder, site, options_.target);
  builder.b.CreateRetVoid();
  program_.scratch_bytes = std::max(program_.scratch_bytes, (kernel.work.scratch_bytes + 63) / 64 * 64);
  program_.common_bytes = std::max(program_.common_bytes, common);
  return kernel;
}

// Emits a call for all items of a kernel, step after step if it has steps.
void ProgramKernels::run_steps(llvm::IRBuilder<> &b, const EmittedKernel &kernel, std::span<Value *const> pointers,
                               Value *scratch) {
  const auto integer = [&](std::int64_t value) { return b.getInt64(static_cast<std::uint64_t>(value)); };
  if (kernel.work.steps.empty()) {
    run_items(b, kernel, pointers, scratch, integer(0), kernel.work.items);
    return;
  }
  std::int64_t begin = 0;
  for (const KernelSteps &steps : kernel.work.steps) {
    const std::int64_t of_round = steps.items_of_round(), end = begin + steps.rounds * of_round;
    emit_loop(b, integer(begin), integer(end), of_round, [&](Value *first) {
      for (const std::int64_t items : steps.items) {
        run_items(b, kernel, pointers, scratch, first, items);
        first = b.CreateAdd(first, integer(items));
      }
    });
    begin = end;
  }
}

// Emits the work on `items` items from `begin` on, shared by all threads or done by one call.
void ProgramKernels::run_items(llvm::IRBuilder<> &b, const EmittedKernel &kernel, std::span<Value *const> pointers,
                               Value *scratch, Value *begin, std::int64_t items) {
  Value *end = b.CreateAdd(begin, b.getInt64(static_cast<std::uint64_t>(items)));
  if (kernel.is_shared && items > 1) {
    share(b, kernel, pointers, scratch, begin, end);
    return;
  }
  std::vector<Value *> arguments(pointers.begin(), pointers.end());
  arguments.insert(arguments.end(), {scratch, begin, end});
  b.CreateCall(declare(driver_, kernel.name, kernel.arguments), arguments);
}

// Emits caller->share(caller, task, pointers, scratch, begin, end).
void ProgramKernels::share(llvm::IRBuilder<> &b, const EmittedKernel &kernel, std::span<Value *const> pointers,
                           Value *scratch, Value *begin, Value *end) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::Type *pointer = b.getPtrTy();
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  Value *array = entry.CreateAlloca(llvm::ArrayType::get(pointer, pointers.size()));
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    b.CreateStore(pointers[i], b.CreateConstInBoundsGEP1_64(pointer, array, i));
  }
  Value *entry_point = load_from_caller(b, offsetof(bp_aot_caller_t, share));
  llvm::Type *number = b.getInt64Ty();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, pointer, number, number}, false);
  b.CreateCall(type, entry_point,
               {function->getArg(2), declare_task(driver_, kernel.name), array, scratch, begin, end});
}

// Returns the unit for the next kernel. Units refer to each other's functions with default visibility, that is
// through a table, because they may be loaded more than 2 GB apart, which a direct reference cannot reach.
llvm::Module *ProgramKernels::unit_for_kernel() {
  if (options_.in_one_unit) {
    return &driver_;
  }
  if (kernels_in_unit_++ % kernels_per_unit == 0) {
    kernel_unit_ = add_unit(program_, options_, "kernels." + std::to_string(program_.units.size()));
  }
  return kernel_unit_;
}

}  // namespace bp::emit
