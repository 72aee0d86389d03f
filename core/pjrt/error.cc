#include "core/pjrt/error.h"

#include "core/pjrt/args.h"

namespace bp::pjrt {
namespace {

// Frameworks call its functions through the table that it begins with, or through those of PJRT_Api.
struct OwnError : PJRT_Error {
  PJRT_Error_Code code;
  std::string message;
};

const OwnError &own(const PJRT_Error *error) {
  return *static_cast<const OwnError *>(error);
}

void destroy(PJRT_Error *error) {
  delete static_cast<OwnError *>(error);
}

void get_message(const PJRT_Error *error, const char **message, size_t *size) {
  *message = own(error).message.c_str();
  *size = own(error).message.size();
}

PJRT_Error_Code get_code(const PJRT_Error *error) {
  return own(error).code;
}

// Errors have no payloads.
void for_each_payload(const PJRT_Error *, PJRT_Error_PayloadVisitor, void *) {}

const PJRT_Error_FunctionTable table = {
    sizeof(PJRT_Error_FunctionTable), sizeof(OwnError), nullptr, destroy, get_message, get_code, for_each_payload};

}  // namespace

PJRT_Error *make_error(PJRT_Error_Code code, std::string message) {
  return new OwnError{{&table}, code, std::move(message)};
}

PJRT_Error *make_error(const Error &error) {
  return make_error(code_of(error.code()), error.to_string());
}

PJRT_Error_Code code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidInput: return PJRT_Error_Code_INVALID_ARGUMENT;
    case ErrorCode::NotFound: return PJRT_Error_Code_NOT_FOUND;
    case ErrorCode::Unsupported: return PJRT_Error_Code_UNIMPLEMENTED;
    case ErrorCode::OutOfMemory:
    case ErrorCode::DoesNotFit: return PJRT_Error_Code_RESOURCE_EXHAUSTED;
    case ErrorCode::PluginFailure:
    case ErrorCode::DeviceLost: return PJRT_Error_Code_UNAVAILABLE;
    case ErrorCode::Io: return PJRT_Error_Code_UNKNOWN;
    case ErrorCode::Cancelled: return PJRT_Error_Code_CANCELLED;
    case ErrorCode::DeadlineExceeded: return PJRT_Error_Code_DEADLINE_EXCEEDED;
    case ErrorCode::Internal: break;
  }
  return PJRT_Error_Code_INTERNAL;
}

Error error_of(PJRT_Error_Code code, std::string message) {
  switch (code) {
    case PJRT_Error_Code_INVALID_ARGUMENT: return {ErrorCode::InvalidInput, std::move(message)};
    case PJRT_Error_Code_NOT_FOUND: return {ErrorCode::NotFound, std::move(message)};
    case PJRT_Error_Code_UNIMPLEMENTED: return {ErrorCode::Unsupported, std::move(message)};
    case PJRT_Error_Code_RESOURCE_EXHAUSTED: return {ErrorCode::OutOfMemory, std::move(message)};
    case PJRT_Error_Code_UNAVAILABLE: return {ErrorCode::PluginFailure, std::move(message)};
    default: return {ErrorCode::Internal, std::move(message)};
  }
}

Error unimplemented(std::string_view function) {
  return unsupported("PJRT_{} is not implemented by Backplane", function);
}

void Error_Destroy(PJRT_Error_Destroy_Args *args) {
  destroy(args->error);
}

void Error_Message(PJRT_Error_Message_Args *args) {
  get_message(args->error, &args->message, &args->message_size);
}

Status Error_GetCode(PJRT_Error_GetCode_Args &args) {
  args.code = get_code(args.error);
  return {};
}

Status Error_ForEachPayload(PJRT_Error_ForEachPayload_Args &) {
  return {};
}

}  // namespace bp::pjrt
