// A translation, whatever transport carries it: from its request to a job in the engine, its names,
// its deadline, its end, its log line and its metrics. The answer is made by unary_translation.h
// and stream_translation.h.
//
// Owned by its transport (until that is done with it) and by the engine, as the job's sink (until
// the job ends); timers hold it weakly. The transport is borrowed, see call_transport.h.
// Thread-safe where not said otherwise. No lock is held while the transport, the engine or the log
// is called.
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
#include "server/call/call_context.h"
#include "server/call/call_trace.h"
#include "server/call/call_tracker.h"
#include "server/call/call_transport.h"
#include "server/call/detected_jobs.h"
#include "server/call/request_parser.h"
#include "server/call/response_builder.h"
#include "server/models/joint_job.h"
#include "server/models/served_model.h"
#include "server/observe/metrics.h"

namespace dragoman::server {

class TranslationCall : public engine::TranslationSink,
                        public std::enable_shared_from_this<TranslationCall> {
 public:
  ~TranslationCall() override = default;
  TranslationCall(const TranslationCall&) = delete;
  TranslationCall& operator=(const TranslationCall&) = delete;

  // The request is here: admits it, or ends the call with the errors that were found in it.
  void HandleRequest(ParsedRequest parsed);
  // There will be no request: ends the call with this status. Names and metrics are as ever.
  void HandleNoRequest(absl::Status status);

  // The client is gone, or its deadline has passed: ends the call, unless it has ended, and the job
  // with it. The call's own timer knows the deadline; a transport may hear of it earlier.
  void Cancel();
  void Expire();

 protected:
  // `context` outlives the call. REQUIRES: made with make_shared.
  TranslationCall(const CallContext* context, RpcMethod method, CallHead head,
                  CallTransport* transport);

  // Ends the call early with this status, unless it has ended.
  virtual void End(absl::Status status) = 0;

  // Tells the engine that it need not go on: the client is gone, reads nothing, or is out of time.
  // Only the first cause reaches the engine.
  void CancelJob(engine::CancelCause cause);

  // Ends the call, once: stops the deadline, writes metrics and the log line, and finishes the
  // transport.
  void Conclude(absl::Status status);

  // Record the call's spans: the times of the job, from OnDone, and each part of the answer as it
  // was sent.
  void NoteTimings(const engine::JobTimings& timings) { trace_.Timed(timings); }
  void NoteSent(engine::Nanos begin);

  // The message of an item's result, with what was detected of it.
  v1::Translation Build(engine::ItemResult result) const;

  // Counts an item, for the log line and for the call's status. Called from OnItem only.
  void CountItem(const engine::ItemResult& result);
  // The status of the call after its job has ended with `job`: the items' own, if all of them
  // failed with the same code. Called from OnDone only.
  absl::Status StatusAfter(const absl::Status& job) const;

  const CallContext& context() const { return *context_; }
  RpcMethod method() const { return method_; }
  engine::Nanos started() const { return head_.started; }
  Api api() const { return head_.api; }

  // These are known in OnSegment, OnItem and OnDone.
  const std::string& request_id() const { return request_id_; }
  // The label model of metrics.
  const std::string& metrics_model() const { return metrics_model_; }
  const engine::ReturnOptions& returns() const { return returns_; }
  bool want_timings() const { return timings_; }

 private:
  void ReadNames(ParsedRequest* parsed);
  absl::Status Admit(ParsedRequest parsed);
  // Both find the models, take the client's rate and submit; the second, after the items' languages
  // were detected, a JointJob.
  engine::Admission SubmitWhole(const std::vector<ModelPtr>& models, ParsedRequest parsed);
  engine::Admission SubmitItems(std::vector<ModelPtr> models, ParsedRequest parsed);
  // The client of the call's key; nullptr: it needs none.
  Client* client() const { return head_.grant == nullptr ? nullptr : &head_.grant->client(); }
  void ArmDeadline();
  void WatchKey();
  // The call's key was revoked.
  void Revoke();

  const CallTracker::Ticket ticket_;
  const CallContext* const context_;
  const RpcMethod method_;
  const CallHead head_;
  CallTransport* const transport_;

  // Written by HandleRequest before the job is submitted, constant afterwards.
  std::string request_id_;
  std::string model_;          // of several models their names by commas
  std::string metrics_model_;  // the label model of metrics
  std::vector<std::pair<std::string, std::string>> labels_;
  engine::ReturnOptions returns_;
  bool timings_ = false;
  int items_ = 0;
  int64_t code_points_ = 0;
  // The version that the call began with; or, where languages are detected, the job that holds
  // those of its items, and what was found of each. Shared because its parts' jobs are its owners.
  ModelPtr served_;
  std::shared_ptr<JointJob> joint_;
  std::vector<DetectedItem> detected_;

  CallTrace trace_;

  // Used by the engine's thread that reports the items, and by Conclude.
  std::atomic<int64_t> source_tokens_{0};
  std::atomic<int64_t> target_tokens_{0};
  std::atomic<int> failed_items_{0};

  // Touched by the engine's calls only, which do not overlap.
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
