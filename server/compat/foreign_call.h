// The transport of a translation whose request and answer are messages of another gRPC API.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/translate_calls.h"
#include "server/call/wire_check.h"

namespace dragoman::server {

// A request converted to our service, and the function that converts the answer back.
struct ForeignRequest {
  v1::TranslateRequest request;
  // Returns the bytes of the answer, or an error that the client gets instead.
  std::function<absl::StatusOr<std::string>(const v1::TranslateResponse& answer)> write;
};

// Parses the bytes of a request. INVALID_ARGUMENT if its strings are not UTF-8.
using ReadForeign = std::function<absl::StatusOr<ForeignRequest>(std::string_view bytes)>;

// Makes a ReadForeign: `read` converts a message to our request, `write` our answer to a message.
template <typename Request, typename Read, typename Write>
ReadForeign MakeForeign(Read read, Write write) {
  return [read, write](std::string_view bytes) -> absl::StatusOr<ForeignRequest> {
    Request in;
    if (absl::Status status = ParseKnown(bytes, &in); !status.ok()) return status;
    absl::StatusOr<v1::TranslateRequest> ours = read(in);
    if (!ours.ok()) return ours.status();
    return ForeignRequest{.request = *std::move(ours),
                          .write = [write, in = std::move(in)](const v1::TranslateResponse& answer)
                              -> absl::StatusOr<std::string> {
                            const auto out = write(answer, in);
                            if (!out.ok()) return out.status();
                            return out->SerializeAsString();
                          }};
  };
}

class ForeignCall final : public UnaryCall {
 public:
  // `route` is "SERVICE/METHOD".
  ForeignCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
              std::string route, ReadForeign read)
      : UnaryCall(service, rpc, api, std::move(route)), read_(std::move(read)) {}

 private:
  void HandleRequest(const grpc::ByteBuffer& request) override;
  absl::Status SetAnswer(const v1::TranslateResponse& answer) override;

  const ReadForeign read_;
  // Written before the job is submitted.
  std::function<absl::StatusOr<std::string>(const v1::TranslateResponse&)> write_;
};

}  // namespace dragoman::server
