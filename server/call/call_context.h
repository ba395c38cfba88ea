// The parts of the daemon that all translations share, whatever transport carries them.
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

// Everything is borrowed and outlives the calls.
struct CallContext {
  const engine::Clock* clock = nullptr;
  DeadlineTimer* timer = nullptr;
  Metrics* metrics = nullptr;
  CallTracker* tracker = nullptr;
  const ModelTable* models = nullptr;
  RequestReaders* readers = nullptr;  // nullptr: transports read all requests themselves
  RequestLimits limits;
  engine::Nanos longest_call = 0;   // of a call whose client sets no deadline
  engine::Nanos write_timeout = 0;  // until a client that reads nothing is cut off
  // New jobs are refused from then on; those between two models of a pivot go on. nullptr: never.
  const std::atomic<bool>* draining = nullptr;
  // Code points of the texts of all calls that have succeeded. nullptr: they are not counted.
  std::atomic<int64_t>* translated = nullptr;
  SpanSink* spans = nullptr;                   // nullptr: none are recorded
  const LanguageDetector* detector = nullptr;  // nullptr: no language is detected
};

}  // namespace dragoman::server
