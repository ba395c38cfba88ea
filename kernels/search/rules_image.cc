#include "kernels/search/rules_image.h"

namespace dragoman::kernels {
namespace {

static_assert(sizeof(RulesImageCounts) == RulesImageCounts::kWords * sizeof(int32_t));

RulesImageCounts Counts(const SegmentRules& rules, int32_t max_tokens) {
  RulesImageCounts counts;
  counts.divisors = max_tokens + 2;
  counts.prefix = rules.prefix_length;
  counts.phrases = rules.constraints.phrases;
  counts.phrase_tokens = rules.constraints.total();
  counts.word_edges = counts.phrases > 0 ? rules.constraints.edges.words : 0;
  counts.nodes = rules.forbidden.nodes;
  counts.edges = counts.nodes > 0 ? rules.forbidden.edge_begin[counts.nodes] : 0;
  counts.always = rules.forbidden.always.count;
  counts.excluded = rules.excluded.count;
  counts.source = rules.source.count;
  counts.gates = rules.constraints.gated() ? 2 * counts.phrases : 0;
  return counts;
}

int64_t WordsOf(const RulesImageCounts& counts) {
  int64_t words = RulesImageCounts::kWords + int64_t{counts.divisors} + counts.prefix +
                  counts.always + counts.excluded + counts.source;
  if (counts.phrases > 0) words += int64_t{counts.phrase_tokens} + counts.phrases + 1;
  words += 2 * int64_t{counts.word_edges} + counts.gates;
  if (counts.nodes > 0) {
    words += 2 * int64_t{counts.nodes} + 1 + 2 * int64_t{counts.edges} + (counts.edges + 3) / 4;
  }
  return words;
}

}  // namespace

int64_t RulesImageWords(const SegmentRules& rules, int32_t max_tokens) {
  return WordsOf(Counts(rules, max_tokens));
}

int64_t MaxRulesImageWords(int32_t max_tokens, int32_t vocabulary) {
  RulesImageCounts counts;
  counts.divisors = max_tokens + 2;
  counts.prefix = max_tokens;
  counts.phrases = kMaxConstraintTokens;
  counts.phrase_tokens = kMaxConstraintTokens;
  counts.word_edges = (vocabulary + 31) / 32;
  counts.nodes = kMaxForbiddenNodes;
  counts.edges = kMaxForbiddenNodes - 1;
  counts.always = kMaxForbiddenNodes - 1;
  counts.excluded = kMaxExcludedIds;
  counts.source = max_tokens + 1;
  counts.gates = 2 * kMaxConstraintTokens;
  return WordsOf(counts);
}

void WriteRulesImage(const SegmentRules& rules, int32_t max_tokens, int32_t* words) {
  const RulesImageCounts counts = Counts(rules, max_tokens);
  std::memcpy(words, &counts, sizeof(counts));
  int32_t* at = words + RulesImageCounts::kWords;
  const auto put = [&at](const void* from, int32_t count) {
    if (count > 0) std::memcpy(at, from, static_cast<size_t>(count) * sizeof(int32_t));
    at += count;
  };
  put(rules.divisor, counts.divisors);
  put(rules.prefix, counts.prefix);
  if (counts.phrases > 0) {
    put(rules.constraints.tokens, counts.phrase_tokens);
    put(rules.constraints.begin, counts.phrases + 1);
    put(rules.constraints.edges.continues, counts.word_edges);
    put(rules.constraints.edges.open, counts.word_edges);
    put(rules.constraints.gates, counts.gates);
  }
  const ForbiddenAutomaton& forbidden = rules.forbidden;
  if (counts.nodes > 0) {
    put(forbidden.edge_begin, counts.nodes + 1);
    put(forbidden.edge_token, counts.edges);
    put(forbidden.edge_node, counts.edges);
    put(forbidden.fail, counts.nodes);
  }
  put(forbidden.always.ids, counts.always);
  put(rules.excluded.ids, counts.excluded);
  put(rules.source.ids, counts.source);
  if (counts.nodes > 0) {
    const auto bytes = static_cast<size_t>((counts.edges + 3) / 4) * sizeof(int32_t);
    std::memset(at, 0, bytes);
    std::memcpy(at, forbidden.edge_ends, static_cast<size_t>(counts.edges));
  }
}

}  // namespace dragoman::kernels
