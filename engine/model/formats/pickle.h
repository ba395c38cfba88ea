// Reader of Python pickles that executes nothing: it turns the stream into a tree of plain values.
//
// A call (REDUCE) stays a node that names what would be called and with what; an object from
// outside (persistent id) stays a node too. Only the opcodes that torch.save writes and the globals
// that the caller lists are accepted; everything else is refused by its name. Work and memory are
// linear in the size of the stream, nothing recurses.
//
// Immutable, so any thread may read. Borrows the bytes it was parsed from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::engine {

using PickleId = uint32_t;  // a node of Pickle

struct PickleNode {
  enum class Kind {
    kNone,
    kBool,        // number
    kInt,         // number
    kBigInt,      // an integer beyond 64 bits; text: its little-endian bytes
    kFloat,       // not kept: no caller needs one
    kString,      // text
    kGlobal,      // text: "module.name"
    kTuple,       // items
    kList,        // items
    kDict,        // items: key, value, key, value, ...
    kCall,        // items: callable, arguments; then what SETITEMS added: key, value, ...
    kPersistent,  // items: the id
  };
  Kind kind = Kind::kNone;
  int64_t number = 0;
  std::string_view text;
  std::vector<PickleId> items;
};

class Pickle {
 public:
  const PickleNode& node(PickleId id) const { return nodes_[id]; }
  const PickleNode& root() const { return nodes_[root_]; }
  size_t node_count() const { return nodes_.size(); }
  size_t bytes_used() const { return bytes_used_; }  // up to and with STOP

 private:
  friend class PickleParser;
  std::vector<PickleNode> nodes_;
  PickleId root_ = 0;
  size_t bytes_used_ = 0;
};

// Reads one pickle from the start of `bytes`; more may follow it. `globals` are the names that may
// appear ("collections.OrderedDict"). INVALID_ARGUMENT names `file`, the byte and what is wrong.
absl::StatusOr<Pickle> ParsePickle(std::span<const uint8_t> bytes, std::string_view file,
                                   std::span<const std::string_view> globals);

// "a string", "a call of collections.OrderedDict": for messages.
std::string_view PickleKindName(PickleNode::Kind kind);

}  // namespace dragoman::engine
