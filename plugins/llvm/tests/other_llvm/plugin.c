// A backend with one kernel, compiled by the LLVM with which it is linked (tools/testing/checks/several_llvms.py):
// several of them, statically and dynamically linked, are loaded into one process with the cpu backend and its own
// LLVM.
// PLUGIN: its short name; ADDS: 1 if it adds, 0 if it multiplies.
#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>
#include <pthread.h>

#include "plugin_api/c/kernels_plugin.h"
#include "plugin_api/c/module_reader.h"

typedef float (*function_of_two)(float, float);
static function_of_two compiled;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compile(void) {
  LLVMLinkInMCJIT();
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMModuleRef module = LLVMModuleCreateWithName(PLUGIN);
  LLVMTypeRef scalar = LLVMFloatType(), parameters[] = {scalar, scalar};
  LLVMValueRef function = LLVMAddFunction(module, "of_two", LLVMFunctionType(scalar, parameters, 2, 0));
  LLVMBuilderRef builder = LLVMCreateBuilder();
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlock(function, "entry"));
  LLVMValueRef x = LLVMGetParam(function, 0), y = LLVMGetParam(function, 1);
  LLVMBuildRet(builder, ADDS ? LLVMBuildFAdd(builder, x, y, "") : LLVMBuildFMul(builder, x, y, ""));
  LLVMDisposeBuilder(builder);
  LLVMExecutionEngineRef engine;  // never freed, because the plugin frame has no deinit() in which to do it
  char *error = 0;
  if (LLVMCreateMCJITCompilerForModule(&engine, module, 0, 0, &error) == 0) {
    compiled = (function_of_two)LLVMGetFunctionAddress(engine, "of_two");
  }
}

static bp_status run(const bp_device_t *device, const bp_call_t *call, const bp_diag_t *diag) {
  (void)device;
  pthread_once(&once, compile);
  if (compiled == 0) {
    diag->report(diag, BP_INTERNAL, call->instr, "LLVM made no function");
    return BP_INTERNAL;
  }
  const int64_t count = bp_read_element_count(call->module, bp_read_result_shape(call->module, call->instr, 0));
  for (int64_t i = 0; i < count; ++i) {
    ((float *)call->results[0])[i] =
        compiled(((const float *)call->operands[0])[i], ((const float *)call->operands[1])[i]);
  }
  return BP_OK;
}

static bp_kernel find(const bp_device_t *device, const bp_module_t *module, uint32_t instr, const bp_diag_t *diag) {
  const bp_shape_t *shape = bp_read_result_shape(module, instr, 0);
  (void)device, (void)diag;
  if (bp_read_instr(module, instr)->op != (ADDS ? BP_OP_ADD : BP_OP_MULTIPLY) || shape->dtype != BP_DTYPE_F32 ||
      bp_read_attr_count(module, instr) != 0 || bp_read_operand_shape(module, instr, 0) != shape ||
      bp_read_operand_shape(module, instr, 1) != shape) {
    return 0;
  }
  return run;
}

BP_KERNELS_PLUGIN("org.example." PLUGIN, PLUGIN, "A kernel by another LLVM", "Example", "1.0.0", find)
