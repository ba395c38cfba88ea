#include "server/transport/connection_exchange.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace dragoman::server {

ConnectionExchange::ConnectionExchange(std::shared_ptr<HttpConnection> connection, uint64_t id,
                                       HttpRequest request)
    : connection_(std::move(connection)), id_(id), request_(std::move(request)) {}

ConnectionExchange::~ConnectionExchange() {
  std::string().swap(request_.body);
  {
    engine::MutexLock lock(&mu_);
    if (is_reserved_) connection_->Reserve(0);
  }
  Post([head = std::move(request_)](HttpConnection& connection, uint64_t id) {
    connection.OnDropped(id, head);
  });
}

template <typename Function>
void ConnectionExchange::Post(Function function) {
  boost::asio::post(connection_->loop().io(),
                    [connection = connection_, id = id_, function = std::move(function)]() mutable {
                      function(*connection, id);
                    });
}

void ConnectionExchange::OnGone(std::function<void()> gone) {
  {
    engine::MutexLock lock(&mu_);
    if (!is_gone_) {
      if (!is_sent_) std::swap(gone_, gone);
      return;
    }
  }
  gone();
}

void ConnectionExchange::SetGone() {
  std::function<void()> gone;
  {
    engine::MutexLock lock(&mu_);
    if (is_sent_ || is_gone_) return;
    is_gone_ = true;
    gone = std::exchange(gone_, nullptr);
  }
  if (gone) gone();
}

void ConnectionExchange::SetSent() {
  std::function<void()> dropped;  // destroyed after the lock: its destructor may call back
  engine::MutexLock lock(&mu_);
  is_sent_ = true;
  dropped = std::exchange(gone_, nullptr);
}

bool ConnectionExchange::Reserve(int64_t bytes) {
  engine::MutexLock lock(&mu_);
  if (is_gone_) return false;
  is_reserved_ = true;
  return connection_->Reserve(bytes);
}

void ConnectionExchange::Hand(size_t bytes) {
  Reserve(static_cast<int64_t>(bytes));
  engine::MutexLock lock(&mu_);
  is_reserved_ = false;
}

void ConnectionExchange::Respond(HttpResponse response, std::function<void()> sent) {
  Hand(response.held());
  Post([response = std::move(response), sent = std::move(sent)](HttpConnection& connection,
                                                                uint64_t id) mutable {
    // Release the reservation first, because the connection counts the answer from now on, and
    // `sent` may destroy the exchange.
    connection.Reserve(0);
    connection.Respond(id, std::move(response), std::move(sent));
  });
}

void ConnectionExchange::Begin(HttpResponse head) {
  Post([head = std::move(head)](HttpConnection& connection, uint64_t id) {
    connection.Begin(id, head);
  });
}

void ConnectionExchange::Write(std::string piece, std::function<void(bool ok)> done) {
  Hand(piece.size());
  Post([piece = std::move(piece), done = std::move(done)](HttpConnection& connection,
                                                          uint64_t id) mutable {
    // Release the reservation first, because `done` may reserve for the next piece.
    connection.Reserve(0);
    connection.Write(id, std::move(piece), std::move(done));
  });
}

void ConnectionExchange::End(bool cut_off) {
  Post([cut_off](HttpConnection& connection, uint64_t id) { connection.End(id, cut_off); });
}

void ConnectionExchange::Break() {
  Post([](HttpConnection& connection, uint64_t id) { connection.Break(id); });
}

}  // namespace dragoman::server
