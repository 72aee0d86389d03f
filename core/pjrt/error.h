// Errors as PJRT has them.
#pragma once

#include "core/base/result.h"
#include "core/pjrt/pjrt_c_api.h"

namespace bp::pjrt {

// Returns an error that the caller owns.
PJRT_Error *make_error(PJRT_Error_Code code, std::string message);
PJRT_Error *make_error(const Error &error);

// The code for an error of Backplane.
PJRT_Error_Code code_of(ErrorCode code);

// The error that a caller reports. Codes that Backplane has not become Internal.
Error error_of(PJRT_Error_Code code, std::string message);

// Returns the error for a function that is not there yet: it names the function.
Error unimplemented(std::string_view function);

void Error_Destroy(PJRT_Error_Destroy_Args *args);
void Error_Message(PJRT_Error_Message_Args *args);
Status Error_GetCode(PJRT_Error_GetCode_Args &args);
Status Error_ForEachPayload(PJRT_Error_ForEachPayload_Args &args);

}  // namespace bp::pjrt
