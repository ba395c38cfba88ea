// What a unary and a streaming translation have in common: from the bytes of the request to a job
// in the engine, its names, its deadline, its log line and its metrics.
//
// A call is owned by gRPC's reactor (until OnDone) and by the engine's sink (until the job ends);
// timers hold it weakly. Thread-safe where not said otherwise. No lock is held while gRPC, the
// engine or the log is called.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "server/grpc/call_reactor.h"

namespace dragoman {

class TranslationCall : public CallReactor {
 public:
  // The engine's events, as TranslationSink has them.
  virtual void HandleSegment(SegmentUpdate update) = 0;
  virtual void HandleItem(ItemResult result) = 0;
  virtual void HandleJobDone(const absl::Status& status, const JobTimings& timings) = 0;

 protected:
  TranslationCall(const ServiceContext* service, grpc::CallbackServerContext* rpc,
                  RpcMethod method);

  // Ends the call early with this status, unless it has ended.
  virtual void End(absl::Status status) = 0;

  // Parses and admits, or ends the call with what is wrong.
  void HandleRequest(const grpc::ByteBuffer& request) final;
  void HandleNoRequest(absl::Status status) final;
  void HandleCancel() final;

  // The client is gone, takes nothing, or is out of time: the engine need not go on. The engine
  // hears of the first cause only.
  void CancelJob(CancelCause cause);

  // Right before Finish: stops the deadline, writes trailing metadata, metrics and the log line.
  // Returns the status as it is to be finished with. Once.
  grpc::Status Conclude(absl::Status status);

  // Counts an item for the log line. Calls do not overlap (the engine's promise).
  void CountItem(const ItemResult& result);

  const std::string& request_id() const { return request_id_; }
  const std::string& model() const { return model_; }
  const ReturnOptions& returns() const { return returns_; }
  bool want_timings() const { return timings_; }
  int items() const { return items_; }

 private:
  void ReadNames(ParsedRequest* parsed);
  absl::Status Admit(ParsedRequest parsed);
  void ArmDeadline();
  void Expire();

  const RpcMethod method_;

  // Written by HandleRequest before the job is submitted, constant afterwards.
  std::string request_id_;
  std::string trace_id_;
  std::string model_;
  std::vector<std::pair<std::string, std::string>> labels_;
  ReturnOptions returns_;
  bool timings_ = false;
  int items_ = 0;
  int64_t code_points_ = 0;
  Engine* engine_ = nullptr;

  // By the engine's thread that reports the items, and Conclude.
  std::atomic<int64_t> source_tokens_{0};
  std::atomic<int64_t> target_tokens_{0};
  std::atomic<int> failed_items_{0};

  Mutex mu_;
  JobId job_ ABSL_GUARDED_BY(mu_) = 0;
  bool admitted_ ABSL_GUARDED_BY(mu_) = false;
  bool cancel_sent_ ABSL_GUARDED_BY(mu_) = false;
  bool concluded_ ABSL_GUARDED_BY(mu_) = false;
  DeadlineTimer::Id deadline_timer_ ABSL_GUARDED_BY(mu_) = DeadlineTimer::kNone;
};

}  // namespace dragoman
