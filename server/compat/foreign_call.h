// The transport of a translation whose request and answer are messages of another gRPC API.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/call_reactor.h"
#include "server/call/unary_translation.h"
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

class ForeignCall final : public CallReactor, public UnaryTransport {
 public:
  // `route` is "SERVICE/METHOD".
  ForeignCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
              std::string route, ReadForeign read);

 private:
  void HandleRequest(const grpc::ByteBuffer& request) override;
  void HandleNoRequest(absl::Status status) override { call_->HandleNoRequest(std::move(status)); }
  void HandleCancel() override;
  void HandleDone() override { call_->OnSent(); }

  // These methods are the transport of call_.
  void AnnounceRequestId(const std::string& request_id) override { SetRequestId(request_id); }
  absl::Status SetAnswer(const v1::TranslateResponse& answer) override;
  void Finish(const absl::Status& status) override;

  const ReadForeign read_;
  const std::shared_ptr<UnaryTranslation> call_;  // shared with the engine
  // Written before the job is submitted.
  std::function<absl::StatusOr<std::string>(const v1::TranslateResponse&)> write_;
  grpc::ByteBuffer response_;
};

}  // namespace dragoman::server
