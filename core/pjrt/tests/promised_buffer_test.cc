// Buffers whose value comes later.
#include "core/pjrt/tests/framework.h"

namespace bp::pjrt::testing {
namespace {

constexpr std::int64_t three[] = {3}, two_by_two[] = {2, 2};

PJRT_ShapeSpec spec(const std::int64_t *dims, std::size_t rank) {
  return {sizeof(PJRT_ShapeSpec), nullptr, dims, rank, PJRT_Buffer_Type_F32};
}

// A manager of two buffers, f32[3] and f32[2,2].
class Transfers {
 public:
  explicit Transfers(const Framework &framework) : framework_(framework) {
    PJRT_ShapeSpec specs[] = {spec(three, 1), spec(two_by_two, 2)};
    manager_ = call(framework.api().PJRT_Client_CreateBuffersForAsyncHostToDevice, [&](auto &args) {
                 args.client = framework.client();
                 args.shape_specs = specs;
                 args.num_shape_specs = 2;
               }).transfer_manager;
  }
  ~Transfers() { destroy(); }
  void destroy() {
    call(framework_.api().PJRT_AsyncHostToDeviceTransferManager_Destroy,
         [&](auto &args) { args.transfer_manager = std::exchange(manager_, nullptr); });
  }
  auto of(int buffer) const {
    return [this, buffer](auto &args) {
      args.transfer_manager = manager_;
      args.buffer_index = buffer;
    };
  }
  PJRT_Buffer *retrieve(int buffer) const {
    return call(framework_.api().PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, of(buffer)).buffer_out;
  }
  auto piece(int buffer, const std::vector<float> &values, std::int64_t offset, bool is_last) const {
    return [this, buffer, &values, offset, is_last](auto &args) {
      of(buffer)(args);
      args.data = values.data();
      args.offset = offset;
      args.transfer_size = static_cast<std::int64_t>(values.size() * sizeof(float));
      args.is_last_transfer = is_last;
    };
  }
  void send(int buffer, const std::vector<float> &values, std::int64_t offset, bool is_last) const {
    CHECK(wait_for(call(framework_.api().PJRT_AsyncHostToDeviceTransferManager_TransferData,
                        piece(buffer, values, offset, is_last))
                       .done_with_h2d_transfer) == "");
  }

 private:
  const Framework &framework_;
  PJRT_AsyncHostToDeviceTransferManager *manager_ = nullptr;
};

constexpr const char *doubled = R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %a, %a : tensor<3xf32>
    return %0 : tensor<3xf32>
  })";

}  // namespace

TEST_CASE("a program waits for a buffer that comes in pieces") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  PJRT_LoadedExecutable *executable = framework.compile(doubled);
  const Transfers transfers(framework);
  CHECK(call(api.PJRT_AsyncHostToDeviceTransferManager_BufferSize, transfers.of(1)).buffer_size == 16);
  PJRT_Buffer *first = transfers.retrieve(0), *second = transfers.retrieve(1);
  PJRT_Buffer *result = framework.start(executable, {first})[0];
  transfers.send(0, {2, 3}, 4, false);
  transfers.send(0, {1}, 0, true);
  CHECK(framework.get(result) == std::vector<float>{2, 4, 6});
  CHECK(failure(api.PJRT_AsyncHostToDeviceTransferManager_TransferData, transfers.piece(0, {1}, 0, true)) ==
        "buffer 0 of a transfer is complete already");
  CHECK(failure(api.PJRT_AsyncHostToDeviceTransferManager_TransferData, transfers.piece(1, {1, 2}, 12, true)) ==
        "8 bytes at 12 of 16");
  CHECK(failure(api.PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, transfers.of(1)) ==
        "buffer 1 of a transfer was retrieved already");
  CHECK(failure(api.PJRT_AsyncHostToDeviceTransferManager_BufferSize, transfers.of(2)) ==
        "buffer 2 of a transfer of 2");
  const std::vector<float> columns = {1, 3, 2, 4};
  const std::int64_t order[] = {0, 1};
  PJRT_Buffer_MemoryLayout layout = arguments<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = {sizeof layout.tiled, nullptr, order, 2, nullptr, nullptr, 0};
  const auto literal = [&](const std::int64_t *dims, std::size_t rank) {
    return [&, dims, rank](auto &args) {
      transfers.of(1)(args);
      args.data = columns.data();
      args.shape_dims = dims;
      args.shape_num_dims = rank;
      args.shape_element_type = PJRT_Buffer_Type_F32;
      args.shape_layout = &layout;
    };
  };
  CHECK(failure(api.PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, literal(three, 1)) ==
        "a literal of shape f32[3], expected f32[2,2]");
  CHECK(wait_for(call(api.PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, literal(two_by_two, 2))
                     .done_with_h2d_transfer) == "");
  CHECK(framework.get(second) == std::vector<float>{1, 2, 3, 4});
  for (PJRT_Buffer *buffer : {first, second, result}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

TEST_CASE("a buffer that does not come is an error for those that wait") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  PJRT_LoadedExecutable *executable = framework.compile(doubled);
  Transfers transfers(framework);
  PJRT_Buffer *lost = transfers.retrieve(0), *failed = transfers.retrieve(1);
  PJRT_Buffer *result = framework.start(executable, {lost})[0];
  const std::string message = "the disk is gone";
  call(api.PJRT_AsyncHostToDeviceTransferManager_SetBufferError, [&](auto &args) {
    transfers.of(1)(args);
    args.error_code = PJRT_Error_Code_UNAVAILABLE;
    args.error_message = message.data();
    args.error_message_size = message.size();
  });
  transfers.send(0, {1}, 0, false);
  transfers.destroy();
  CHECK(framework.error_of(failed) == message);
  CHECK(framework.error_of(result) == "the transfer of a buffer was given up before its last bytes had arrived");
  PJRT_Buffer *error_buffer = call(api.PJRT_Client_CreateErrorBuffer, [&](auto &args) {
                                args.client = framework.client();
                                args.error_code = PJRT_Error_Code_NOT_FOUND;
                                args.error_message = message.data();
                                args.error_message_size = message.size();
                                args.shape_dims = three;
                                args.shape_num_dims = 1;
                                args.shape_element_type = PJRT_Buffer_Type_F32;
                              }).buffer;
  PJRT_Buffer *after = framework.start(executable, {error_buffer})[0];
  CHECK(framework.error_of(after) == message);
  for (PJRT_Buffer *buffer : {lost, failed, result, error_buffer, after}) {
    framework.destroy(buffer);
  }
  framework.destroy(executable);
}

TEST_CASE("an alias becomes another buffer, or fails") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  const auto make = [&] {
    return call(api.PJRT_Client_CreateAliasBuffer, [&](auto &args) {
      args.client = framework.client();
      args.shape_dims = three;
      args.shape_num_dims = 1;
      args.shape_element_type = PJRT_Buffer_Type_F32;
    });
  };
  const auto kept = make(), broken = make();
  PJRT_Buffer *real = framework.put({1, 2, 3}, {3});
  const auto fulfil = [&](auto &args) {
    args.client = framework.client();
    args.buffer = real;
    args.fulfill_alias_buffer_cb = kept.fulfill_alias_buffer_cb;
  };
  call(api.PJRT_Client_FulfillAliasBuffer, fulfil);
  CHECK(failure(api.PJRT_Client_FulfillAliasBuffer, fulfil) ==
        "PJRT_FulfillAliasBufferCallback is no live object: it was destroyed, or never was one");
  call(api.PJRT_Client_FulfillAliasBuffer, [&](auto &args) {
    args.client = framework.client();
    args.status_code = PJRT_Error_Code_INTERNAL;
    args.error_message = "no";
    args.error_message_size = 2;
    args.fulfill_alias_buffer_cb = broken.fulfill_alias_buffer_cb;
  });
  CHECK(framework.get(kept.alias_buffer) == std::vector<float>{1, 2, 3});
  CHECK(framework.error_of(broken.alias_buffer) == "no");
  for (PJRT_Buffer *buffer : {real, kept.alias_buffer, broken.alias_buffer}) {
    framework.destroy(buffer);
  }
}

namespace {

struct alignas(64) LargeArray {
  float values[2048];
};

}  // namespace

TEST_CASE("memory of the caller is used in place until its last reader has gone") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  const auto array = std::make_unique<LargeArray>();
  array->values[2047] = 5;
  const std::int64_t sizes[] = {1, 2048};
  const std::int64_t strides[] = {4, 4};  // the first one does not matter
  const auto put = call(api.PJRT_Client_BufferFromHostBuffer, [&](auto &args) {
    args.client = framework.client();
    args.data = array->values;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = sizes;
    args.num_dims = 2;
    args.byte_strides = strides;
    args.num_byte_strides = 2;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_ImmutableZeroCopy;
  });
  const auto is_released = [&] {
    return call(api.PJRT_Event_IsReady, [&](auto &args) { args.event = put.done_with_host_buffer; }).is_ready;
  };
  CHECK(call(api.PJRT_Buffer_UnsafePointer, [&](auto &args) { args.buffer = put.buffer; }).buffer_pointer ==
        reinterpret_cast<std::uintptr_t>(array->values));
  PJRT_LoadedExecutable *executable = framework.compile(R"(
func.func public @main(%a: tensor<1x2048xf32> {tf.aliasing_output = 0 : i32}) -> tensor<1x2048xf32> {
  %0 = stablehlo.add %a, %a : tensor<1x2048xf32>
  return %0 : tensor<1x2048xf32>
})");
  CHECK(!is_released());
  PJRT_Buffer *sum = framework.execute(executable, {put.buffer})[0];
  CHECK(framework.get(sum)[2047] == 10);
  CHECK(array->values[2047] == 5);  // the program took the buffer over, but not the caller's memory
  CHECK(is_released());
  CHECK(wait_for(put.done_with_host_buffer) == "");
  framework.destroy(put.buffer);
  framework.destroy(sum);
  framework.destroy(executable);
}

TEST_CASE("a large view is given back when its buffer is destroyed") {
  const Framework framework;
  const auto array = std::make_unique<LargeArray>();
  const std::int64_t size = 2048;
  int given_back = 0;
  PJRT_Buffer *view = call(framework.api().PJRT_Client_CreateViewOfDeviceBuffer, [&](auto &args) {
                        args.client = framework.client();
                        args.device_buffer_ptr = array->values;
                        args.dims = &size;
                        args.num_dims = 1;
                        args.element_type = PJRT_Buffer_Type_F32;
                        args.on_delete_callback = [](void *, void *count) { ++*static_cast<int *>(count); };
                        args.on_delete_callback_arg = &given_back;
                      }).buffer;
  array->values[3] = 4;
  CHECK(framework.get(view)[3] == 4);
  CHECK(given_back == 0);
  framework.destroy(view);
  CHECK(given_back == 1);
}

TEST_CASE("a view and a copy to where the caller says later") {
  const Framework framework;
  const PJRT_Api &api = framework.api();
  float values[] = {1, 2, 3};
  int given_back = 0;
  PJRT_Buffer *view = call(api.PJRT_Client_CreateViewOfDeviceBuffer, [&](auto &args) {
                        args.client = framework.client();
                        args.device_buffer_ptr = values;
                        args.dims = three;
                        args.num_dims = 1;
                        args.element_type = PJRT_Buffer_Type_F32;
                        args.on_delete_callback = [](void *, void *count) { ++*static_cast<int *>(count); };
                        args.on_delete_callback_arg = &given_back;
                      }).buffer;
  CHECK(given_back == 1);
  CHECK(framework.get(view) == std::vector<float>{1, 2, 3});
  const auto later = call(api.PJRT_Buffer_CopyRawToHostFuture, [&](auto &args) {
    args.buffer = view;
    args.offset = 4;
    args.transfer_size = 8;
  });
  float copied[2] = {};
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args told{};
  told.struct_size = sizeof told;
  told.callback_data = later.callback_data;
  told.dst = copied;
  later.future_ready_callback(&told);
  CHECK(wait_for(later.event) == "");
  CHECK(copied[1] == 3);
  framework.destroy(view);
}

}  // namespace bp::pjrt::testing
