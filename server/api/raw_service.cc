#include "server/api/raw_service.h"

#include <grpcpp/generic/async_generic_service.h>

#include <limits>
#include <utility>
#include <vector>

namespace dragoman::server {

void RawService::Add(const char* path, MakeCall make) {
  using grpc::internal::RpcMethod;
  AddMethod(new grpc::internal::RpcServiceMethod(path, RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodRawCallback(methods_++,
                        new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>(
                            [make = std::move(make)](grpc::CallbackServerContext* rpc) {
                              return CallReactor::Start(make(rpc));
                            }));
}

std::string FlattenBytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

bool SerializeBytes(const google::protobuf::MessageLite& message, grpc::ByteBuffer* out) {
  const size_t size = message.ByteSizeLong();
  if (size > static_cast<size_t>(std::numeric_limits<int>::max())) return false;
  const grpc::Slice slice(size);
  // Writes into the slice, which has no other reference before it is put into a buffer.
  message.SerializeWithCachedSizesToArray(const_cast<uint8_t*>(slice.begin()));
  grpc::ByteBuffer(&slice, 1).Swap(out);
  return true;
}

}  // namespace dragoman::server
