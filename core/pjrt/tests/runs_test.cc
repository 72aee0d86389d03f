// Runs that are not complete when the call returns.
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "core/pjrt/run_queue.h"
#include "core/pjrt/tests/foreign.h"

namespace bp::pjrt::testing {
namespace {

// A foreign function that waits until the test opens the gate, or makes it fail.
class Gate {
 public:
  Gate() {
    all().push_back(this);
    REQUIRE(register_function("gate", pass) == "");
  }
  ~Gate() {
    open();
    std::erase(all(), this);
  }
  Gate(const Gate &) = delete;

  void open() {
    if (!is_open_.exchange(true)) {
      opened_.set_value();
    }
  }
  void fail() {
    fails_ = true;
    open();
  }

  static constexpr const char *program = R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @gate(%a) {api_version = 4 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })";

 private:
  static std::vector<Gate *> &all() {
    static std::vector<Gate *> gates;
    return gates;
  }
  static XLA_FFI_Error *pass(XLA_FFI_CallFrame *frame) {
    if (is_question(frame)) {
      return nullptr;
    }
    Gate &gate = *all().back();
    gate.shared_.wait();
    std::copy_n(floats(argument(frame)), count(argument(frame)), floats(result(frame)));
    return gate.fails_ ? testing::fail(frame, "the gate fell") : nullptr;
  }

  std::promise<void> opened_;
  std::shared_future<void> shared_ = opened_.get_future().share();
  std::atomic<bool> is_open_ = false, fails_ = false;
};

constexpr const char *twice = R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %a : tensor<3xf32>
    return %0 : tensor<3xf32>
  })";
constexpr const char *twice_in_place =
    R"(func.func @main(%a: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %a : tensor<3xf32>
    return %0 : tensor<3xf32>
  })";

bool is_ready(const Framework &framework, PJRT_Buffer *buffer) {
  PJRT_Event *event = call(framework.api().PJRT_Buffer_ReadyEvent, [&](auto &args) { args.buffer = buffer; }).event;
  const bool ready = call(framework.api().PJRT_Event_IsReady, [&](auto &args) { args.event = event; }).is_ready;
  call(framework.api().PJRT_Event_Destroy, [&](auto &args) { args.event = event; });
  return ready;
}

bool is_deleted(const Framework &framework, PJRT_Buffer *buffer) {
  return call(framework.api().PJRT_Buffer_IsDeleted, [&](auto &args) { args.buffer = buffer; }).is_deleted;
}

}  // namespace

TEST_CASE("a run may be complete after the call, and others wait for it or do not") {
  const Framework framework;
  Gate gate;
  PJRT_LoadedExecutable *gated = framework.compile(Gate::program), *doubled = framework.compile(twice),
                        *in_place = framework.compile(twice_in_place);
  PJRT_Buffer *a = framework.put({1, 2, 3}, {3});
  PJRT_Buffer *late = framework.start(gated, {a})[0];
  CHECK(!is_ready(framework, late));
  PJRT_Buffer *later = framework.start(doubled, {late})[0];
  PJRT_Buffer *last = framework.start(in_place, {later})[0];
  CHECK(is_deleted(framework, later));
  PJRT_Buffer *copied = call(framework.api().PJRT_Buffer_CopyToMemory, [&](auto &args) {
                          args.buffer = last;
                          args.dst_memory =
                              call(framework.api().PJRT_Buffer_Memory, [&](auto &of) { of.buffer = a; }).memory;
                        }).dst_buffer;
  float values[3] = {};
  PJRT_Event *arrived = call(framework.api().PJRT_Buffer_ToHostBuffer, [&](auto &args) {
                          args.src = last;
                          args.dst = values;
                          args.dst_size = sizeof values;
                        }).event;
  // A run of other arrays passes those that wait.
  PJRT_Buffer *independent = framework.start(doubled, {a})[0];
  CHECK(framework.get(independent) == std::vector<float>{2, 4, 6});
  for (PJRT_Buffer *buffer : {late, last, copied}) {
    CHECK(!is_ready(framework, buffer));
    CHECK(!is_deleted(framework, buffer));
  }
  // A buffer that is given up before it is ready, and a program: whoever needs them has them.
  call(framework.api().PJRT_Buffer_Delete, [&](auto &args) { args.buffer = late; });
  CHECK(is_deleted(framework, late));
  framework.destroy(late);
  framework.destroy(gated);
  gate.open();
  CHECK(wait_for(arrived) == "");
  CHECK(std::vector<float>(values, values + 3) == std::vector<float>{4, 8, 12});
  CHECK(framework.get(copied) == std::vector<float>{4, 8, 12});
  for (PJRT_Buffer *buffer : {a, later, last, copied, independent}) {
    framework.destroy(buffer);
  }
  framework.destroy(doubled);
  framework.destroy(in_place);
}

TEST_CASE("the event of a run comes after those of earlier ones, with their failures") {
  const Framework framework;
  Gate gate;
  PJRT_LoadedExecutable *gated = framework.compile(Gate::program), *doubled = framework.compile(twice);
  PJRT_Buffer *a = framework.put({1, 2, 3}, {3});
  PJRT_Buffer *late = framework.start(gated, {a})[0];
  PJRT_Event *done = nullptr;
  PJRT_Buffer *soon = framework.start(doubled, {a}, nullptr, &done)[0];
  CHECK(framework.get(soon) == std::vector<float>{2, 4, 6});
  CHECK(!call(framework.api().PJRT_Event_IsReady, [&](auto &args) { args.event = done; }).is_ready);
  gate.fail();
  CHECK(wait_for(done).find("the gate fell") != std::string::npos);
  PJRT_Buffer *next = framework.start(doubled, {a}, nullptr, &done)[0];
  CHECK(wait_for(done) == "");  // that failure is over
  for (PJRT_Buffer *buffer : {a, late, soon, next}) {
    framework.destroy(buffer);
  }
  framework.destroy(gated);
  framework.destroy(doubled);
}

TEST_CASE("what a run fails with reaches all that depend on it") {
  const Framework framework;
  Gate gate;
  PJRT_LoadedExecutable *gated = framework.compile(Gate::program), *doubled = framework.compile(twice);
  PJRT_Buffer *a = framework.put({1, 2, 3}, {3});
  PJRT_Buffer *late = framework.start(gated, {a})[0];
  PJRT_Buffer *later = framework.start(doubled, {late})[0];
  gate.fail();
  const std::string error = framework.error_of(late);
  CHECK(error.find("the gate fell") != std::string::npos);
  CHECK(framework.error_of(later) == error);
  PJRT_Buffer *after = framework.start(doubled, {late})[0];  // it failed before this run
  CHECK(framework.error_of(after) == error);
  float values[3] = {};
  CHECK(wait_for(call(framework.api().PJRT_Buffer_ToHostBuffer, [&](auto &args) {
                   args.src = later;
                   args.dst = values;
                   args.dst_size = sizeof values;
                 }).event) == error);
  CHECK(failure(framework.api().PJRT_Buffer_UnsafePointer, [&](auto &args) { args.buffer = later; }) == error);
  CHECK(!is_deleted(framework, later));
  PJRT_Buffer *works = framework.start(doubled, {a})[0];
  CHECK(framework.get(works) == std::vector<float>{2, 4, 6});
  for (PJRT_Buffer *buffer : {a, late, later, after, works}) {
    framework.destroy(buffer);
  }
  framework.destroy(gated);
  framework.destroy(doubled);
}

namespace {

// Runs a program itself; `inside` says which.
std::function<std::string(float)> inside;

XLA_FFI_Error *calls_inside(XLA_FFI_CallFrame *frame) {
  if (is_question(frame)) {
    return nullptr;
  }
  std::copy_n(floats(argument(frame)), count(argument(frame)), floats(result(frame)));
  const std::string error = inside(floats(argument(frame))[0]);
  return error.empty() ? nullptr : fail(frame, error.c_str());
}

}  // namespace

TEST_CASE("a function that a program calls may run that program") {
  Framework framework;
  REQUIRE(register_function("calls_inside", calls_inside) == "");
  PJRT_LoadedExecutable *executable = framework.compile(R"(func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<1xf32>
    %0 = stablehlo.subtract %a, %one : tensor<1xf32>
    %1 = stablehlo.custom_call @calls_inside(%0) {api_version = 4 : i32} : (tensor<1xf32>) -> tensor<1xf32>
    return %1 : tensor<1xf32>
  })");
  int runs = 0;
  std::mutex checking;  // of Catch, which counts the checks of one thread at a time
  const auto run = [&](float value) {
    std::unique_lock lock(checking);
    PJRT_Buffer *a = framework.put({value}, {1});
    PJRT_Event *ready = nullptr;  // of an inner run: does not wait for the outer one
    PJRT_Buffer *result = framework.start(executable, {a}, nullptr, &ready)[0];
    lock.unlock();
    PJRT_Event_Await_Args await{sizeof await, nullptr, ready};
    std::string error = message_of(framework.api().PJRT_Event_Await(&await));
    lock.lock();
    call(framework.api().PJRT_Event_Destroy, [&](auto &args) { args.event = ready; });
    framework.destroy(a);
    framework.destroy(result);
    return error;
  };
  inside = [&](float value) { return ++runs, value > 0 ? run(value) : std::string(); };
  std::string error = run(50);
  CHECK(error == "");
  CHECK(runs == 50);
  // It may even be the last to need the client, which goes when the run has ended.
  inside = [&](float) {
    const std::lock_guard lock(checking);
    framework.destroy_client();
    return std::string();
  };
  error = run(1);
  CHECK(error == "");
  framework.destroy(executable);
}

TEST_CASE("a client waits for its runs at the end") {
  Gate gate;
  PJRT_Buffer *a = nullptr, *last = nullptr;
  PJRT_LoadedExecutable *gated = nullptr;
  std::thread opener;
  {
    const Framework framework;
    gated = framework.compile(Gate::program);
    a = framework.put({1, 2, 3}, {3});
    last = framework.start(gated, {a})[0];
    opener = std::thread([&] { gate.open(); });
  }
  const PJRT_Api &api = *GetPjrtApi();
  PJRT_Event *event = call(api.PJRT_Buffer_ReadyEvent, [&](auto &args) { args.buffer = last; }).event;
  CHECK(call(api.PJRT_Event_IsReady, [&](auto &args) { args.event = event; }).is_ready);
  CHECK(wait_for(event) == "");
  opener.join();
  PJRT_ExecuteOptions options = arguments<PJRT_ExecuteOptions>();
  CHECK(failure(api.PJRT_LoadedExecutable_Execute, [&](auto &args) {
          args.executable = gated;
          args.options = &options;
          args.num_devices = 1;
        }) == "PJRT_Client is no live object: it was destroyed, or never was one");
  for (PJRT_Buffer *buffer : {a, last}) {
    call(api.PJRT_Buffer_Destroy, [&](auto &args) { args.buffer = buffer; });
  }
  call(api.PJRT_LoadedExecutable_Destroy, [&](auto &args) { args.executable = gated; });
}

TEST_CASE("a queue runs one at a time, in order, and others while one gives way") {
  std::vector<int> order;
  std::promise<void> entered, leave;
  {
    RunQueue queue;
    const auto post = [&](std::function<void()> work) {
      queue.announce();
      queue.post({std::move(work), [] {}});
    };
    post([&] {
      CHECK(RunQueue::is_in_run());
      entered.set_value();
      {
        const RunQueue::GivesWay gives_way(queue);
        leave.get_future().wait();
      }
      order.push_back(0);
    });
    entered.get_future().wait();
    for (int number = 1; number <= 100; ++number) {  // more than may wait while none gives way
      post([&, number] {
        order.push_back(number);
        if (number == 50) {
          leave.set_value();
        }
      });
    }
  }
  CHECK(!RunQueue::is_in_run());
  REQUIRE(order.size() == 101);
  CHECK(std::ranges::find(order, 0) - order.begin() >= 50);
  std::erase(order, 0);
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("runs that functions of other runs start go first, and not too many give way") {
  constexpr int count = 60;  // more than may be announced from outside
  std::atomic<int> inside = 0, most = 0, ended = 0;
  {
    std::function<void(std::function<void()>)> post;  // outlives the queue, whose last runs call it
    RunQueue queue;
    post = [&](std::function<void()> work) {
      queue.announce();
      queue.post({std::move(work), [&] { ++ended; }});
    };
    for (int i = 0; i < count; ++i) {
      post([&] {
        const RunQueue::GivesWay gives_way(queue);
        const int now = ++inside;
        for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
        }
        const auto done = std::make_shared<std::promise<void>>();  // set_value() may return after the wait
        post([done] { done->set_value(); });
        done->get_future().wait();
        --inside;
      });
    }
  }
  CHECK(ended == 2 * count);
  CHECK(most <= static_cast<int>(RunQueue::max_giving_way));
}

TEST_CASE("a caller that is far ahead of the device waits") {
  std::promise<void> leave;
  std::atomic<int> posted = 0;
  RunQueue queue;
  const auto post = [&](std::function<void()> work) {
    queue.announce();
    queue.post({std::move(work), [] {}});
    ++posted;
  };
  post([opened = leave.get_future().share()] { opened.wait(); });
  std::thread caller([&] {
    for (int i = 0; i < 100; ++i) {
      post([] {});
    }
  });
  while (posted < 32) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(posted == 32);
  leave.set_value();
  caller.join();
  CHECK(posted == 101);
}

}  // namespace bp::pjrt::testing
