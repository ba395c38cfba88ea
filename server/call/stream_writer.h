// The writing side of a stream: one write in flight, the rest in a bounded outbox.
//
// Never blocks: the engine's threads hand messages over and go on, however slow the reader is. A
// reader that takes nothing for the write timeout is cut off. Thread-safe. Knows no gRPC: the
// transport below it starts a write or finishes the call, and reports when a write is done.
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

// The messages that a stream still has to send: bounded by the request, however slow its reader is.
//
// Holds at most one message per segment that is under way: a newer partial takes the place of an
// older one that was not sent yet, and a final takes the place of its segment's partial. Finals and
// ends of items are never dropped; there are as many as the request has segments and items.
//
// Not thread-safe: its stream guards it.
class StreamOutbox {
 public:
  // A partial or final message of a segment. REQUIRES: none follows its segment's final.
  void PutSegment(v1::StreamTranslateResponse message);

  // The end of an item, or of the call.
  void Put(v1::StreamTranslateResponse message);

  // The oldest message, or none.
  std::optional<v1::StreamTranslateResponse> Take();

  bool empty() const { return messages_.empty(); }
  size_t size() const { return messages_.size(); }
  void Clear();

  // Partials that a newer one replaced.
  int64_t replaced() const { return replaced_; }

 private:
  using Key = std::pair<int32_t, int32_t>;  // item, segment
  struct Entry {
    v1::StreamTranslateResponse message;
    bool partial = false;
  };

  std::list<Entry> messages_;
  std::map<Key, std::list<Entry>::iterator> partials_;  // those in messages_ by their segment
  int64_t replaced_ = 0;
};

// The transport that carries the messages. It is called without locks; no two calls overlap, but
// for Break, and for what is left of a StartWrite whose OnWriteDone has come.
class MessageTransport {
 public:
  virtual ~MessageTransport() = default;
  // The transport answers with the writer's OnWriteDone. It owns `message`.
  virtual void StartWrite(v1::StreamTranslateResponse message) = 0;
  // The last call.
  virtual void Finish(const absl::Status& status) = 0;
  // Makes a write in flight fail soon. Not called after Finish, nor during it.
  virtual void Break() = 0;
};

class StreamWriter : public std::enable_shared_from_this<StreamWriter> {
 public:
  // `transport` outlives its Finish. Timers hold the writer weakly: make it with make_shared.
  // `on_stuck` is called once, before Break, if the client reads nothing.
  StreamWriter(MessageTransport* transport, const engine::Clock* clock, DeadlineTimer* timer,
               engine::Nanos write_timeout, std::function<void()> on_stuck)
      : transport_(transport),
        clock_(clock),
        timer_(timer),
        write_timeout_(write_timeout),
        on_stuck_(std::move(on_stuck)) {}

  void PutSegment(v1::StreamTranslateResponse message);
  void Put(v1::StreamTranslateResponse message);

  // No more messages: finishes with `status` after the last one was written.
  void Close(absl::Status status);

  // Finishes with `status` as soon as the write in flight is done; what waits is dropped. If that
  // write takes longer than a second, it is broken. No effect after Close has finished.
  void Abort(absl::Status status);

  // The transport's answer to StartWrite.
  void OnWriteDone(bool ok);

  // How many messages wait, and how many partials were replaced by newer ones.
  size_t waiting() const;
  int64_t replaced() const;

 private:
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
  StreamOutbox outbox_ ABSL_GUARDED_BY(mu_);
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool breaking_ ABSL_GUARDED_BY(mu_) = false;  // Break is being called: Finish waits for it
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  bool aborted_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mu_);  // set by Close and Abort
  uint64_t writes_ ABSL_GUARDED_BY(mu_) = 0;
  DeadlineTimer::Id write_timer_ ABSL_GUARDED_BY(mu_) = DeadlineTimer::kNone;
};

}  // namespace dragoman::server
