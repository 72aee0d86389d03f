// Folders of ONNX models with test data, as ONNX's own tests are: model.onnx and test_data_set_0 with input_0.pb, ...,
// output_0.pb, ..., which are protocol buffers of tensors, sequences or optional values.
#pragma once

#include "conformance/check/case.h"
#include "conformance/check/self_checking.h"

namespace bp::conformance {

bool is_onnx_folder(const std::string &path);

// Returns one case per set of test data.
Result<std::vector<Case>> onnx_cases(const std::string &folder);

// Returns the model as a program whose results are expected to be near the stored outputs, by the tolerances of ONNX's
// own tests. Its sizes may depend on the stored inputs. Unsupported: an operator or a type that is not imported.
Result<SelfChecking> read_onnx_case(const Case &one);

}  // namespace bp::conformance
