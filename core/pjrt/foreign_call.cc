// Calls of foreign functions: the call frame, and the functions that a handler may call meanwhile.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <set>

#include "core/ir/storage.h"
#include "core/pjrt/buffer.h"
#include "core/pjrt/event.h"
#include "core/pjrt/foreign_attributes.h"
#include "core/pjrt/foreign_functions.h"
#include "core/text/parser.h"

// One call of a function, in the stage of its frame.
struct XLA_FFI_ExecutionContext {
  XLA_FFI_ExecutionContext(const bp::pjrt::ForeignRun &of, XLA_FFI_ExecutionStage in, bp::pjrt::ForeignState *made)
      : run(of), stage(in), state(made) {}
  ~XLA_FFI_ExecutionContext() {
    for (void *block : blocks) {
      std::free(block);
    }
  }

  const bp::pjrt::ForeignRun &run;
  XLA_FFI_ExecutionStage stage;
  bp::pjrt::ForeignState *state;  // nullptr: there is none
  std::mutex mutex;
  std::set<void *> blocks;  // memory that the function allocated
};

// Shared with the thread that sets it, which may still be inside of the call when the waiting one goes on.
struct XLA_FFI_Future {
  std::shared_ptr<bp::pjrt::Moment> moment = std::make_shared<bp::pjrt::Moment>();
};

namespace bp::pjrt {
namespace {

using ir::Literal;
using ir::Shape;

// --- What a handler may call ---

XLA_FFI_Error *failure(XLA_FFI_Error_Code code, std::string message) {
  return new XLA_FFI_Error{code, std::move(message)};
}

XLA_FFI_Error *to_ffi(Status status) {
  return status.ok() ? nullptr : failure(XLA_FFI_Error_Code_INVALID_ARGUMENT, status.error().to_string());
}

XLA_FFI_Error *get_stream(XLA_FFI_Stream_Get_Args *) {
  return failure(XLA_FFI_Error_Code_UNIMPLEMENTED,
                 "Backplane calls foreign functions on the host: they have no stream");
}

// The state passes to the program.
XLA_FFI_Error *set_state(XLA_FFI_State_Args *args) {
  if (args->ctx->stage != XLA_FFI_ExecutionStage_INSTANTIATE) {
    return failure(XLA_FFI_Error_Code_INVALID_ARGUMENT, "a state is set in another stage than instantiate");
  }
  ForeignState &state = *args->ctx->state;
  if (state.object != nullptr) {
    return failure(XLA_FFI_Error_Code_INVALID_ARGUMENT, "a state is set twice");
  }
  state.object = args->state;
  state.type_id = args->type_id->type_id;
  state.deleter = find_deleter(state.type_id);
  return nullptr;
}

XLA_FFI_Error *get_state(XLA_FFI_State_Args *args) {
  const ForeignState *state = args->ctx->state;
  if (state == nullptr || state->object == nullptr) {
    return failure(XLA_FFI_Error_Code_NOT_FOUND, "the function has set no state");
  }
  if (state->type_id != args->type_id->type_id) {
    return failure(XLA_FFI_Error_Code_INVALID_ARGUMENT,
                   fmt::format("the state has the type {}, expected {}", state->type_id, args->type_id->type_id));
  }
  args->state = state->object;
  return nullptr;
}

XLA_FFI_Error *create_error(XLA_FFI_Error_Create_Args *args) {
  return failure(args->errc, args->message == nullptr ? "" : args->message);
}

void get_message(XLA_FFI_Error_GetMessage_Args *args) {
  args->message = args->error->message.c_str();
}

void destroy_error(XLA_FFI_Error_Destroy_Args *args) {
  delete args->error;
}

XLA_FFI_Error *get_user_data(XLA_FFI_ExecutionContext_Get_Args *args) {
  PJRT_ExecuteContext *context = args->ctx->run.context;
  if (context != nullptr) {
    const std::lock_guard lock(context->mutex);
    if (const auto found = context->user_data.find(args->type_id->type_id); found != context->user_data.end()) {
      args->data = found->second;
      return nullptr;
    }
  }
  return failure(XLA_FFI_Error_Code_NOT_FOUND,
                 fmt::format("the caller passed no data of the type {}", args->type_id->type_id));
}

XLA_FFI_Error *allocate(XLA_FFI_DeviceMemory_Allocate_Args *args) {
  const std::size_t alignment = std::max<std::size_t>(args->alignment, 64);
  const std::size_t size = (std::max<std::size_t>(args->size, 1) + alignment - 1) / alignment * alignment;
  args->data = size < args->size ? nullptr : std::aligned_alloc(alignment, size);
  if (args->data == nullptr) {
    return failure(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, fmt::format("no memory of {} bytes", args->size));
  }
  const std::lock_guard lock(args->ctx->mutex);
  args->ctx->blocks.insert(args->data);
  return nullptr;
}

XLA_FFI_Error *release(XLA_FFI_DeviceMemory_Free_Args *args) {
  const std::lock_guard lock(args->ctx->mutex);
  if (args->ctx->blocks.erase(args->data) == 0) {
    return failure(XLA_FFI_Error_Code_INVALID_ARGUMENT, "the memory is not that of this call");
  }
  std::free(args->data);
  return nullptr;
}

// Without threads of its own, it does the task at once.
XLA_FFI_Error *schedule(XLA_FFI_ThreadPool_Schedule_Args *args) {
  args->task(args->data);
  return nullptr;
}

XLA_FFI_Error *get_thread_count(XLA_FFI_ThreadPool_NumThreads_Args *args) {
  *args->num_threads = 1;
  return nullptr;
}

XLA_FFI_Error *create_future(XLA_FFI_Future_Create_Args *args) {
  args->future = new XLA_FFI_Future;
  return nullptr;
}

XLA_FFI_Error *set_available(XLA_FFI_Future_SetAvailable_Args *args) {
  const std::shared_ptr<Moment> moment = args->future->moment;
  moment->set({});
  return nullptr;
}

XLA_FFI_Error *set_error(XLA_FFI_Future_SetError_Args *args) {
  const std::shared_ptr<Moment> moment = args->future->moment;
  moment->set(error_of(*args->error));
  delete args->error;
  return nullptr;
}

XLA_FFI_Error *get_run_id(XLA_FFI_RunId_Get_Args *args) {
  args->run_id = args->ctx->run.run_id;
  return nullptr;
}

XLA_FFI_Error *get_device(XLA_FFI_DeviceOrdinal_Get_Args *args) {
  args->device_ordinal = args->ctx->run.device;
  return nullptr;
}

// --- The call frame ---

// The shapes that the call demands of its operands, in their layouts; those of the operands if it demands none.
Result<std::vector<Shape>> operand_shapes(const ir::Instruction &call) {
  std::vector<Shape> shapes;
  const std::string_view demanded = call.text(ir::AttributeKey::OperandLayoutConstraints);
  if (!demanded.empty()) {
    // "{f32[2]{0}, s32[]}" has the syntax of a tuple's shape, but for its braces.
    BP_ASSIGN(const Shape all, text::parse_shape(fmt::format("({})", demanded.substr(1, demanded.size() - 2))));
    shapes.assign(all.elements().begin(), all.elements().end());
  }
  for (std::size_t i = 0; i < std::min(shapes.size(), call.operand_count()); ++i) {
    if (!ir::same(shapes[i], call.operand(i).shape(), ir::CompareLayout::No)) {
      return invalid_input("operand {} has shape {}, expected {}, which operand_layout_constraints demands", i,
                           ir::to_string(call.operand(i).shape()), ir::to_string(shapes[i]));
    }
  }
  for (std::size_t i = shapes.size(); i < call.operand_count(); ++i) {
    shapes.push_back(call.operand(i).shape());
    if (shapes.back().is_array()) {
      shapes.back().set_layout(ir::Layout::descending(shapes.back().rank()));
    }
  }
  return shapes;
}

std::vector<Shape> result_shapes(const Shape &shape) {
  return shape.is_tuple() ? std::vector<Shape>(shape.elements().begin(), shape.elements().end()) : std::vector{shape};
}

// An array or a token, and the memory in which the function sees it.
struct ForeignBuffer {
  Shape shape;
  Literal value;  // dense, in the layout of the shape
  XLA_FFI_Buffer buffer{};
};

// Fails if the function could not see the array: it has no sizes of its own, tiles or padding.
Status describe(ForeignBuffer &foreign, void *data) {
  const Shape &shape = foreign.shape;
  if (!shape.is_array() && !shape.is_token()) {
    return unsupported("a value of shape {}, expected an array or a token", ir::to_string(shape));
  }
  foreign.buffer.struct_size = sizeof foreign.buffer;
  foreign.buffer.dtype = static_cast<XLA_FFI_DataType>(shape.element_type());  // numbers of xla.PrimitiveType
  if (shape.is_array()) {
    foreign.buffer.data = data;
    foreign.buffer.rank = static_cast<std::int64_t>(shape.rank());
    foreign.buffer.dims = const_cast<std::int64_t *>(shape.sizes().data());
  }
  return {};
}

bool has_order_of_literal(const Shape &shape) {
  return ir::bit_width(shape.element_type()) < 8 || ir::is_stored_as_literal(shape);
}

// Returns the array with its elements in the order of the shape's layout.
Result<Literal> in_layout(const Literal &value, const Shape &shape) {
  if (!shape.is_array() || has_order_of_literal(shape)) {
    return value;
  }
  BP_ASSIGN(Literal stored, Literal::zeros(shape));
  if (shape.byte_size() != static_cast<std::int64_t>(stored.bytes().size())) {
    return unsupported("an array of shape {}, expected a layout without padding", ir::to_string(shape));
  }
  ir::store(value, shape, stored.mutable_bytes());
  return stored;
}

Result<Literal> from_layout(const Literal &stored, const Shape &shape) {
  return shape.is_array() && !has_order_of_literal(shape) ? ir::load(stored.bytes(), shape) : Result<Literal>(stored);
}

// By result: the operand that has its memory; -1 if none has.
std::vector<std::int64_t> aliased_operands(const ir::Instruction &call, std::size_t results) {
  std::vector<std::int64_t> operands(results, -1);
  auto numbers = call.numbers(ir::AttributeKey::OutputToOperandAliasing);
  // Each entry: the index of the result, the operand, the index in the operand; an index begins with its length.
  while (numbers.size() >= 3) {
    const auto depth = static_cast<std::size_t>(numbers[0]);
    const std::int64_t result = depth == 0 ? 0 : numbers[1], operand = numbers[1 + depth];
    const auto operand_depth = static_cast<std::size_t>(numbers[2 + depth]);
    if (result >= 0 && static_cast<std::size_t>(result) < results) {
      operands[static_cast<std::size_t>(result)] = operand;
    }
    numbers = numbers.subspan(3 + depth + operand_depth);
  }
  return operands;
}

class Call {
 public:
  Status read_attributes(const ir::Instruction &call) {
    return attributes_.read(call.text(ir::AttributeKey::BackendConfig));
  }

  Status prepare(const ir::Instruction &call, std::span<const Literal> operands) {
    BP_TRY(read_attributes(call));
    BP_ASSIGN(const std::vector<Shape> shapes, operand_shapes(call));
    for (std::size_t i = 0; i < operands.size(); ++i) {
      arguments_.push_back({shapes[i], {}, {}});
      BP_ASSIGN(arguments_[i].value, in_layout(operands[i], shapes[i]));
      BP_TRY(describe(arguments_[i], const_cast<std::byte *>(arguments_[i].value.bytes().data())));
    }
    const std::vector<Shape> all = result_shapes(call.shape());
    const std::vector<std::int64_t> aliased = aliased_operands(call, all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      results_.push_back({all[i], {}, {}});
      if (aliased[i] >= 0 && all[i].is_array()) {
        BP_ASSIGN(ForeignBuffer * found, operand_aliased_with(all[i], aliased[i]));
        ForeignBuffer &argument = *found;
        results_[i].value = argument.value;
        BP_TRY(describe(results_[i], results_[i].value.mutable_bytes().data()));
        argument.buffer.data = results_[i].buffer.data;
      } else {
        BP_ASSIGN(results_[i].value, Literal::zeros(all[i]));
        BP_TRY(describe(results_[i], results_[i].value.mutable_bytes().data()));
      }
    }
    return {};
  }

  // Returns when the function is done.
  Status run(XLA_FFI_Handler *handler, const ForeignRun &run, XLA_FFI_ExecutionStage stage, ForeignState *state) {
    XLA_FFI_ExecutionContext context(run, stage, state);
    std::vector<void *> arguments = pointers(arguments_), results = pointers(results_);
    std::vector<XLA_FFI_ArgType> argument_types(arguments.size(), XLA_FFI_ArgType_BUFFER);
    std::vector<XLA_FFI_RetType> result_types(results.size(), XLA_FFI_RetType_BUFFER);
    XLA_FFI_CallFrame frame{};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &foreign_function_api();
    frame.ctx = &context;
    frame.stage = stage;
    frame.args = {sizeof frame.args, nullptr, static_cast<std::int64_t>(arguments.size()), argument_types.data(),
                  arguments.data()};
    frame.rets = {sizeof frame.rets, nullptr, static_cast<std::int64_t>(results.size()), result_types.data(),
                  results.data()};
    frame.attrs = attributes_.view();
    XLA_FFI_Error *error = nullptr;
    try {
      error = handler(&frame);
    } catch (const std::exception &exception) {
      return bp::make_error(ErrorCode::Internal, "it threw an exception: {}", exception.what());
    }
    if (error != nullptr) {
      Error result = error_of(*error);
      delete error;
      return result;
    }
    if (frame.future != nullptr) {
      const std::unique_ptr<XLA_FFI_Future> future(frame.future);
      if (std::optional<Error> late = future->moment->wait(); late) {
        return *std::move(late);
      }
    }
    return {};
  }

  Result<Literal> result(const ir::Instruction &call) {
    std::vector<Literal> values;
    for (const ForeignBuffer &result : results_) {
      BP_ASSIGN(Literal value, result.shape.is_token() ? Literal::token() : from_layout(result.value, result.shape));
      if (result.shape.is_array()) {
        ir::extend(value);
      }
      values.push_back(std::move(value));
    }
    return call.shape().is_tuple() ? Literal::tuple(std::move(values)) : std::move(values[0]);
  }

 private:
  // Fails unless there is such an operand, and it is stored as the result is.
  Result<ForeignBuffer *> operand_aliased_with(const Shape &result, std::int64_t operand) {
    if (static_cast<std::size_t>(operand) >= arguments_.size()) {
      return invalid_input("a result is aliased with operand {} of {}", operand, arguments_.size());
    }
    ForeignBuffer &argument = arguments_[static_cast<std::size_t>(operand)];
    if (!ir::same(argument.shape, result, ir::CompareLayout::Yes)) {
      return invalid_input("operand {} of shape {} is aliased with a result of shape {}, expected the same shape",
                           operand, ir::to_string(argument.shape), ir::to_string(result));
    }
    return &argument;
  }

  static std::vector<void *> pointers(std::deque<ForeignBuffer> &buffers) {
    std::vector<void *> all;
    for (ForeignBuffer &buffer : buffers) {
      all.push_back(&buffer.buffer);
    }
    return all;
  }

  ForeignAttributes attributes_;
  std::deque<ForeignBuffer> arguments_, results_;
};

Status named(std::string_view target, Status status) {
  return status.ok() ? Status() : std::move(status).error().note(fmt::format("in the foreign function '{}'", target));
}

}  // namespace

const XLA_FFI_Api &foreign_function_api() {
  static const XLA_FFI_Api api = {
      .struct_size = sizeof(XLA_FFI_Api),
      .extension_start = nullptr,
      .api_version = {sizeof(XLA_FFI_Api_Version), nullptr, 0, 3},
      .internal_api = nullptr,
      .XLA_FFI_Error_Create = create_error,
      .XLA_FFI_Error_GetMessage = get_message,
      .XLA_FFI_Error_Destroy = destroy_error,
      .XLA_FFI_Handler_Register = [](auto *args) { return to_ffi(register_foreign_functions(*args)); },
      .XLA_FFI_Stream_Get = get_stream,
      .XLA_FFI_Type_Register = [](auto *args) { return to_ffi(register_foreign_type(*args)); },
      .XLA_FFI_ExecutionContext_Get = get_user_data,
      .XLA_FFI_State_Set = set_state,
      .XLA_FFI_State_Get = get_state,
      .XLA_FFI_DeviceMemory_Allocate = allocate,
      .XLA_FFI_DeviceMemory_Free = release,
      .XLA_FFI_ThreadPool_Schedule = schedule,
      .XLA_FFI_ThreadPool_NumThreads = get_thread_count,
      .XLA_FFI_Future_Create = create_future,
      .XLA_FFI_Future_SetAvailable = set_available,
      .XLA_FFI_Future_SetError = set_error,
      .XLA_FFI_RunId_Get = get_run_id,
      .XLA_FFI_DeviceOrdinal_Get = get_device,
  };
  return api;
}

Result<Literal> call_foreign_function(const ForeignRun &run, const ir::Instruction &call,
                                      std::span<const Literal> operands) {
  const std::string_view target = call.text(ir::AttributeKey::CustomCallTarget);
  const auto function = find_foreign_function(run.platform, target);
  if (!function) {
    return bp::make_error(ErrorCode::NotFound,
                          "no foreign function '{}' is registered for the platform {}: expected "
                          "jax.ffi.register_ffi_target('{}', ..., platform='{}') before the call",
                          target, run.platform, target, run.platform);
  }
  Call prepared;
  ForeignState *state = run.states == nullptr ? nullptr : run.states->find(call);
  BP_TRY(named(target, prepared.prepare(call, operands)));
  BP_TRY(named(target, prepared.run(function->execute, run, XLA_FFI_ExecutionStage_EXECUTE, state)));
  return prepared.result(call);
}

Result<ForeignStates> instantiate_foreign_functions(std::string_view platform, const ir::Module &module) {
  ForeignStates states;
  for (const ir::Computation computation : module.computations()) {
    for (const ir::Instruction call : computation.instructions()) {
      if (call.opcode() != ir::Opcode::CustomCall || states.find(call) != nullptr) {
        continue;
      }
      const std::string_view target = call.text(ir::AttributeKey::CustomCallTarget);
      const auto function = find_foreign_function(platform, target);
      if (!function || function->instantiate == nullptr) {
        continue;
      }
      Call prepared;
      auto state = std::make_unique<ForeignState>();
      BP_TRY(named(target, prepared.read_attributes(call)));
      BP_TRY(named(target, prepared.run(function->instantiate, {}, XLA_FFI_ExecutionStage_INSTANTIATE, state.get())));
      states.add(call, std::move(state));
    }
  }
  return states;
}

}  // namespace bp::pjrt
