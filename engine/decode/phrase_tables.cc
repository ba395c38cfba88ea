#include "engine/decode/phrase_tables.h"

#include <algorithm>
#include <map>
#include <utility>

namespace dragoman::engine {
namespace {

void MakeSet(std::vector<int32_t>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::vector<GatedPhrase> WithoutGates(std::vector<std::vector<int32_t>> phrases) {
  std::vector<GatedPhrase> gated;
  for (std::vector<int32_t>& phrase : phrases) gated.push_back({std::move(phrase), 0, 0});
  return gated;
}

}  // namespace

WordEdgeTable::WordEdgeTable(int32_t vocabulary)
    : continues_((static_cast<size_t>(vocabulary) + 31) / 32), open_(continues_.size()) {}

ConstraintTable::ConstraintTable(std::vector<std::vector<int32_t>> phrases,
                                 const WordEdgeTable* edges)
    : ConstraintTable(WithoutGates(std::move(phrases)), false, edges) {}

ConstraintTable::ConstraintTable(std::vector<GatedPhrase> phrases, bool gated,
                                 const WordEdgeTable* edges)
    : edges_(edges) {
  std::sort(phrases.begin(), phrases.end());
  begin_.push_back(0);
  for (const GatedPhrase& phrase : phrases) {
    tokens_.insert(tokens_.end(), phrase.tokens.begin(), phrase.tokens.end());
    begin_.push_back(static_cast<int32_t>(tokens_.size()));
    if (gated) gates_.insert(gates_.end(), {phrase.begin, phrase.end});
  }
}

ForbiddenTable::ForbiddenTable(const std::vector<std::vector<int32_t>>& phrases,
                               std::vector<int32_t> excluded)
    : excluded_(std::move(excluded)) {
  struct Node {
    std::map<int32_t, size_t> edges;
    bool ends = false;
    size_t fail = 0;
  };
  std::vector<Node> trie(1);
  for (const std::vector<int32_t>& phrase : phrases) {
    if (phrase.size() == 1) always_.push_back(phrase.front());
    size_t at = 0;
    for (const int32_t token : phrase) {
      const auto [edge, added] = trie[at].edges.try_emplace(token, trie.size());
      const size_t next = edge->second;
      if (added) trie.emplace_back();
      at = next;
    }
    trie[at].ends = true;
  }
  MakeSet(always_);
  MakeSet(excluded_);

  // Computes the failure links breadth first, because the link of a node points to a node that is
  // nearer to the root.
  std::vector<size_t> order{0};
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t node = order[i];
    for (const auto& [token, child] : trie[node].edges) {
      order.push_back(child);
      if (node == 0) continue;
      size_t suffix = trie[node].fail;
      while (suffix != 0 && trie[suffix].edges.count(token) == 0) suffix = trie[suffix].fail;
      const auto edge = trie[suffix].edges.find(token);
      if (edge != trie[suffix].edges.end()) trie[child].fail = edge->second;
    }
  }
  edge_begin_.push_back(0);
  for (const Node& node : trie) {
    for (const auto& [token, child] : node.edges) {
      edge_token_.push_back(token);
      edge_node_.push_back(static_cast<int32_t>(child));
      edge_ends_.push_back(trie[child].ends ? 1 : 0);
    }
    edge_begin_.push_back(static_cast<int32_t>(edge_token_.size()));
    fail_.push_back(static_cast<int32_t>(node.fail));
  }
}

kernels::ForbiddenAutomaton ForbiddenTable::automaton() const {
  kernels::ForbiddenAutomaton a;
  a.always = {always_.data(), static_cast<int32_t>(always_.size())};
  // If every phrase is a single token, `always_` contains all of them, and the search needs no
  // automaton.
  if (fail_.size() <= always_.size() + 1) return a;
  a.edge_begin = edge_begin_.data();
  a.edge_token = edge_token_.data();
  a.edge_node = edge_node_.data();
  a.edge_ends = edge_ends_.data();
  a.fail = fail_.data();
  a.nodes = static_cast<int32_t>(fail_.size());
  return a;
}

}  // namespace dragoman::engine
