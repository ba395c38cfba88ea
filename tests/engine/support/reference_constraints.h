// Reference: the state of required phrases and the two allocations of a constrained beam
// (SEARCH.md d.1, d.2). Values, copied whole.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

// d.1: the phrases still needed, and the partial match. A phrase that is required twice is listed
// twice. `gates` has one for each phrase, or none. REQUIRES: no phrase is empty.
class ReferenceConstraints {
 public:
  explicit ReferenceConstraints(const std::vector<TokenList>& phrases,
                                ReferenceWordEdges edges = {},
                                const std::vector<ReferenceGate>& gates = {});

  // `source` is the source position that the row of `token` is aligned with.
  void Advance(int32_t token, int32_t source = ReferenceGate::kAnyPosition);
  // Reports whether the next token, if it continues a word, would revoke a completed phrase or
  // prevent a completion (d.2.2 iv).
  bool ends_in_word() const;

  // The number of tokens of the completed phrases and of the partial match.
  int32_t bank() const;
  bool finished() const;
  // Returns the tokens that make progress (d.2.2 ii) in a row that is aligned with `source`,
  // ascending. At kAnyPosition, returns the tokens that would make progress if all gates were
  // always open.
  TokenList Allowed(int32_t source = ReferenceGate::kAnyPosition) const;

 private:
  struct Needed {
    TokenList tokens;
    ReferenceGate gate;

    auto operator<=>(const Needed&) const = default;
  };

  bool IsNeeded(const TokenList& tokens) const;
  // Reports whether a needed phrase starts with these tokens and is longer.
  bool IsLongerNeeded(const TokenList& tokens) const;
  // Completes one of the needed phrases with these tokens and returns it: one whose gate was open
  // where the path began, if there is one.
  Needed Complete(const TokenList& phrase);
  // `longer` is a path and a token that does not continue the path.
  void MatchAgain(const TokenList& longer, int32_t source);

  std::vector<Needed> needed_;  // ascending
  ReferenceWordEdges edges_;
  int32_t completed_tokens_ = 0;
  TokenList path_;
  int32_t path_source_ = ReferenceGate::kAnyPosition;  // where the latest path began
  int32_t last_ = -1;                                  // the latest token
  Needed ended_;                                       // the phrase that last_ completed
};

// d.2.4 "banks": the slots of the banks 0..C of a beam of k. REQUIRES: one count for each bank.
std::vector<int32_t> BankSlots(int32_t k, const std::vector<int32_t>& candidate_counts);

struct BankedCandidate {
  int32_t bank;
  double score;
};
// d.2.4 "stripe": indices of the chosen candidates in order of choice. Ties: the earlier one.
std::vector<size_t> StripeSelect(int32_t k, const std::vector<BankedCandidate>& candidates);

}  // namespace dragoman::testing
