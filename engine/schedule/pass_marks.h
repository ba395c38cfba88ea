// Tells the decode loop of a worker which of its steps had a pass of the worker's encoder beside them.
//
// The encoder's thread marks its passes, the loop's asks; thread-safe for one of each.
#pragma once

#include <atomic>
#include <cstdint>

namespace dragoman {

class PassMarks {
 public:
  void Begin() { begun_.fetch_add(1); }
  void End() { ended_.fetch_add(1); }

  // The passes that have ended so far: taken before a step, for AnySince after it.
  int64_t ended() const { return ended_.load(); }
  // Whether a pass was running at any time since then: it had begun by now and had not ended then.
  bool AnySince(int64_t ended) const { return begun_.load() > ended; }

 private:
  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> ended_{0};
};

}  // namespace dragoman
