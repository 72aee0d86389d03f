#include "core/pjrt/compile_options.h"

#include "core/import/protobuf/wire.h"

namespace bp::pjrt {
namespace {

using import::protobuf::Field;
using import::protobuf::Message;
using import::protobuf::Writer;

namespace fields {
constexpr Field build_options{3, "executable_build_options"}, overrides{7, "env_option_overrides"};
constexpr Field replicas{4, "num_replicas"}, partitions{5, "num_partitions"}, assignment{9, "device_assignment"};
constexpr Field replica_count{1, "replica_count"}, computation_count{2, "computation_count"},
    computation_devices{3, "computation_devices"}, replica_device_ids{1, "replica_device_ids"};
constexpr Field key{1, "key"}, value{2, "value"};
constexpr Field string_value{1, "string_field"}, bool_value{2, "bool_field"}, int_value{3, "int_field"},
    double_value{4, "double_field"};
}  // namespace fields

Result<std::string> option_text(const Message &value) {
  if (value.has(fields::string_value)) {
    BP_ASSIGN(const std::string_view text, value.text(fields::string_value));
    return std::string(text);
  }
  if (value.has(fields::double_value)) {
    BP_ASSIGN(const double real, value.real(fields::double_value));
    return fmt::format("{}", real);
  }
  BP_ASSIGN(const std::int64_t flag, value.integer(fields::bool_value));
  BP_ASSIGN(const std::int64_t number, value.integer(fields::int_value));
  return value.has(fields::int_value) ? fmt::format("{}", number) : std::string(flag != 0 ? "true" : "false");
}

}  // namespace

Result<CompileRequest> read_compile_options(std::string_view bytes) {
  CompileRequest request;
  BP_ASSIGN(const Message options, Message::parse(bytes, {nullptr, "CompileOptionsProto"}));
  BP_ASSIGN(const Message build, options.child(fields::build_options));
  BP_ASSIGN(request.num_replicas, build.integer(fields::replicas, 1));
  BP_ASSIGN(request.num_partitions, build.integer(fields::partitions, 1));
  BP_ASSIGN(const Message assignment, build.child(fields::assignment));
  BP_TRY(assignment.for_each(fields::computation_devices, [&](const Message &devices) -> Status {
    BP_ASSIGN(const std::vector<std::int64_t> ids, devices.integers(fields::replica_device_ids));
    request.device_ids.insert(request.device_ids.end(), ids.begin(), ids.end());
    return {};
  }));
  BP_TRY(options.for_each(fields::overrides, [&](const Message &entry) -> Status {
    BP_ASSIGN(const std::string_view key, entry.text(fields::key));
    BP_ASSIGN(const Message value, entry.child(fields::value));
    BP_ASSIGN(std::string text, option_text(value));
    request.options.emplace_back(key, std::move(text));
    return {};
  }));
  return request;
}

std::string device_assignment(std::int64_t device_id) {
  Writer writer;
  writer.integer(fields::replica_count, 1);
  writer.integer(fields::computation_count, 1);
  writer.message(fields::computation_devices,
                 [&](Writer &devices) { devices.integers(fields::replica_device_ids, std::span(&device_id, 1)); });
  return writer.take();
}

}  // namespace bp::pjrt
