// The connections of an ExchangeServer, and the threads that serve them. An inner header of this
// room: others use exchange_server.h.
//
// HttpShared is thread-safe. A loop's connections are for its thread alone, where not said
// otherwise.
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

// How many connections there are, for the server's end to wait on. A connection whose exchange is
// held is one of them, even when it is closed.
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
  // Waits until there is none; or for `timeout`, true: there is none.
  void WaitNone();
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
  std::atomic<bool> renew{false};    // answers end their connections
  std::atomic<bool> crowded{false};  // most of the connections that may be are open
  LiveCount live;
};

// Converts the times of the options to those of the clock.
inline engine::Nanos NanosOf(std::chrono::milliseconds time) {
  return std::chrono::nanoseconds(time).count();
}

class HttpLoop;

// A connection, whatever it speaks. Shared by its loop, by the operations that are under way on its
// socket, and by the exchange that is answered on it.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  explicit HttpConnection(HttpLoop* loop);
  virtual ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  HttpLoop& loop() const { return *loop_; }

  // The connection's part of HeldBytes, for whoever holds its exchange.
  bool Reserve(int64_t bytes) { return share_.Reserve(bytes); }
  void SetClient(RequestClient client) { share_.SetClient(std::move(client)); }

  virtual void Start() = 0;
  // Called every few milliseconds: ends what has taken too long.
  virtual void OnTick(engine::Nanos now) = 0;
  // The server ends: a connection without a request ends now, others after the answer.
  virtual void EndIdle() = 0;
  virtual void Close() = 0;
  // The connection holds more memory than others while there is too little.
  virtual void OnEvicted() = 0;

  // The methods of exchange `id`, in their order. Those of one that is answered already, or whose
  // client is gone, fail.
  virtual void Respond(uint64_t id, HttpResponse response, std::function<void()> sent) = 0;
  virtual void Begin(uint64_t id, const HttpResponse& head) = 0;
  virtual void Write(uint64_t id, std::string piece, std::function<void(bool)> done) = 0;
  virtual void End(uint64_t id, bool cut_off) = 0;
  virtual void Break(uint64_t id) = 0;
  // Nobody holds the exchange any more; it may have been answered. `head`: its request, without the
  // body.
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
  // Where connections without TLS read into, one after the other.
  std::array<char, 64 * 1024>& scratch() { return scratch_; }
  const std::string& date() const { return date_; }

  // Serves the connection, and owns it. From any thread.
  void Take(int fd);
  // From any thread.
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
  bool ending_ = false;  // connections that come now are closed
  std::unordered_map<const HttpConnection*, std::shared_ptr<HttpConnection>> connections_;
  std::thread thread_;
};

}  // namespace dragoman::server
