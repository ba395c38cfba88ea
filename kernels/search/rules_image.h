// A segment's rules as one block of 32-bit words, to be copied to where the search runs.
//
//   header   counts (RulesImageCounts)
//   then     divisors; prefix; required phrases: tokens, beginnings, the bits of WordEdges, gates;
//            automaton of forbidden phrases: edge beginnings, edge tokens, edge nodes, failure
//            links, `always`; excluded ids; ids of the source
//   last     for each edge of the automaton one byte: whether it ends a phrase
//
// The host writes an image, and RulesFrom makes views into its words. An image contains no
// pointers, so it can be copied, and it needs an alignment of 4 bytes only. It contains floats and
// bytes in addition to integers, so words must be copied with CopyWord.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/host_device.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

struct RulesImageCounts {
  int32_t divisors = 0;
  int32_t prefix = 0;
  int32_t phrases = 0;
  int32_t phrase_tokens = 0;
  int32_t word_edges = 0;  // length of each bitmap of WordEdges
  int32_t nodes = 0;
  int32_t edges = 0;
  int32_t always = 0;
  int32_t excluded = 0;
  int32_t source = 0;
  int32_t gates = 0;
  static constexpr int32_t kWords = 11;
};

// The largest number of ids that a search may exclude (SegmentRules::excluded).
inline constexpr int32_t kMaxExcludedIds = 16;

// Returns the number of words of the largest image that the limits in options.h allow, for outputs
// of up to max_tokens real tokens and a target vocabulary of `vocabulary` tokens. REQUIRES: a
// source has at most max_tokens + 1 tokens.
int64_t MaxRulesImageWords(int32_t max_tokens, int32_t vocabulary);

// Returns the number of words of the image of `rules` for an output of up to max_tokens real
// tokens.
int64_t RulesImageWords(const SegmentRules& rules, int32_t max_tokens);

// Writes the image of `rules` to `words`, which has room for RulesImageWords(rules, max_tokens)
// words.
void WriteRulesImage(const SegmentRules& rules, int32_t max_tokens, int32_t* words);

// Copies a word of any type. The host uses memcpy, because with an assignment of integers a
// compiler may assume that the word is not a float. A device uses an assignment, because nvcc
// implements a memcpy of unknown alignment by single bytes. That is safe, because no kernel reads
// as a float a word that it has copied itself.
DRAGOMAN_HD inline void CopyWord(int32_t* to, const int32_t* from) {
#if defined(__CUDA_ARCH__)
  *to = *from;
#else
  std::memcpy(to, from, sizeof(int32_t));
#endif
}

DRAGOMAN_HD inline SegmentRules RulesFrom(const int32_t* words) {
  const RulesImageCounts counts{words[0], words[1], words[2], words[3], words[4], words[5],
                                words[6], words[7], words[8], words[9], words[10]};
  const int32_t* at = words + RulesImageCounts::kWords;
  const auto take = [&at](int32_t count) {
    const int32_t* from = at;
    at += count;
    return from;
  };
  SegmentRules rules;
  rules.divisor = reinterpret_cast<const float*>(take(counts.divisors));
  rules.prefix = take(counts.prefix);
  rules.prefix_length = counts.prefix;
  if (counts.phrases > 0) {
    rules.constraints.tokens = take(counts.phrase_tokens);
    rules.constraints.begin = take(counts.phrases + 1);
    rules.constraints.phrases = counts.phrases;
    WordEdges& edges = rules.constraints.edges;
    edges.continues = reinterpret_cast<const uint32_t*>(take(counts.word_edges));
    edges.open = reinterpret_cast<const uint32_t*>(take(counts.word_edges));
    edges.words = counts.word_edges;
    if (counts.gates > 0) rules.constraints.gates = take(counts.gates);
  }
  if (counts.nodes > 0) {
    rules.forbidden.edge_begin = take(counts.nodes + 1);
    rules.forbidden.edge_token = take(counts.edges);
    rules.forbidden.edge_node = take(counts.edges);
    rules.forbidden.fail = take(counts.nodes);
    rules.forbidden.nodes = counts.nodes;
  }
  rules.forbidden.always = {take(counts.always), counts.always};
  rules.excluded = {take(counts.excluded), counts.excluded};
  rules.source = {take(counts.source), counts.source};
  if (counts.nodes > 0) rules.forbidden.edge_ends = reinterpret_cast<const uint8_t*>(at);
  return rules;
}

}  // namespace dragoman::kernels
