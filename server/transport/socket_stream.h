// A connection's socket, with or without TLS, as a stream for Asio and Beast.
//
// Not thread-safe.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/role.hpp>
#include <memory>
#include <optional>
#include <utility>

namespace dragoman::server {

class SocketStream {
 public:
  using executor_type = boost::asio::io_context::executor_type;
  using Socket =
      boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, executor_type>;
  using Tls = boost::asio::ssl::stream<Socket&>;

  // Takes ownership of `fd`, a socket of `family`. `context` is null without TLS.
  SocketStream(executor_type executor, int family, int fd,
               std::shared_ptr<boost::asio::ssl::context> context)
      : socket_(executor, boost::asio::generic::stream_protocol(family, 0), fd),
        context_(std::move(context)) {
    boost::system::error_code error;
    socket_.non_blocking(true, error);
  }
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;

  bool wants_tls() const { return context_ != nullptr && !tls_.has_value(); }
  // Makes this a TLS stream, which takes 86 KiB of memory. So call it only once the client has sent
  // something.
  Tls& BeginTls() { return tls_.emplace(socket_, *context_); }

  executor_type get_executor() { return socket_.get_executor(); }
  Socket& socket() { return socket_; }
  Tls* tls() { return tls_.has_value() ? &*tls_ : nullptr; }

  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return tls_.has_value() ? tls_->async_read_some(buffers, std::forward<Handler>(handler))
                            : socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return tls_.has_value() ? tls_->async_write_some(buffers, std::forward<Handler>(handler))
                            : socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }

  // Closes both directions. The listener notices it on its own descriptor of the connection.
  void Close() {
    boost::system::error_code error;
    socket_.shutdown(Socket::shutdown_both, error);
    socket_.close(error);
  }

 private:
  Socket socket_;
  std::shared_ptr<boost::asio::ssl::context> context_;  // outlives its stream
  std::optional<Tls> tls_;
};

// Beast finds these functions by name to end a WebSocket's stream. teardown and async_teardown do
// nothing, because the owner closes the stream.
inline void beast_close_socket(SocketStream& stream) { stream.Close(); }
inline void teardown(boost::beast::role_type /*role*/, SocketStream& /*stream*/,
                     boost::beast::error_code& error) {
  error = {};
}
template <typename Handler>
void async_teardown(boost::beast::role_type /*role*/, SocketStream& stream, Handler&& handler) {
  boost::asio::post(stream.get_executor(), [handler = std::forward<Handler>(handler)]() mutable {
    handler(boost::beast::error_code());
  });
}

}  // namespace dragoman::server
