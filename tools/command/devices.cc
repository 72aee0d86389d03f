#include "tools/command/devices.h"

#include <fmt/core.h>

#include "core/ir/device_count.h"
#include "core/text/printer.h"

namespace bp::command {

void warn_if_unpartitioned(const std::string &model, const ir::Module &module) {
  if (ir::awaits_partitioner(module)) {
    fmt::print(stderr,
               "{} is not partitioned yet (replica_count={}, num_partitions={}): one device runs the whole program\n",
               model, module.header().replica_count, module.header().num_partitions);
  }
}

Status check_device_count(const ir::Module &module, std::int64_t devices) {
  const std::int64_t expected = ir::device_count(module);
  return devices == expected
             ? Status()
             : invalid_input("--devices is {}, expected {}: {} has replica_count={} and num_partitions={}", devices,
                             expected, module.name(), module.header().replica_count, module.header().num_partitions);
}

void print_by_device(std::span<const ir::Literal> results, std::int64_t partitions) {
  for (std::int64_t device = 0; device < std::ssize(results); ++device) {
    fmt::print("device {} (replica {}, partition {}):\n{}\n", device, device / partitions, device % partitions,
               text::print(results[static_cast<std::size_t>(device)]));
  }
}

}  // namespace bp::command
