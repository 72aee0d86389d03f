#include "core/remote/server.h"

#include <unistd.h>

#include <set>
#include <system_error>
#include <thread>

#include "core/host/build_configuration.h"
#include "core/host/plugin.h"
#include "core/remote/calls.h"
#include "core/remote/protocol.h"
#include "core/remote/segment.h"

namespace bp::remote {
namespace {

// Contents that are kept for later calls.
class Contents final : public ContentSource {
 public:
  void add(const Sha256 &hash, Bytes bytes) {
    auto block = std::make_shared<const Block>(bytes.begin(), bytes.end());
    const std::lock_guard lock(mutex_);
    known_.insert_or_assign(hash, std::move(block));
  }
  void remove(const Sha256 &hash) {
    const std::lock_guard lock(mutex_);
    known_.erase(hash);
  }
  std::shared_ptr<const Block> get(const Sha256 &hash) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(hash);
    return found == known_.end() ? nullptr : found->second;
  }
  std::optional<Bytes> find(const Sha256 &hash) const override {
    const auto block = get(hash);
    return block == nullptr ? std::nullopt : std::optional<Bytes>(*block);
  }

 private:
  mutable std::mutex mutex_;
  std::map<Sha256, std::shared_ptr<const Block>> known_;
};

// The contents that one call uses, which are kept for the duration of the call.
class ContentsInUse final : public ContentSource {
 public:
  explicit ContentsInUse(const Contents &all) : all_(all) {}
  std::optional<Bytes> find(const Sha256 &hash) const override {
    auto block = all_.get(hash);
    if (block == nullptr) {
      is_missing_ = true;
      return std::nullopt;
    }
    used_.push_back(std::move(block));
    return Bytes(*used_.back());
  }
  bool is_missing() const { return is_missing_; }
  bool is_checked(Bytes) const override { return true; }  // by the application, which made the module

 private:
  const Contents &all_;
  mutable std::vector<std::shared_ptr<const Block>> used_;
  mutable bool is_missing_ = false;
};

// Sends the plugin's calls to the host to the application.
class ServerLayer final : public Interposer {
 public:
  ServerLayer(std::unique_ptr<host::Entry> below, const Channel &control, Objects &objects)
      : Interposer(std::move(below)), control_(control), objects_(objects) {}

  void host_signal(LayeredHost &host, bp_point_t point, bp_status status, std::uint32_t instr,
                   const char *msg) override {
    send<Function::host_signal>(Event::Signal, host, point, status, instr, msg);
    objects_.take_submitted(point);
  }
  void log_log(LayeredHost &host, std::uint32_t severity, const char *msg) override {
    send<Function::log_log>(Event::Log, host, severity, msg);
  }

 private:
  template <Function function, class... Arguments>
  void send(Event event, LayeredHost &host, Arguments... arguments) {
    Writer writer;
    writer.number(event);
    writer.number(host.id);
    ClientCall call;
    write_request<function>(writer, call, host, arguments...);
    const std::lock_guard lock(mutex_);
    control_.send(writer.bytes());
  }

  const Channel &control_;
  Objects &objects_;
  std::mutex mutex_;
};

class Server {
 public:
  Server(Channel control, std::string unrestricted)
      : control_(std::move(control)), unrestricted_(std::move(unrestricted)) {}

  [[noreturn]] void serve() {
    std::string message;
    Descriptor attached;
    while (control_.receive(message, attached) == Channel::Received::Message) {
      try {
        std::thread([this, channel = std::make_shared<Channel>(std::move(attached))] { serve(*channel); }).detach();
      } catch (const std::system_error &) {
        _exit(out_of_memory);
      }
    }
    _exit(0);
  }

 private:
  void serve(const Channel &channel) {
    std::string request;
    Descriptor attached;
    while (channel.receive(request, attached) == Channel::Received::Message) {
      Writer reply;
      handle(request, attached, reply);
      channel.send(reply.bytes());
      attached = {};
    }
  }

  void handle(std::string_view request, const Descriptor &attached, Writer &reply) {
    ContentsInUse contents(contents_);
    Reader reader(request, &contents);
    Writer outputs;
    Status status;
    try {
      status = handle(reader, attached, outputs);
    } catch (const std::exception &error) {
      reply.number(Answer::Threw);
      reply.text(std::string_view(error.what()));
      return;
    } catch (...) {
      reply.number(Answer::Threw);
      reply.text(std::string_view("an exception of unknown type"));
      return;
    }
    if (contents.is_missing()) {
      reply.number(Answer::Unknown);
    } else if (!status.ok()) {
      reply.number(Answer::Refused);
      reply.text(std::string_view(status.error().to_string()));
    } else {
      reply.number(Answer::Done);
      reply.append(outputs);
    }
  }

  Status handle(Reader &reader, const Descriptor &attached, Writer &outputs) {
    const auto kind = reader.number<Request>();
    switch (kind) {
      case Request::Start: return start(reader, outputs);
      case Request::Map: {
        const auto id = reader.number<std::uint64_t>();
        BP_ASSIGN(auto segment, Segment::map(attached, reader.number<std::uint64_t>()));
        objects_->add(id,
                      Piece{{0, reinterpret_cast<std::uint64_t>(segment->data())}, segment->data(), segment->size()});
        const std::lock_guard lock(mutex_);
        segments_.insert_or_assign(id, std::move(segment));
        return {};
      }
      case Request::Unmap: {
        const auto id = reader.number<std::uint64_t>();
        objects_->take_piece(id);
        const std::lock_guard lock(mutex_);
        segments_.erase(id);
        return {};
      }
      case Request::Know: {
        const auto hash = reader.number<Sha256>();
        contents_.add(hash, reader.content());
        return reader.status();
      }
      case Request::Forget: contents_.remove(reader.number<Sha256>()); return {};
      case Request::Call: return call(reader, outputs);
    }
    return invalid_input("a request has the unknown kind {}", static_cast<int>(kind));
  }

  Status start(Reader &reader, Writer &outputs) {
    if (const std::string_view version = reader.text(); version != host::core_version) {
      return invalid_input("the worker is of version {}, expected {}", host::core_version, version);
    }
    const std::string path(reader.text());
    host::HostOptions services;
    if (const auto threads = reader.number<std::uint32_t>(); threads != 0) {
      services.threads = std::make_shared<ThreadPool>(threads);
    }
    services.withdrawn.emplace(BP_EXT_PROGRESS);   // the application, which wants to know, is another process
    services.withdrawn.emplace(BP_EXT_CONSTANTS);  // and so is the application that has them
    for (std::size_t i = reader.count(); i > 0; --i) {
      services.withdrawn.emplace(reader.text());
    }
    BP_TRY(reader.status());
    BP_ASSIGN(const host::Candidate candidate, host::find_plugin(path, {}));
    if (candidate.refusal.has_value()) {
      return *candidate.refusal;
    }
    BP_ASSIGN(auto entry, host::open_library(path, *candidate.manifest, host::AfterUse::KeepMapped));
    services_ = std::make_unique<host::HostServices>(std::move(services));
    objects_ = std::make_unique<Objects>(services_->abi());
    layer_ = std::make_unique<ServerLayer>(std::move(entry), control_, *objects_);
    host::Diagnostics diagnostics;
    const bp_status status = diagnostics.call([&](const bp_diag_t *diag) { return layer_->init(path.c_str(), diag); });
    outputs.number(status);
    outputs.number(std::uint64_t{diagnostics.reports().size()});
    for (const host::Report &report : diagnostics.reports()) {
      outputs.number(report.status);
      outputs.text(report.message);
    }
    outputs.text(std::string_view(unrestricted_));
    const auto *factory =
        status != BP_OK ? nullptr : static_cast<const bp_device_factory_t *>(layer_->get_factory(BP_DEVICE_FACTORY));
    outputs.number(static_cast<std::uint8_t>(factory != nullptr));
    if (factory != nullptr) {
      factory_ = &layers::layered(factory);
      layer_->get_factory(BP_INSTANCES);
      outputs.number(static_cast<std::uint8_t>(factory_->instances != nullptr));
      const std::uint32_t count = factory->count(factory);
      outputs.number(count);
      for (std::uint32_t i = 0; i < std::min(count, max_descriptions); ++i) {
        Codec<const bp_device_desc_t *>::write(outputs, factory->get_desc(factory, i));
      }
    }
    return {};
  }

  Status call(Reader &reader, Writer &outputs) {
    const auto function = reader.number<std::uint8_t>();
    const auto object = reader.number<std::uint64_t>(), made = reader.number<std::uint64_t>();
    if (factory_ == nullptr) {
      return invalid_input("the worker is asked to make a call, but has not loaded a library with devices");
    }
    if (static_cast<Function>(function) > Function::threads_parallel) {
      return invalid_input("a call is of the unknown function {}", function);
    }
    ReceivedCall call;
    call.objects = objects_.get();
    call.made = made;
    call.factory = factory_;
    call.wants_results = false;
    BP_TRY(make_call(static_cast<Function>(function), *layer_, object, reader, call, outputs));
    if (LayeredDevice *device = objects_->device(made);
        static_cast<Function>(function) == Function::factory_create && device != nullptr) {
      device->host.id = made;  // calls of the device to the host carry the caller's id
    }
    return {};
  }

  static constexpr std::uint32_t max_descriptions = 1000;
  static constexpr int out_of_memory = 3;  // exit code

  const Channel control_;
  const std::string unrestricted_;
  Contents contents_;
  std::unique_ptr<host::HostServices> services_;
  std::unique_ptr<Objects> objects_;
  std::unique_ptr<ServerLayer> layer_;
  LayeredFactory *factory_ = nullptr;
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Segment>> segments_;
};

}  // namespace

void serve(Channel control, std::string unrestricted) {
  Server(std::move(control), std::move(unrestricted)).serve();
}

}  // namespace bp::remote
