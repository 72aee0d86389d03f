#include "core/pjrt/run_queue.h"

#include <set>
#include <system_error>

namespace bp::pjrt {
namespace {

// As many steps as a training loop may be ahead of its device: the memory of their arguments is in use.
constexpr std::size_t max_announced = 32;

thread_local int runs_of_thread = 0;
thread_local const RunQueue *busy_with = nullptr;  // the queue whose turn this thread has

struct Queues {
  std::mutex mutex;
  std::set<RunQueue *> all;
};
// Never destroyed: clients may be destroyed at any time.
Queues &queues() {
  static auto &instance = *new Queues;
  return instance;
}

}  // namespace

RunQueue::RunQueue() {
  const std::lock_guard lock(queues().mutex);
  queues().all.insert(this);
}

RunQueue::~RunQueue() {
  {
    const std::lock_guard lock(queues().mutex);
    queues().all.erase(this);
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return announced_ == 0; });
    is_stopping_ = true;
    changed_.notify_all();
  }
  for (std::thread &thread : threads_) {
    thread.join();
  }
}

bool RunQueue::wait_for_all(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  const std::lock_guard all(queues().mutex);
  bool are_idle = true;
  for (RunQueue *queue : queues().all) {
    std::unique_lock lock(queue->mutex_);
    are_idle &= queue->changed_.wait_until(lock, end, [&] { return queue->announced_ == 0; });
  }
  return are_idle;
}

bool RunQueue::is_in_run() {
  return runs_of_thread > 0;
}

void RunQueue::announce() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return announced_ < max_announced || giving_way_ > 0 || is_in_run(); });
  ++announced_;
}

void RunQueue::post(Run run, bool is_inside) {
  std::unique_lock lock(mutex_);
  std::deque<Run> &posted = is_inside ? posted_inside_ : posted_;
  posted.push_back(std::move(run));
  wake();
  if (threads_.empty()) {  // none could be made
    run = std::move(posted.back());
    posted.pop_back();
    lock.unlock();
    run_here(run);
  }
}

// Lets a thread begin the next run, if it may begin.
void RunQueue::wake() {
  if (may_start() && idle_ == 0) {
    try {
      threads_.emplace_back([this] { work(); });
      ++idle_;
    } catch (const std::system_error &) {  // no more threads: those that exist begin it later
    }
  }
  changed_.notify_all();
}

void RunQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return may_start() || is_stopping_; });
    if (is_stopping_) {
      return;
    }
    std::deque<Run> &posted = posted_inside_.empty() ? posted_ : posted_inside_;
    Run run = std::move(posted.front());
    posted.pop_front();
    --idle_;
    is_busy_ = true;
    lock.unlock();
    busy_with = this;
    ++runs_of_thread;
    run.work();
    busy_with = nullptr;
    lock.lock();
    is_busy_ = false;
    wake();
    lock.unlock();
    end(run);
    run = {};  // its content is freed without the lock
    --runs_of_thread;
    lock.lock();
    ++idle_;
  }
}

void RunQueue::run_here(const Run &run) {
  ++runs_of_thread;
  run.work();
  end(run);
  --runs_of_thread;
}

void RunQueue::end(const Run &run) {
  run.after();
  const std::lock_guard lock(mutex_);
  --announced_;
  changed_.notify_all();  // with the lock held: without it, the queue might be destroyed meanwhile
}

RunQueue::GivesWay::GivesWay(RunQueue &queue) {
  if (busy_with != &queue) {
    return;
  }
  queue_ = &queue;
  busy_with = nullptr;
  const std::lock_guard lock(queue.mutex_);
  queue.is_busy_ = false;
  ++queue.giving_way_;
  queue.wake();
}

RunQueue::GivesWay::~GivesWay() {
  if (queue_ == nullptr) {
    return;
  }
  std::unique_lock lock(queue_->mutex_);
  --queue_->giving_way_;
  ++queue_->resuming_;
  queue_->changed_.wait(lock, [this] { return !queue_->is_busy_; });
  --queue_->resuming_;
  queue_->is_busy_ = true;
  busy_with = queue_;
}

}  // namespace bp::pjrt
