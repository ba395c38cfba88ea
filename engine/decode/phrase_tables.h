// Tables of required and forbidden phrases. The beam search reads them through the views of
// kernels/search/constraints.h and kernels/search/forbidden.h. A phrase is a sequence of target
// token ids.
//
// Plain values. Immutable once made; then any thread may read them.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "kernels/search/constraints.h"
#include "kernels/search/forbidden.h"

namespace dragoman::engine {

class WordEdgeTable {
 public:
  // Makes the table of a target vocabulary of `vocabulary` tokens. No token is marked yet, so each
  // token is a word of its own.
  explicit WordEdgeTable(int32_t vocabulary);

  // MarkContinues says that `token` begins inside a word, so it may continue the word before it.
  // MarkOpen says that `token` ends inside a word, so the next token may continue this word.
  // REQUIRES: `token` is in the vocabulary.
  void MarkContinues(int32_t token) { Mark(continues_, token); }
  void MarkOpen(int32_t token) { Mark(open_, token); }

  // A view into this object.
  kernels::WordEdges edges() const {
    return {continues_.data(), open_.data(), static_cast<int32_t>(open_.size())};
  }

 private:
  static void Mark(std::vector<uint32_t>& bits, int32_t token) {
    bits[static_cast<size_t>(token) / 32] |= uint32_t{1} << (token % 32);
  }

  std::vector<uint32_t> continues_, open_;
};

// A required phrase, and the source positions [begin, end) that it may translate: its gate
// (SEARCH.md d.7).
struct GatedPhrase {
  std::vector<int32_t> tokens;
  int32_t begin = 0;
  int32_t end = 0;

  auto operator<=>(const GatedPhrase&) const = default;
};

class ConstraintTable {
 public:
  ConstraintTable() = default;
  // Makes the table of the required phrases of a segment. `phrases` may have any order and
  // duplicates. With `edges`, a phrase counts as met only if it begins and ends at word boundaries.
  // `edges` is borrowed for the life of the table and of its copies. REQUIRES: no phrase is empty;
  // all phrases together have at most kMaxConstraintTokens tokens.
  explicit ConstraintTable(std::vector<std::vector<int32_t>> phrases,
                           const WordEdgeTable* edges = nullptr);
  // The same; if `gated`, each phrase has its gate.
  ConstraintTable(std::vector<GatedPhrase> phrases, bool gated, const WordEdgeTable* edges);

  bool empty() const { return begin_.size() <= 1; }
  int total() const { return static_cast<int>(tokens_.size()); }
  // A view into this object.
  kernels::ConstraintSet set() const {
    if (empty()) return {};
    return {tokens_.data(), begin_.data(), static_cast<int32_t>(begin_.size()) - 1,
            edges_ == nullptr ? kernels::WordEdges() : edges_->edges(),
            gates_.empty() ? nullptr : gates_.data()};
  }

 private:
  std::vector<int32_t> tokens_;
  std::vector<int32_t> begin_;
  std::vector<int32_t> gates_;
  const WordEdgeTable* edges_ = nullptr;
};

class ForbiddenTable {
 public:
  ForbiddenTable() = default;
  // Makes the automaton that finds the forbidden phrases of a segment. `phrases` may have any order
  // and duplicates. `excluded` are single tokens that the search never produces and that the
  // softmax leaves out. REQUIRES: no phrase is empty.
  explicit ForbiddenTable(const std::vector<std::vector<int32_t>>& phrases,
                          std::vector<int32_t> excluded = {});

  // Returns the number of nodes of the automaton, including the root.
  int64_t nodes() const { return static_cast<int64_t>(fail_.size()); }
  // A view into this object.
  kernels::ForbiddenAutomaton automaton() const;
  kernels::IdList excluded() const {
    return {excluded_.data(), static_cast<int32_t>(excluded_.size())};
  }

 private:
  std::vector<int32_t> edge_begin_, edge_token_, edge_node_, fail_;
  std::vector<uint8_t> edge_ends_;
  std::vector<int32_t> always_, excluded_;
};

}  // namespace dragoman::engine
