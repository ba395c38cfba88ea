#include "server/transport/exchange_server.h"

#include <algorithm>
#include <utility>

#include "server/transport/http_loop.h"

namespace dragoman::server {
namespace {

// The time that clients have to read the last answers.
constexpr std::chrono::milliseconds kCloseGrace{500};

}  // namespace

ExchangeServer::ExchangeServer() = default;

absl::StatusOr<std::unique_ptr<ExchangeServer>> ExchangeServer::Start(
    const ExchangeServerOptions& options, HttpHandler* handler, const engine::Clock* clock) {
  auto listener = Listener::Listen(options.listener);
  if (!listener.ok()) return listener.status();
  std::unique_ptr<ExchangeServer> server(new ExchangeServer());
  server->listener_ = *std::move(listener);
  server->shared_ = std::make_unique<HttpShared>(options, handler, clock);
  for (int i = 0; i < std::max(1, options.threads); ++i) {
    server->loops_.push_back(std::make_unique<HttpLoop>(server->shared_.get()));
  }
  server->listener_->Start(
      [raw = server.get()](int fd) { raw->loops_[raw->next_++ % raw->loops_.size()]->Take(fd); });
  return server;
}

ExchangeServer::~ExchangeServer() {
  Shutdown();
  // The listener ends first, because its thread uses the loops.
  listener_.reset();
  loops_.clear();
}

void ExchangeServer::RenewConnections() { shared_->renew = true; }

void ExchangeServer::Shutdown() {
  if (std::exchange(is_shut_, true)) return;
  RenewConnections();
  listener_->StopAccepting();
  for (const auto& loop : loops_) loop->EndIdle();
  if (shared_->live.WaitNone(kCloseGrace)) return;
  for (const auto& loop : loops_) loop->CloseAll();
  shared_->live.WaitNone();
}

}  // namespace dragoman::server
