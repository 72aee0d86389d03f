// Which of the two devices a name means, and what a plugin must not tell about them.
#include "core/host/instances.h"

#include <functional>
#include <memory>

#include "core/layers/interposer.h"
#include "plugins/npu/tests/open_npu.h"

namespace bp::npu::tests {
namespace {

std::string npu_path() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return folder / "plugins/npu/libbackplane_npu.so";
}

std::string error_of(const std::string &name, const BackendOptions &options = {}) {
  const auto backend = Backend::load(name, options);
  REQUIRE_FALSE(backend.ok());
  return backend.error().to_string();
}

// A plugin that tells these identities.
class Retold final : public layers::Interposer {
 public:
  Retold(std::unique_ptr<host::Entry> below, std::vector<std::string> identities)
      : Interposer(std::move(below)), identities_(std::move(identities)) {}

  bp_status instances_describe(layers::LayeredFactory &, const char *, std::uint32_t instance,
                               const bp_instance_receiver_t *receiver, const bp_diag_t *) override {
    if (instance < identities_.size()) {
      const bp_instance_t told = {identities_[instance].c_str(), nullptr, nullptr};
      receiver->tell(receiver, &told);
    }
    return BP_OK;
  }

 private:
  std::vector<std::string> identities_;
};

BackendOptions with_identities(std::vector<std::string> identities) {
  BackendOptions options;
  options.layers.push_back([identities = std::move(identities)](std::unique_ptr<host::Entry> below) {
    return std::make_unique<Retold>(std::move(below), identities);
  });
  return options;
}

// A plugin without bp.instances/draft-1.
class Nameless final : public layers::Interposer {
 public:
  using Interposer::Interposer;
  const void *get_factory(const char *id) override {
    return std::string_view(id) == BP_INSTANCES ? nullptr : Interposer::get_factory(id);
  }
};

// A plugin whose external memory has a wrong table.
class WrongSupport final : public layers::Interposer {
 public:
  using Interposer::Interposer;
  const void *device_get_extension(layers::LayeredDevice &device, const char *id) override {
    const void *found = Interposer::device_get_extension(device, id);
    if (found != nullptr && std::string_view(id) == BP_EXT_EXTERNAL_MEMORY) {
      static constexpr bp_external_support_t wrong[2] = {{1, 0, 3, 64}, {0, 0, 1, 1}};
      device.layered_external_memory.support = wrong;
    }
    return found;
  }
};

template <class Layer>
BackendOptions with_layer() {
  BackendOptions options;
  options.layers.push_back(
      [](std::unique_ptr<host::Entry> below) { return std::make_unique<Layer>(std::move(below)); });
  return options;
}

}  // namespace

TEST_CASE("devices are named by number and by identity") {
  for (const char *instance : {":0", ":1", ":SIM-0001", ":SIM-0002"}) {
    CHECK(Backend::load(npu_path() + instance).ok());
  }
  const std::string expected = "there is no such device, expected one of: 0 (SIM-0001), 1 (SIM-0002)";
  for (const char *instance : {":2", ":SIM-0003", ":99999999999"}) {
    CHECK(error_of(npu_path() + instance) == npu_path() + instance + ": " + expected);
  }
  CHECK(error_of(npu_path() + ":") ==
        "the backend is '" + npu_path() + ":', expected the number or the identity of an instance after the ':'");
}

TEST_CASE("a plugin that tells no identities has devices with numbers") {
  const BackendOptions nameless = with_layer<Nameless>();
  CHECK(Backend::load(npu_path() + ":1", nameless).ok());
  CHECK(error_of(npu_path() + ":2", nameless) == npu_path() + ":2: there is no such device, expected one of: 0, 1");
  CHECK(error_of(npu_path() + ":SIM-0001", nameless) ==
        npu_path() +
            ":SIM-0001: the plugin tells no identities of its devices (it has no bp.instances/draft-1), expected a "
            "number: 0, 1");
}

TEST_CASE("identities that nobody could use are a fault of the plugin") {
  const auto fault = [](std::vector<std::string> identities) {
    return error_of(npu_path() + ":x", with_identities(std::move(identities)));
  };
  CHECK(fault({"a", "42"}) == npu_path() +
                                  ": instance 1 of dev.backplane.npu has the identity \"42\", expected 1 to 63 "
                                  "letters, digits or .:_-, and not a number");
  CHECK_THAT(fault({"a b", "c"}), Catch::Contains("instance 0 of dev.backplane.npu has the identity \"a b\""));
  CHECK(fault({"same", "same"}) ==
        npu_path() + ": instances 0 and 1 of dev.backplane.npu both have the identity same, expected different ones");
  CHECK(fault({"only"}) ==
        npu_path() + ": bp.instances/draft-1.describe tells instance 1 of dev.backplane.npu 0 times, expected once");
}

TEST_CASE("a device whose table of external memory is wrong is refused") {
  CHECK(error_of(npu_path(), with_layer<WrongSupport>()) ==
        npu_path() +
            ": bp.external-memory/draft-1: space 0 has the alignments 3 and 64 and exports the kinds 0x0, expected "
            "powers of two and no BP_HANDLE_HOST");
}

TEST_CASE("a name is divided at the first ':' after the last '/'") {
  const auto parts = [](std::string_view name) {
    const auto split = host::split_instance(name);
    REQUIRE(split.ok());
    return std::string(split->backend) + "|" + std::string(split->instance);
  };
  CHECK(parts("npu") == "npu|");
  CHECK(parts("npu:1") == "npu|1");
  CHECK(parts("npu:0000:65:00.0") == "npu|0000:65:00.0");
  CHECK(parts("/a:b/lib.so") == "/a:b/lib.so|");
  CHECK(parts("/a:b/lib.so:SN-1") == "/a:b/lib.so|SN-1");
}

}  // namespace bp::npu::tests
