// What all translations of the daemon share, whatever carries them.
#pragma once

#include <atomic>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/clock.h"
#include "server/base/deadline_timer.h"
#include "server/call/call_tracker.h"
#include "server/call/request_parser.h"
#include "server/metrics/metrics.h"
#include "server/trace/span.h"

namespace dragoman {

// The models that are served, by name; the first is the default. Engines are borrowed and outlive
// the calls. Constant once calls come in.
class ModelTable {
 public:
  void Add(Engine* engine) { engines_.push_back(engine); }
  bool empty() const { return engines_.empty(); }
  const std::vector<Engine*>& engines() const { return engines_; }

  // "" is the default; nullptr if there is none of this name.
  Engine* Find(std::string_view name) const {
    for (Engine* engine : engines_) {
      if (name.empty() || engine->info().name == name) return engine;
    }
    return nullptr;
  }

 private:
  std::vector<Engine*> engines_;
};

// Everything is borrowed and outlives the calls.
struct CallContext {
  const Clock* clock = nullptr;
  DeadlineTimer* timer = nullptr;
  Metrics* metrics = nullptr;
  CallTracker* tracker = nullptr;
  ModelTable models;
  RequestLimits limits;
  Nanos longest_call = 0;                       // where the client brings no deadline
  Nanos write_timeout = 0;                      // for a client that takes nothing
  const std::atomic<bool>* draining = nullptr;  // nullptr: never
  SpanSink* spans = nullptr;                    // nullptr: nobody wants them
};

}  // namespace dragoman
