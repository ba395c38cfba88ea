// The connections of an ExchangeServer, and the threads that serve them. Only this folder uses this
// file. Other folders use exchange_server.h.
//
// HttpShared is thread-safe. A loop's connections are used only on its thread, except where a
// method says otherwise.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/transport/exchange_server.h"
#include "server/transport/held_bytes.h"
#include "server/transport/http_message.h"
#include "server/transport/tls_contexts.h"

namespace dragoman::server {

// Counts connections. A closed connection counts until its exchange is destroyed.
class LiveCount {
 public:
  void Add(int64_t delta) {
    engine::MutexLock lock(&mu_);
    live_ += delta;
    if (live_ == 0) changed_.NotifyAll();
  }
  int64_t count() const {
    engine::MutexLock lock(&mu_);
    return live_;
  }
  void WaitNone();
  // Waits until the count is 0, for at most `timeout`. Returns false after the timeout.
  bool WaitNone(std::chrono::nanoseconds timeout);

 private:
  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  int64_t live_ ABSL_GUARDED_BY(mu_) = 0;
};

struct HttpShared {
  HttpShared(const ExchangeServerOptions& options_in, HttpHandler* handler_in,
             const engine::Clock* clock_in);

  const ExchangeServerOptions options;
  HttpHandler* const handler;
  const engine::Clock* const clock;
  HeldBytes held;
  std::optional<TlsContexts> tls;
  std::atomic<bool> renew{false};    // if true, every answer ends its connection
  std::atomic<bool> crowded{false};  // three quarters of the allowed connections are open
  LiveCount live;
};

inline engine::Nanos NanosOf(std::chrono::milliseconds time) {
  return std::chrono::nanoseconds(time).count();
}

class HttpLoop;

// A connection of any protocol. Shared by its loop, by the pending operations on its socket, and by
// the exchange that is answered on it.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  explicit HttpConnection(HttpLoop* loop);
  virtual ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  HttpLoop& loop() const { return *loop_; }

  // Reserve and SetClient apply to the connection's share of HeldBytes. Any thread may call them.
  bool Reserve(int64_t bytes) { return share_.Reserve(bytes); }
  void SetClient(RequestClient client) { share_.SetClient(std::move(client)); }

  virtual void Start() = 0;
  // Called every 100 ms. Ends the connection, or refuses its request, if a time limit has passed.
  virtual void OnTick(engine::Nanos now) = 0;
  // Called at shutdown: closes the connection if it has no request.
  virtual void EndIdle() = 0;
  virtual void Close() = 0;
  // Called if HeldBytes chose this connection to end.
  virtual void OnEvicted() = 0;

  // The following four are the methods of HttpExchange, for the exchange with the number `id`. They
  // run in the order in which they were called. They fail if the exchange was already answered or
  // its client is gone.
  virtual void Respond(uint64_t id, HttpResponse response, std::function<void()> sent) = 0;
  virtual void Begin(uint64_t id, const HttpResponse& head) = 0;
  virtual void Write(uint64_t id, std::string piece, std::function<void(bool)> done) = 0;
  virtual void End(uint64_t id, bool cut_off) = 0;
  virtual void Break(uint64_t id) = 0;
  // Called when the owner has destroyed the exchange, answered or not. `head` is the exchange's
  // request without the body.
  virtual void OnDropped(uint64_t id, const HttpRequest& head) = 0;

 protected:
  const HttpShared& shared() const;
  void SetHeld(size_t bytes) { share_.Set(static_cast<int64_t>(bytes)); }

 private:
  HttpLoop* const loop_;
  HeldBytes::Share share_;
};

class HttpLoop {
 public:
  explicit HttpLoop(HttpShared* shared);
  // Ends the thread. REQUIRES: no connection and no exchange is left.
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  HttpShared& shared() const { return *shared_; }
  boost::asio::io_context& io() { return io_; }
  // The buffer that all connections without TLS read into. Its content is valid only during a
  // read's handler.
  std::array<char, 64 * 1024>& scratch() { return scratch_; }
  const std::string& date() const { return date_; }

  // Takes ownership of the connection and serves it. May be called from any thread.
  void Take(int fd);
  // EndIdle calls HttpConnection::EndIdle for every connection, and closes new connections.
  // CloseAll closes every connection. Both may be called from any thread.
  void EndIdle();
  void CloseAll();

  void Add(std::shared_ptr<HttpConnection> connection);
  void Remove(const HttpConnection* connection);

 private:
  void Run();
  void ArmTick();
  void Tick();
  void ForEach(const std::function<void(HttpConnection&)>& visit);

  HttpShared* const shared_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer tick_;
  std::array<char, 64 * 1024> scratch_;
  std::string date_;
  engine::Nanos date_until_ = 0;
  bool ending_ = false;  // new connections are closed
  std::unordered_map<const HttpConnection*, std::shared_ptr<HttpConnection>> connections_;
  std::thread thread_;
};

}  // namespace dragoman::server
