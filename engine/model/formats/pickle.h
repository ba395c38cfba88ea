// Reads Python pickles without executing anything: parses the stream into a tree of plain values.
//
// A call (REDUCE) becomes a node with the callable and the arguments. A reference to an object
// outside the pickle (persistent id), such as a tensor's storage, becomes a node too. Accepts only
// the opcodes that torch.save writes and the globals that the caller lists, and refuses all others
// by name. Work and memory are linear in the size of the stream. Nothing recurses.
//
// Immutable, so any thread may read. Borrows the parsed bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::engine {

using PickleId = uint32_t;  // index of a node

struct PickleNode {
  // The comment of a kind names the members of the node that have its value.
  enum class Kind {
    kNone,
    kBool,    // number
    kInt,     // number
    kBigInt,  // beyond 64 bits; text: its little-endian bytes
    kFloat,   // the value is not stored, because no caller needs it
    kString,  // text
    kGlobal,  // text: "module.name"
    kTuple,   // items
    kList,    // items
    kDict,    // items: key, value, key, value, ...
    // Items: callable, arguments, then key, value, ... of each entry that SETITEMS adds.
    kCall,
    kPersistent,  // items: the id
  };
  Kind kind = Kind::kNone;
  int64_t number = 0;
  std::string_view text;
  std::vector<PickleId> items;
};

struct Pickle {
  std::vector<PickleNode> nodes;  // by PickleId
  PickleId root_id = 0;
  size_t bytes_used = 0;  // size of the pickle, including STOP

  const PickleNode& node(PickleId id) const { return nodes[id]; }
  const PickleNode& root() const { return nodes[root_id]; }
};

// Reads one pickle from the start of `bytes`. `globals` are the names of the Python classes and
// functions that the pickle may refer to ("collections.OrderedDict"). Returns INVALID_ARGUMENT,
// which names `file`, the byte and the fault.
absl::StatusOr<Pickle> ParsePickle(std::span<const uint8_t> bytes, std::string_view file,
                                   std::span<const std::string_view> globals);

// Returns a name for messages: "a string", "a call of collections.OrderedDict".
std::string_view PickleKindName(PickleNode::Kind kind);

}  // namespace dragoman::engine
