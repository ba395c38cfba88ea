// The operations that the host has put on the device's streams, and when they happen.
//
// An operation happens after those before it on its stream and after the events that the stream waits for, and no call
// but a wait for it says when. So DRAGOMAN_PTX_ORDER has three choices, each of which is legal:
//
//   now      (without it) when it is put there, if what it needs has happened: so nothing overlaps, but for the kernels
//            of a graph, which come all at once
//   late     not before the host waits for it, and only what that wait needs
//   random   a few operations of any streams at every call, by DRAGOMAN_PTX_SEED
//
// Kernels that may begin early (programmatic stream serialisation) run together with the ones before them where those
// are there as well: DRAGOMAN_PTX_EARLY is earliest (without it), random or latest (launch.h).
//
// Two operations that nothing orders race, whichever way they ran: clocks by stream say what is ordered. A wait of the
// host orders what it waited for before every later call of every thread: threads of the host are taken to order
// themselves. The host's own accesses to memory that it shares with the device are not seen.
//
// Not thread-safe: the device's mutex is held. REQUIRES of all operations: they do not throw.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/gpu/ptx/launch.h"
#include "tests/gpu/ptx/memory.h"
#include "tests/gpu/ptx/vector_clock.h"

namespace dragoman::ptx {

// How far each stream had come, by the stream's number.
using StreamClock = std::map<uint32_t, uint64_t>;

// A kernel with copies of its arguments.
struct HeldLaunch {
  const Kernel* kernel = nullptr;
  int device = 0;
  Grid grid;
  std::vector<std::vector<uint8_t>> arguments;
  LaunchOptions options;
};

// The work of an operation. Copied into graphs and out of them.
struct Work {
  std::string name;                          // "a copy"
  std::shared_ptr<const HeldLaunch> launch;  // a kernel; or nullptr
  bool early = false;                        // of a kernel: may begin while the one before it runs
  std::function<void()> act;                 // of anything else
  bool is_skipped = false;                   // it comes and goes, and does nothing
};

// A place in a stream's order.
struct StreamPlace {
  uint32_t stream = 0;
  uint64_t number = 0;  // 0: before everything
};

class StreamOrder {
 public:
  enum class When : uint8_t { kNow, kLate, kRandom };

  // Runs kernels: those of a chain together. `before` asks for each what it knows of others.
  using RunKernels = std::function<void(const std::vector<const HeldLaunch*>& chain,
                                        EarlyStart start, ChainOrder& order)>;

  StreamOrder(When when, EarlyStart early, uint64_t seed, DeviceMemory& memory, RunKernels run);

  uint32_t NewStream();
  // Its operations still happen.
  void DropStream(uint32_t stream);
  bool HasStream(uint32_t stream) const;

  void Put(uint32_t stream, std::vector<Work> works);
  // Everything that is on the stream now.
  StreamPlace PlaceOf(uint32_t stream) const;
  // Later work of the stream comes after the place, and after what that came after.
  void PutWait(uint32_t stream, const StreamPlace& place, const StreamClock& clock);
  StreamClock ClockOf(uint32_t stream) const;

  bool HasHappened(const StreamPlace& place) const;
  // The host waits: for a place, for all streams.
  void Wait(const StreamPlace& place, const StreamClock& clock);
  void WaitForAll();
  // Somebody asks, and does not wait: something of what is needed happens.
  void Advance(const StreamPlace& place);

  // While `act` runs: the clock of the agent whose accesses those of the operation are.
  const VectorClock& agent() const { return agent_; }
  std::string NameOf(uint32_t agent) const;

 private:
  struct Operation {
    Work work;
    uint64_t number = 0;
    StreamPlace after;  // of a wait
    bool waits = false;
    StreamClock before;  // what it is ordered after
    StreamClock host;    // and what of it the host had waited for
  };
  struct Stream {
    std::deque<Operation> queue;
    StreamClock clock;  // of what comes next
    uint64_t last = 0;  // number put
    uint64_t done = 0;
    // Whether a kernel ran last, and what those that begin early after it know without a wait.
    bool after_kernel = false;
    StreamClock base;
    bool dropped = false;
  };
  struct Record {
    uint32_t first = 0;  // agents
    uint32_t end = 0;
    StreamPlace place;
    std::string name;
  };
  class Order;

  static void Join(StreamClock* clock, const StreamClock& other);
  static bool Covers(const StreamClock& clock, const StreamPlace& place);

  bool IsReady(const Stream& stream) const;
  // The stream's next operation, with those that may begin early after it.
  void RunNext(uint32_t stream);
  void RunUntil(const StreamPlace& place);
  void RunSome();
  void RunAll();
  // An operation begins: its agents, and what they know, at once or after a wait.
  OtherOperations Begin(const StreamClock& before, const StreamClock& after_wait,
                        const StreamPlace& place, const std::string& name, uint32_t agents);
  // Forgets what everybody knows.
  void Forget();
  void Erase(uint32_t stream);

  const When when_;
  const EarlyStart early_;
  std::mt19937_64 random_;
  DeviceMemory& memory_;
  const RunKernels run_;
  std::map<uint32_t, Stream> streams_;
  uint32_t next_stream_ = 0;
  StreamClock host_;  // what the host has waited for
  StreamClock gone_;  // the streams that were dropped, until the host waits for all
  std::deque<Record> records_;
  uint32_t next_agent_ = 1;
  OtherOperations others_;
  VectorClock agent_;
};

}  // namespace dragoman::ptx
