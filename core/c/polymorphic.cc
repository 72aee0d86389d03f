// Programs that leave sizes open, from C.
#include <algorithm>
#include <cstring>
#include <set>
#include <span>

#include "core/c/arrays.h"
#include "core/c/objects.h"

namespace {

using bp::Literal;
using bp::Result;
using bp::Shape;
using bp::Status;
using bp::c::call;
using bp::c::expect_given;

constexpr std::uint32_t max_rank = bp::ir::max_rank;

// Returns an array of this shape with the elements of the input; zeros if there is no input.
Result<Literal> read_argument(const backplane_array_t &array, const void *input, std::uint32_t number) {
  const auto type = static_cast<bp::ir::ElementType>(array.dtype);
  const bool is_known = std::ranges::any_of(bp::ir::element_types(), [&](const bp::ir::ElementTypeInfo &info) {
    return info.type == type && info.type_class != bp::ir::TypeClass::Opaque;
  });
  if (!is_known || array.rank > max_rank || (array.rank != 0 && array.dims == nullptr)) {
    return bp::invalid_input(
        "shape {} has element type {} and {} dimensions, expected a BP_DTYPE_ of arrays and their "
        "sizes",
        number, array.dtype, array.rank);
  }
  const std::span<const std::int64_t> sizes(array.dims, array.rank);
  for (const std::int64_t size : sizes) {
    if (size < 0) {
      return bp::invalid_input("shape {} has the size {}, expected at least 0", number, size);
    }
  }
  BP_ASSIGN(Literal literal, Literal::zeros(Shape::array(type, sizes)));
  if (input != nullptr && !literal.bytes().empty()) {
    std::memcpy(literal.mutable_bytes().data(), input, literal.bytes().size());
    bp::ir::extend(literal);
  }
  return literal;
}

// Returns a parameter as the program states it, with sizes that may be unknown.
backplane_array_t describe_parameter(const bp::Parameter &parameter) {
  const Shape &shape = parameter.shape;
  if (!shape.is_array()) {
    return {parameter.name.c_str(), nullptr, 0, 0, 0, 0};
  }
  return {parameter.name.c_str(),
          shape.sizes().data(),
          shape.is_static() ? bp::c::describe(shape, "").size : 0,
          static_cast<std::uint32_t>(shape.rank()),
          static_cast<std::uint16_t>(shape.element_type()),
          0};
}

}  // namespace

bp_status backplane_open_program(const backplane_backend *backend, const void *bytes, std::uint64_t size,
                                 const char *name, const bp_option_t *options, std::uint32_t option_count,
                                 std::uint32_t max_executables, const bp_diag_t *errors, backplane_program **program) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(backend, "backend"));
    BP_TRY(expect_given(bytes, "bytes"));
    BP_TRY(expect_given(name, "name"));
    BP_TRY(expect_given(program, "program"));
    if (max_executables == 0) {
      return bp::invalid_input("max_executables is 0, expected at least 1");
    }
    BP_ASSIGN(const bp::c::CompileRequest request, bp::c::read_compile_options(options, option_count));
    BP_ASSIGN(bp::PolymorphicExecutable opened,
              backend->backend.compile_polymorphic({static_cast<const char *>(bytes), size}, name, request.options,
                                                   max_executables, request.format));
    auto made = std::make_unique<backplane_program>(backplane_program{std::move(opened), {}});
    for (const bp::Parameter &parameter : made->executables.parameters()) {
      made->parameters.push_back(describe_parameter(parameter));
    }
    *program = made.release();
    return {};
  });
}

void backplane_release_program(backplane_program *program) {
  delete program;
}

std::uint32_t backplane_parameter_count(const backplane_program *program) {
  return static_cast<std::uint32_t>(program->parameters.size());
}

const backplane_array_t *backplane_parameter(const backplane_program *program, std::uint32_t index) {
  return bp::c::at(program->parameters, index);
}

bp_status backplane_specialize(const backplane_program *program, const backplane_array_t *shapes,
                               const void *const *inputs, std::uint32_t count, const bp_diag_t *errors,
                               backplane_executable **executable) {
  return call(errors, [&]() -> Status {
    BP_TRY(expect_given(program, "program"));
    BP_TRY(expect_given(executable, "executable"));
    if (count != 0) {
      BP_TRY(expect_given(shapes, "shapes"));
      BP_TRY(expect_given(inputs, "inputs"));
    }
    std::vector<Literal> arguments;
    std::set<std::size_t> unknown;
    for (std::uint32_t i = 0; i < count; ++i) {
      BP_ASSIGN(Literal argument, read_argument(shapes[i], inputs[i], i));
      if (inputs[i] == nullptr && !argument.bytes().empty()) {
        unknown.insert(i);
      }
      arguments.push_back(std::move(argument));
    }
    backplane_executable made;
    BP_ASSIGN(made.executable, program->executables.executable_for(arguments, unknown));
    made.interface = bp::package::interface_of(made.executable->module());
    for (std::size_t i = 0; i < made.interface.parameters.size(); ++i) {
      made.interface.parameters[i].name = program->executables.parameters()[i].name;
    }
    bp::c::describe_arrays(made);
    *executable = new backplane_executable(std::move(made));
    return {};
  });
}

void backplane_count_executables(const backplane_program *program, std::uint64_t *hits, std::uint64_t *misses,
                                 std::uint64_t *evictions) {
  const auto found = program->executables.counters();
  *hits = found.hits;
  *misses = found.misses;
  *evictions = found.evictions;
}
