// A translation over any transport: submits the job to the engine, enforces the deadline, and
// writes metrics and the log line. unary_translation.h and stream_translation.h build the answer.
//
// The transport owns the call until Finish. The engine owns it, too, as the job's sink, until the
// job ends. Timers have weak references. The call borrows the transport (call_transport.h).
// Thread-safe unless stated otherwise. No lock is held during calls to the transport, the engine or
// the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "server/base/deadline_timer.h"
#include "server/base/log.h"
#include "server/call/call_context.h"
#include "server/call/call_trace.h"
#include "server/call/call_tracker.h"
#include "server/call/call_transport.h"
#include "server/call/detected_jobs.h"
#include "server/call/request_parser.h"
#include "server/call/response_builder.h"
#include "server/models/composite_job.h"
#include "server/models/served_model.h"
#include "server/observe/metrics.h"

namespace dragoman::server {

class TranslationCall : public engine::TranslationSink,
                        public std::enable_shared_from_this<TranslationCall> {
 public:
  ~TranslationCall() override = default;
  TranslationCall(const TranslationCall&) = delete;
  TranslationCall& operator=(const TranslationCall&) = delete;

  // Submits the request, or ends the call with the errors in it.
  void HandleRequest(ParsedRequest parsed);
  // Ends the call with `status`, because the request will not arrive. The call gets an id and
  // metrics like any other.
  void HandleNoRequest(absl::Status status);

  // Cancel: the client is gone. Expire: the deadline has passed. Both end the call and its job. The
  // call has its own timer for the deadline, but a transport may call Expire earlier.
  void Cancel();
  void Expire();

 protected:
  // `context` outlives the call. REQUIRES: made with make_shared.
  TranslationCall(const CallContext* context, RpcMethod method, CallHead head,
                  CallTransport* transport);

  // Ends the call with `status`, unless it has ended.
  virtual void End(absl::Status status) = 0;

  // Cancels the job in the engine. Only the first cause reaches the engine.
  void CancelJob(engine::CancelCause cause);

  // Stops the deadline, writes metrics and the log line, and finishes the transport. Called once.
  void Conclude(absl::Status status);

  // Both record times for spans. NoteTimings records the times of the job. NoteSent records that a
  // part of the answer was sent between `begin` and now.
  void NoteTimings(const engine::JobTimings& timings) { trace_.Timed(timings); }
  void NoteSent(engine::Nanos begin);

  // Builds the message of an item's result, with its detected language.
  v1::Translation Build(engine::ItemResult result) const;

  // Counts an item for the log line and for the call's status. Called only from OnItem.
  void CountItem(const engine::ItemResult& result);
  // Returns the status of the call after its job has ended with the status `job`. This is `job` if
  // that is an error, else the first item's error if all items failed with the same code, else OK.
  // Called only from OnDone.
  absl::Status StatusAfter(const absl::Status& job) const;

  const CallContext& context() const { return *context_; }
  RpcMethod method() const { return method_; }
  engine::Nanos started() const { return head_.started; }
  Api api() const { return head_.api; }

  // These are valid in OnSegment, OnItem and OnDone.
  const std::string& request_id() const { return request_id_; }
  // Returns the value of the label "model" of metrics.
  const std::string& metrics_model() const { return metrics_model_; }
  const engine::ReturnOptions& returns() const { return returns_; }
  bool want_timings() const { return timings_; }

 private:
  LogText FieldsOfCall(const absl::Status& status, engine::Nanos duration) const;
  void ReadNames(ParsedRequest* parsed);
  absl::Status Admit(ParsedRequest parsed);
  // Both choose the models, take the code points from the client's rate limit, and submit the job.
  // SubmitItems first detects the items' languages and submits a CompositeJob.
  engine::Admission SubmitWhole(const std::vector<ModelPtr>& models, ParsedRequest parsed);
  engine::Admission SubmitItems(std::vector<ModelPtr> models, ParsedRequest parsed);
  // Returns the client of the call's key; nullptr if the call needs no key.
  Client* client() const { return head_.grant == nullptr ? nullptr : &head_.grant->client(); }
  void ArmDeadline();
  void WatchKey();
  // Ends the call because its key was revoked.
  void Revoke();

  const CallTracker::Ticket ticket_;
  const CallContext* const context_;
  const RpcMethod method_;
  const CallHead head_;
  CallTransport* const transport_;

  // Written by HandleRequest before the job is submitted, constant afterwards.
  std::string request_id_;
  std::string model_;          // several names are separated by commas
  std::string metrics_model_;  // the label "model" of metrics
  std::vector<std::pair<std::string, std::string>> labels_;
  engine::ReturnOptions returns_;
  bool timings_ = false;
  bool is_foreground_ = false;  // its priority is not BULK
  int items_ = 0;
  int64_t code_points_ = 0;
  // The model that the call uses; nullptr if languages are detected. In that case composite_ is the
  // job, which holds the models of its items, and detected_ has the language of each item.
  // composite_ is shared because the jobs of its parts own it too.
  ModelPtr served_;
  std::shared_ptr<CompositeJob> composite_;
  std::vector<DetectedItem> detected_;

  CallTrace trace_;

  // Written by the engine's thread that reports the items. Conclude reads them.
  std::atomic<int64_t> source_tokens_{0};
  std::atomic<int64_t> target_tokens_{0};
  std::atomic<int> failed_items_{0};

  // Used only by the engine's calls, which do not overlap.
  ItemOutcomes outcomes_;

  engine::Mutex mu_;
  engine::JobId job_ ABSL_GUARDED_BY(mu_) = 0;
  bool admitted_ ABSL_GUARDED_BY(mu_) = false;
  bool cancel_sent_ ABSL_GUARDED_BY(mu_) = false;
  bool concluded_ ABSL_GUARDED_BY(mu_) = false;
  DeadlineTimer::Id deadline_timer_ ABSL_GUARDED_BY(mu_) = DeadlineTimer::kNone;
  uint64_t key_watch_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace dragoman::server
