#include "server/transport/http_loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <exception>
#include <utility>
#include <vector>

#include "engine/base/thread_name.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/transport/http1_connection.h"
#include "server/transport/response_text.h"
#include "server/transport/socket_stream.h"

namespace dragoman::server {
namespace {

// How often time limits are checked.
constexpr std::chrono::milliseconds kTick{100};

// Closes a descriptor unless Release was called.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ < 0) return;
    // The listener has a second descriptor of the connection. It would not notice a close, only a
    // shutdown.
    shutdown(fd_, SHUT_RDWR);
    close(fd_);
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

int FamilyOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return address.ss_family;
}

}  // namespace

void LiveCount::WaitNone() {
  engine::MutexLock lock(&mu_);
  while (live_ > 0) changed_.Wait(&mu_);
}

bool LiveCount::WaitNone(std::chrono::nanoseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  engine::MutexLock lock(&mu_);
  while (live_ > 0) {
    if (!changed_.WaitUntil(&mu_, end)) return false;
  }
  return true;
}

HttpShared::HttpShared(const ExchangeServerOptions& options_in, HttpHandler* handler_in,
                       const engine::Clock* clock_in)
    : options(options_in), handler(handler_in), clock(clock_in), held(options_in.held_bytes) {
  if (options.tls != nullptr) tls.emplace(options.tls, options.clients);
}

HttpConnection::HttpConnection(HttpLoop* loop)
    : loop_(loop), share_(&loop->shared().held, [this] {
        boost::asio::post(loop_->io(), [weak = weak_from_this()] {
          if (const auto self = weak.lock()) self->OnEvicted();
        });
      }) {
  loop_->shared().live.Add(1);
}

HttpConnection::~HttpConnection() { loop_->shared().live.Add(-1); }

const HttpShared& HttpConnection::shared() const { return loop_->shared(); }

HttpLoop::HttpLoop(HttpShared* shared)
    : shared_(shared), work_(io_.get_executor()), tick_(io_), date_(HttpDate()), thread_([this] {
        Run();
      }) {}

HttpLoop::~HttpLoop() {
  io_.stop();
  thread_.join();
}

void HttpLoop::Run() {
  engine::NameThisThread("http");
  ArmTick();
  while (true) {
    try {
      io_.run();
      return;
    } catch (const std::exception& e) {
      // The failed operation is lost; the time limits of its connection end the connection.
      Log(LogLevel::kError, "HTTP", {{"error", e.what()}});
    }
  }
}

void HttpLoop::ArmTick() {
  tick_.expires_after(kTick);
  tick_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Tick();
  });
}

void HttpLoop::Tick() {
  // Arms the next tick first, because the code below may throw.
  ArmTick();
  const engine::Nanos now = shared_->clock->Now();
  if (now >= date_until_) {
    date_ = HttpDate();
    date_until_ = now + kNanosPerSecond / 2;
  }
  shared_->crowded = shared_->live.count() >= shared_->options.listener.max_connections / 4 * 3;
  ForEach([now](HttpConnection& connection) { connection.OnTick(now); });
}

void HttpLoop::ForEach(const std::function<void(HttpConnection&)>& visit) {
  // Visits a copy, because `visit` may add and remove connections.
  std::vector<std::shared_ptr<HttpConnection>> connections;
  connections.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) connections.push_back(connection);
  for (const auto& connection : connections) visit(*connection);
}

void HttpLoop::Add(std::shared_ptr<HttpConnection> connection) {
  const HttpConnection* const key = connection.get();
  connections_.emplace(key, std::move(connection));
}

void HttpLoop::Remove(const HttpConnection* connection) { connections_.erase(connection); }

void HttpLoop::Take(int fd) {
  boost::asio::post(io_, [this, owner = Descriptor(fd)]() mutable {
    if (ending_) return;
    std::shared_ptr<boost::asio::ssl::context> context;
    if (shared_->tls.has_value() && (context = shared_->tls->Current()) == nullptr) return;
    const std::string peer = PeerName(owner.get());
    const int family = FamilyOf(owner.get());
    auto stream =
        std::make_unique<SocketStream>(io_.get_executor(), family, owner.get(), std::move(context));
    owner.Release();
    auto connection = std::make_shared<Http1Connection>(this, std::move(stream), peer);
    Add(connection);
    connection->Start();
  });
}

void HttpLoop::EndIdle() {
  boost::asio::post(io_, [this] {
    ending_ = true;
    ForEach([](HttpConnection& connection) { connection.EndIdle(); });
  });
}

void HttpLoop::CloseAll() {
  boost::asio::post(io_, [this] {
    ending_ = true;
    ForEach([](HttpConnection& connection) { connection.Close(); });
  });
}

}  // namespace dragoman::server
