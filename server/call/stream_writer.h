// Writes the messages of a stream: one write is in flight, the others wait in a bounded outbox.
//
// The outbox has at most one message for each unfinished segment: a newer partial replaces an older
// one that was not sent yet, and a final replaces the partial of its segment. Finals and ends of
// items are never dropped. There is one final per segment and one end per item, so the request
// bounds the number of messages.
//
// Never blocks, so a slow reader does not delay the engine's threads. Cuts off a client that has
// not read anything for the write timeout. Thread-safe. Independent of gRPC: the transport starts
// writes, finishes the call, and reports the end of each write.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/base/deadline_timer.h"

namespace dragoman::server {

// The transport that carries the messages. The writer calls it without locks. At most one method
// runs at a time, with two exceptions: Break may overlap with another method, and the next method
// may begin before a StartWrite returns, if the end of its write has been reported (OnWriteDone).
class MessageTransport {
 public:
  virtual ~MessageTransport() = default;
  // Starts to write `message`. The transport reports the end with the writer's OnWriteDone.
  virtual void StartWrite(v1::StreamTranslateResponse message) = 0;
  // Ends the stream. The writer calls no method after this.
  virtual void Finish(const absl::Status& status) = 0;
  // Makes the write in flight fail soon. Not called during or after Finish.
  virtual void Break() = 0;
};

class StreamWriter : public std::enable_shared_from_this<StreamWriter> {
 public:
  // If the client does not read and a write has therefore not ended after `write_timeout`, the
  // writer calls `on_stuck` and then Break. It calls `on_stuck` at most once. REQUIRES: `transport`
  // exists until its Finish is called. REQUIRES: make_shared makes the writer, because timers have
  // weak references to it.
  StreamWriter(MessageTransport* transport, const engine::Clock* clock, DeadlineTimer* timer,
               engine::Nanos write_timeout, std::function<void()> on_stuck)
      : transport_(transport),
        clock_(clock),
        timer_(timer),
        write_timeout_(write_timeout),
        on_stuck_(std::move(on_stuck)) {}

  // Adds a partial or final message of a segment. REQUIRES: the segment has no final yet.
  void PutSegment(v1::StreamTranslateResponse message);

  // Adds the end of an item, or of the call.
  void Put(v1::StreamTranslateResponse message);

  // Ends the stream: finishes with `status` after the last message is written.
  void Close(absl::Status status);

  // Drops all waiting messages and finishes with `status` when the write in flight has ended. If
  // this write has not ended after a second, calls Break. Does nothing if the writer has finished.
  void Abort(absl::Status status);

  // The transport calls this when a write has ended.
  void OnWriteDone(bool ok);

  // waiting: the number of messages in the outbox. replaced: the number of partials that a newer
  // message replaced.
  size_t waiting() const;
  int64_t replaced() const;

 private:
  using Key = std::pair<int32_t, int32_t>;  // item, segment
  struct Waiting {
    v1::StreamTranslateResponse message;
    bool partial = false;
  };

  // Drops all waiting messages.
  void Drop() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Starts the next write or finishes, unless a write is in flight.
  void Pump();
  void ArmWriteTimer(engine::Nanos delay);
  void HandleStuck(uint64_t write);

  MessageTransport* const transport_;
  const engine::Clock* const clock_;
  DeadlineTimer* const timer_;
  const engine::Nanos write_timeout_;
  const std::function<void()> on_stuck_;

  mutable engine::Mutex mu_;
  std::list<Waiting> outbox_ ABSL_GUARDED_BY(mu_);
  // The partials in outbox_.
  std::map<Key, std::list<Waiting>::iterator> partials_ ABSL_GUARDED_BY(mu_);
  int64_t replaced_ ABSL_GUARDED_BY(mu_) = 0;
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool breaking_ ABSL_GUARDED_BY(mu_) = false;  // Break is running; Finish follows only after Break
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  bool aborted_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mu_);  // set by Close and Abort
  uint64_t writes_ ABSL_GUARDED_BY(mu_) = 0;
  DeadlineTimer::Id write_timer_ ABSL_GUARDED_BY(mu_) = DeadlineTimer::kNone;
};

}  // namespace dragoman::server
