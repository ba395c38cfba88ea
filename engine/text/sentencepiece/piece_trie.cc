#include "engine/text/sentencepiece/piece_trie.h"

#include <algorithm>

namespace dragoman::engine {

PieceTrie::PieceTrie(std::vector<std::pair<std::string_view, int32_t>> pieces) {
  std::sort(pieces.begin(), pieces.end());
  // Makes the nodes breadth first, so that the edges of a node are adjacent. pending[i] describes
  // node i: pieces[begin, end) are the pieces that begin with the `depth` bytes that lead to the
  // node. The pieces are sorted.
  struct Pending {
    size_t begin;
    size_t end;
    size_t depth;
  };
  std::vector<Pending> pending = {{0, pieces.size(), 0}};
  nodes_.emplace_back();
  for (size_t node = 0; node < pending.size(); ++node) {
    auto [begin, end, depth] = pending[node];
    if (begin < end && pieces[begin].first.size() == depth) {
      nodes_[node].value = pieces[begin].second;
      ++begin;
    }
    nodes_[node].first_edge = static_cast<int32_t>(labels_.size());
    while (begin < end) {
      const char label = pieces[begin].first[depth];
      size_t next = begin;
      while (next < end && pieces[next].first[depth] == label) ++next;
      labels_.push_back(static_cast<unsigned char>(label));
      targets_.push_back(static_cast<int32_t>(nodes_.size()));
      ++nodes_[node].edges;
      nodes_.emplace_back();
      pending.push_back({begin, next, depth + 1});
      begin = next;
    }
  }
  from_root_.fill(kNone);
  for (int32_t edge = 0; edge < nodes_[0].edges; ++edge) {
    from_root_[labels_[static_cast<size_t>(edge)]] = targets_[static_cast<size_t>(edge)];
  }
}

size_t PieceTrie::LongestPrefix(std::string_view text) const {
  size_t longest = 0;
  int32_t node = root();
  for (size_t i = 0; i < text.size(); ++i) {
    node = Next(node, text[i]);
    if (node == kNone) break;
    if (Value(node) != kNone) longest = i + 1;
  }
  return longest;
}

}  // namespace dragoman::engine
