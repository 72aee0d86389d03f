#include "conformance/report/render.h"

namespace bp::conformance {

std::string to_html(const Report &) {
  return "";
}

}  // namespace bp::conformance
