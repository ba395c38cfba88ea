// The parts of the daemon that all translations share, over every transport.
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/base/clock.h"
#include "server/base/deadline_timer.h"
#include "server/call/call_tracker.h"
#include "server/call/detect/language_detector.h"
#include "server/call/request_parser.h"
#include "server/call/request_readers.h"
#include "server/models/model_table.h"
#include "server/observe/metrics.h"
#include "server/observe/span.h"

namespace dragoman::server {

class JobStore;  // server/call/jobs/job_store.h

// Everything is borrowed and outlives the calls.
struct CallContext {
  const engine::Clock* clock = nullptr;
  DeadlineTimer* timer = nullptr;
  Metrics* metrics = nullptr;
  CallTracker* tracker = nullptr;
  const ModelTable* models = nullptr;
  RequestReaders* readers = nullptr;  // nullptr: transports read requests themselves
  RequestLimits limits;
  engine::Nanos longest_call = 0;   // the deadline of a call if the client sets none
  engine::Nanos write_timeout = 0;  // how long a client may read nothing before it is cut off
  // If true, new jobs are refused, except the second jobs of pivots. nullptr: always false.
  const std::atomic<bool>* draining = nullptr;
  bool is_draining() const { return draining != nullptr && draining->load(); }
  // Counts the code points of the texts of all successful calls. nullptr: not counted.
  std::atomic<int64_t>* translated = nullptr;
  SpanSink* spans = nullptr;                   // nullptr: no spans are recorded
  const LanguageDetector* detector = nullptr;  // nullptr: no language is detected
  JobStore* jobs = nullptr;                    // nullptr: no jobs are taken
};

}  // namespace dragoman::server
