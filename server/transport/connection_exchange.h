// An HttpExchange on a connection (HttpConnection). Any thread may call the methods. They run later
// on the connection's thread, in the order of the calls.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/base/mutex.h"
#include "server/transport/http_exchange.h"
#include "server/transport/http_loop.h"

namespace dragoman::server {

class ConnectionExchange final : public HttpExchange {
 public:
  // `id` identifies the exchange within the connection.
  ConnectionExchange(std::shared_ptr<HttpConnection> connection, uint64_t id, HttpRequest request);
  ~ConnectionExchange() override;

  const HttpRequest& request() const override { return request_; }
  void OnGone(std::function<void()> gone) override;
  bool Reserve(int64_t bytes) override;
  void SetClient(RequestClient client) override { connection_->SetClient(std::move(client)); }
  void Respond(HttpResponse response, std::function<void()> sent) override;
  void Begin(HttpResponse head) override;
  void Write(std::string piece, std::function<void(bool ok)> done) override;
  void End(bool cut_off) override;
  void Break() override;

  // The connection calls these. SetGone: the client is gone. SetSent: the complete answer was sent.
  // Only the first of these calls has an effect.
  void SetGone();
  void SetSent();

 private:
  // Reserves `bytes` for a part of an answer. The caller then posts this part to the connection's
  // thread, which releases the reservation.
  void Hand(size_t bytes);
  template <typename Function>
  void Post(Function function);

  const std::shared_ptr<HttpConnection> connection_;
  const uint64_t id_;
  HttpRequest request_;  // constant until the destructor

  engine::Mutex mu_;
  std::function<void()> gone_ ABSL_GUARDED_BY(mu_);
  bool is_gone_ ABSL_GUARDED_BY(mu_) = false;
  bool is_sent_ ABSL_GUARDED_BY(mu_) = false;
  // Whether the destructor has to release the reservation. True if bytes are reserved and no
  // function that was posted will release them.
  bool is_reserved_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace dragoman::server
