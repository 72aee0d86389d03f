#include "core/interpreter/simulation.h"

#include <optional>
#include <system_error>
#include <thread>

#include "core/ir/device_count.h"
#include "core/ir/verifier.h"

namespace bp::interpreter {
namespace {

Status check_count(std::int64_t devices) {
  return devices <= ir::max_ensemble_devices
             ? Status()
             : unsupported("a program for {} devices, expected at most {}", devices, ir::max_ensemble_devices);
}

}  // namespace

Result<std::vector<ir::Literal>> run_together(Exchange &exchange, const Options &options, const DeviceRun &run) {
  const auto count = static_cast<std::size_t>(exchange.replicas() * exchange.partitions());
  BP_TRY(check_count(exchange.replicas() * exchange.partitions()));
  std::vector<std::optional<Result<ir::Literal>>> results(count);
  const auto run_one = [&](std::size_t number) {
    Options own = options;
    own.threads = 1;
    own.progress = nullptr;
    own.replica_id = static_cast<std::uint32_t>(static_cast<std::int64_t>(number) / exchange.partitions());
    own.partition_id = static_cast<std::uint32_t>(static_cast<std::int64_t>(number) % exchange.partitions());
    own.exchange = &exchange;
    results[number] = run(number, own);
    exchange.leave(static_cast<DeviceNumber>(number), !results[number]->ok());
  };
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < count; ++number) {
    try {
      threads.emplace_back(run_one, number);
    } catch (const std::system_error &) {
      results[number] =
          make_error(ErrorCode::OutOfMemory, "the system cannot start another thread, expected one for each device");
      exchange.leave(static_cast<DeviceNumber>(number), true);
    }
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  if (const auto cause = exchange.first_failed()) {
    return Error(results[static_cast<std::size_t>(*cause)]->error())
        .note(fmt::format("on device {} of {}", *cause, count));
  }
  std::vector<ir::Literal> values;
  for (auto &result : results) {
    values.push_back(std::move(*result).value());
  }
  return values;
}

Result<std::vector<ir::Literal>> simulate(std::span<const DeviceProgram> devices, std::int64_t replicas,
                                          std::int64_t partitions, const Options &options,
                                          std::deque<ir::Literal> inputs, MemberOrder member_order) {
  if (replicas < 1 || partitions < 1 || replicas * partitions != std::ssize(devices)) {
    return invalid_input("{} programs for {} replicas of {} partitions, expected one for each partition",
                         devices.size(), replicas, partitions);
  }
  Exchange exchange(replicas, partitions, member_order);
  exchange.feed(std::move(inputs));
  return run_together(exchange, options, [&](std::size_t number, const Options &own) {
    return evaluate(devices[number].computation, devices[number].arguments, own);
  });
}

Result<std::vector<ir::Literal>> simulate(const ir::Module &module, std::span<const ir::Literal> arguments,
                                          const Options &options) {
  if (!module.has_entry()) {
    return invalid_input("module {} has no entry computation", module.name());
  }
  BP_TRY(ir::verify(module));
  const std::int64_t count = ir::device_count(module);
  BP_TRY(check_count(count));
  const DeviceProgram program{module.entry(), {arguments.begin(), arguments.end()}};
  const std::vector<DeviceProgram> devices(static_cast<std::size_t>(count), program);
  return simulate(devices, module.header().replica_count, module.header().num_partitions, options);
}

}  // namespace bp::interpreter
