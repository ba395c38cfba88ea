// A trie over bytes that finds the pieces at the beginning of a text.
//
// Thread-safety: const after construction. Owns its memory: 12 bytes per node and 5 per edge.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::engine {

class PieceTrie {
 public:
  static constexpr int32_t kNone = -1;

  PieceTrie() : PieceTrie(std::vector<std::pair<std::string_view, int32_t>>{}) {}
  // `pieces` has pairs of a piece and its value. REQUIRES: no two pieces are equal, no piece is
  // empty, and values are >= 0.
  explicit PieceTrie(std::vector<std::pair<std::string_view, int32_t>> pieces);

  static constexpr int32_t root() { return 0; }

  // Returns the child of `node` for `byte`, or kNone if it has no such child.
  int32_t Next(int32_t node, char byte) const {
    const auto label = static_cast<unsigned char>(byte);
    if (node == root()) return from_root_[label];
    const Node& n = nodes_[static_cast<size_t>(node)];
    if (n.edges == 0) return kNone;
    const unsigned char* const labels = labels_.data();
    const void* const found =
        std::memchr(labels + n.first_edge, label, static_cast<size_t>(n.edges));
    if (found == nullptr) return kNone;
    return targets_[static_cast<size_t>(static_cast<const unsigned char*>(found) - labels)];
  }

  // Returns the value of the piece that ends at `node`, or kNone.
  int32_t Value(int32_t node) const { return nodes_[static_cast<size_t>(node)].value; }

  // Returns the size of the longest piece that `text` starts with, or 0.
  size_t LongestPrefix(std::string_view text) const;

  bool empty() const { return nodes_.size() == 1; }

 private:
  struct Node {
    int32_t first_edge = 0;
    int32_t edges = 0;
    int32_t value = kNone;
  };

  std::vector<Node> nodes_;
  std::vector<unsigned char> labels_;  // by edge; a node's edges are adjacent and ascending
  std::vector<int32_t> targets_;
  // The root's children, indexed by byte, because it has many edges.
  std::array<int32_t, 256> from_root_;
};

}  // namespace dragoman::engine
