#include "server/guard/reset_watch.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/base/steady_clock.h"

namespace dragoman {
namespace {

// Connections that have wasted fewer streams are not a part of the flood.
constexpr int64_t kFew = 64;
// The share of failing_ that is kept from one look to the next.
constexpr double kKept = 0.96;

}  // namespace

ResetWatch::Counts ResetWatch::RealCounts() {
  const auto streams = std::make_shared<AcceptedStreams>();
  return {.all = [streams] { return streams->All(); },
          .update = [streams] { streams->Update(); },
          .of = [streams](const std::string& peer) { return streams->Of(peer); },
          .forget = [streams](const std::string& peer) { streams->Forget(peer); }};
}

void ResetWatch::Open(int fd, const std::string& peer, Nanos now) {
  Connection& connection = connections_[fd];
  connection = Connection{.peer = peer, .number = ++last_connection_, .seen = now};
}

void ResetWatch::Close(int fd) {
  const auto at = connections_.find(fd);
  if (at == connections_.end()) return;
  counts_.forget(at->second.peer);
  connections_.erase(at);
}

void ResetWatch::Begin(uint64_t call, int fd) {
  const auto at = connections_.find(fd);
  calls_[call] = at == connections_.end() ? Call{} : Call{fd, at->second.number};
}

ResetWatch::Account* ResetWatch::AccountOf(const Call& call) {
  const auto at = connections_.find(call.fd);
  return at != connections_.end() && at->second.number == call.connection ? &at->second.account
                                                                          : nullptr;
}

void ResetWatch::Whole(uint64_t call) {
  const auto at = calls_.find(call);
  if (at == calls_.end() || std::exchange(at->second.whole, true)) return;
  ++all_.whole;
  if (Account* const account = AccountOf(at->second)) ++account->whole;
}

void ResetWatch::Cut(uint64_t call) {
  const auto at = calls_.find(call);
  if (at == calls_.end() || std::exchange(at->second.cut, true)) return;
  ++cut_;
}

void ResetWatch::Done(uint64_t call, bool cancelled) {
  const auto at = calls_.find(call);
  if (at == calls_.end()) return;
  const Call done = at->second;
  calls_.erase(at);
  if (done.cut) --cut_;
  if (!done.whole) return;
  const auto end = [cancelled](Account* account) {
    --account->whole;
    if (cancelled) ++account->cancelled;
  };
  end(&all_);
  if (Account* const account = AccountOf(done)) end(account);
}

int64_t ResetWatch::Unforgiven(Connection* connection, const StreamCount& count, Nanos now) {
  const int64_t wasted = connection->account.Wasted(count);
  const Nanos passed = now - connection->seen;
  connection->seen = now;
  connection->forgiven += kForgivenPerSecond * (passed / kNanosPerMilli) / 1000;
  // Forgiveness is not saved up; and the number may have fallen, because some streams only waited.
  connection->forgiven = std::min(connection->forgiven, wasted);
  return wasted - connection->forgiven;
}

ResetWatch::Floods ResetWatch::Look(Nanos now) {
  Floods floods;
  const StreamCount count = counts_.all();
  // gRPC may know the end of a call that is not done with.
  const int64_t failed = count.failed - all_.cancelled - all_.whole;
  const int64_t failed_now = failed - std::exchange(failed_, failed);
  failing_ = kKept * failing_ + static_cast<double>(std::max<int64_t>(0, failed_now));
  // The streams that were not handed over, and those handed over without a request.
  const auto calls = static_cast<int64_t>(calls_.size());
  const int64_t open = count.started - count.succeeded - count.failed;
  const int64_t pending = std::max<int64_t>(0, open - (calls - cut_)) + calls - all_.whole;
  floods.many = pending > limits_.all && failing_ > kWorthALook;
  const int64_t wasted = all_.Wasted(count);
  checked_ = std::min(checked_, wasted);
  if (!floods.many && wasted - checked_ <= kWorthALook) return floods;
  checked_ = wasted;
  counts_.update();
  for (auto& [fd, connection] : connections_) {
    const auto of = counts_.of(connection.peer);
    if (!of) continue;
    const int64_t waste = Unforgiven(&connection, *of, now);
    if (waste > limits_.each || (floods.many && waste > kFew)) floods.connections.push_back(fd);
  }
  for (const int fd : floods.connections) Close(fd);
  return floods;
}

}  // namespace dragoman
