// A capacity that clients share so that none of them shuts out the others: who holds how much of
// it, and whether a client may have more.
//
// The more a client holds, the more it must leave free: with `free` what is left once it has what
// it asks for, it may hold
//
//     kPartScale * share * free * free / capacity.
//
// This is a dynamic threshold (Choudhury & Hahne 1998): it needs no count of the clients that there
// are or may come, and it falls for all as the capacity fills. Theirs is linear in `free`; with the
// square many large holders leave more room together. Clients of share 1 that take all they can:
//
//     clients             1     2     5    10    20   100
//     each holds        78 %  42 %  18 %  9.2 %  4.7 %  1.0 %
//     is left free      22 %  16 %  11 %  7.6 %  5.4 %  2.5 %
//
// A client of share 16 alone may hold 94 %. A client without anything takes k units as long as
// sqrt(k * capacity / (kPartScale * share)) stay free: of 4,096, 16 for the first unit.
//
// Any amount fits while no client holds anything, or what is larger than a client's largest part would
// never fit. For the others a client never counts for more than that part (what it would have
// alone): so the room for them is there whatever one client holds.
//
// Not thread-safe: the owner locks around it. Amounts are in any unit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

namespace dragoman::engine {

// The number by which a capacity and the queues know a client.
inline uint64_t ClientNumber(const std::string& client) { return std::hash<std::string>{}(client); }

class SharedCapacity {
 public:
  static constexpr double kPartScale = 16;

  explicit SharedCapacity(int64_t capacity) : capacity_(capacity) {}

  // Whether `client` may have `amount` more.
  bool Fits(uint64_t client, int share, int64_t amount) const;

  // Whether a client that holds nothing may: if so, and Fits said no, it is the client's own holding
  // that stands in the way.
  bool FitsAnother(int share, int64_t amount) const { return Fits(Holding{}, share, amount); }

  // It has it, whether it fits or not. The last share counts.
  void Take(uint64_t client, int share, int64_t amount);

  // It gives it back. REQUIRES: it holds as much.
  void Give(uint64_t client, int64_t amount);

  // The most that a client of this share holds when it is alone.
  int64_t LargestPart(int share) const;

  int64_t capacity() const { return capacity_; }
  int64_t held() const { return held_; }  // by all
  int64_t held(uint64_t client) const;

 private:
  struct Holding {
    int64_t amount = 0;
    int64_t largest_part = 0;
  };
  static int64_t Counted(const Holding& holding);
  bool Fits(const Holding& own, int share, int64_t amount) const;

  const int64_t capacity_;
  int64_t held_ = 0;
  int64_t counted_ = 0;  // the same, but of each client its largest part at most
  std::unordered_map<uint64_t, Holding> holdings_;  // none is 0
};

}  // namespace dragoman::engine
