// The operations that the host has put on the device's streams, and when they happen.
//
// An operation happens after those before it on its stream, and after the events for which the
// stream waits. Nothing but a wait for the operation says when it happens. So DRAGOMAN_PTX_ORDER
// has three choices, all of which are legal:
//
//   now      (default) at once, if what the operation needs has happened. So nothing overlaps,
//            except the kernels of a graph, which are put there together
//   late     only when the host waits for it, and only what that wait needs
//   random   at every call, a few operations of random streams, by DRAGOMAN_PTX_SEED
//
// Kernels that may begin early (programmatic stream serialization) run together with the kernels
// before them, if those are still queued. DRAGOMAN_PTX_EARLY is earliest (default), random or
// latest (launch.h).
//
// Two operations that nothing orders race, no matter in which order they ran: a clock for each
// stream tells what is ordered. A wait of the host orders what it waited for before every later
// call of any thread, since host threads are assumed to synchronise with each other. The host's own
// accesses to shared memory are not observed.
//
// Not thread-safe: the caller holds the device's mutex. REQUIRES: operations do not throw.
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

// The number of operations that had happened on each stream, by the stream's number.
using StreamClock = std::map<uint32_t, uint64_t>;

// A kernel with copies of its arguments.
struct HeldLaunch {
  const Kernel* kernel = nullptr;
  int device = 0;
  Grid grid;
  std::vector<std::vector<uint8_t>> arguments;
  LaunchOptions options;
};

// The work of an operation. Graphs hold copies of it.
struct Work {
  std::string name;                          // "a copy"
  std::shared_ptr<const HeldLaunch> launch;  // a kernel; or nullptr
  bool early = false;                        // of a kernel: may begin while the one before it runs
  std::function<void()> act;                 // the work of any other operation
  bool is_skipped = false;                   // counts as an operation but does nothing
};

// A place in a stream's order.
struct StreamPlace {
  uint32_t stream = 0;
  uint64_t number = 0;  // 0: before everything
};

class StreamOrder {
 public:
  enum class When : uint8_t { kNow, kLate, kRandom };

  // Runs the kernels of a chain together. `order` tells what each kernel knows of other operations.
  using RunKernels = std::function<void(const std::vector<const HeldLaunch*>& chain,
                                        EarlyStart start, ChainOrder& order)>;

  StreamOrder(When when, EarlyStart early, uint64_t seed, DeviceMemory& memory, RunKernels run);

  uint32_t NewStream();
  // The operations on the stream still happen.
  void DropStream(uint32_t stream);
  bool HasStream(uint32_t stream) const;

  void Put(uint32_t stream, std::vector<Work> works);
  // Returns the place after everything that is on the stream now.
  StreamPlace PlaceOf(uint32_t stream) const;
  // Orders later work of the stream after the place, and after what the place was ordered after
  // (`clock`).
  void PutWait(uint32_t stream, const StreamPlace& place, const StreamClock& clock);
  StreamClock ClockOf(uint32_t stream) const;

  bool HasHappened(const StreamPlace& place) const;
  // The host waits: for a place, or for all streams.
  void Wait(const StreamPlace& place, const StreamClock& clock);
  void WaitForAll();
  // The host asks without waiting: some operation that the place needs happens.
  void Advance(const StreamPlace& place);

  // While `act` runs: the clock of the agent that makes the operation's accesses.
  const VectorClock& agent() const { return agent_; }
  std::string NameOf(uint32_t agent) const;

 private:
  struct Operation {
    Work work;
    uint64_t number = 0;
    StreamPlace after;  // the place for which a wait operation waits
    bool waits = false;
    StreamClock before;  // what the operation is ordered after
    StreamClock host;    // the part of it for which the host had waited
  };
  struct Stream {
    std::deque<Operation> queue;
    StreamClock clock;  // for the next operation
    uint64_t last = 0;  // number put
    uint64_t done = 0;
    // Whether the last operation was a kernel, and what a kernel that begins early after it knows
    // without a wait.
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
  // Runs the stream's next operation, together with the ones after it that may begin early.
  void RunNext(uint32_t stream);
  void RunUntil(const StreamPlace& place);
  void RunSome();
  void RunAll();
  // Begins an operation. Gives it agents, and what they know at once and after a wait.
  OtherOperations Begin(const StreamClock& before, const StreamClock& after_wait,
                        const StreamPlace& place, const std::string& name, uint32_t agents);
  // Forgets the operations that every agent knows.
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
  StreamClock gone_;  // clocks of streams that were dropped, until the host waits for all
  std::deque<Record> records_;
  uint32_t next_agent_ = 1;
  OtherOperations others_;
  VectorClock agent_;
};

}  // namespace dragoman::ptx
