// A segment's rules as one block of 32-bit words, to be copied to where the search runs.
//
//   header   counts (RulesImageCounts)
//   then     divisors, prefix, constraint tokens, their beginnings, the bits of their word edges,
//            the automaton's edge beginnings, edge tokens, edge nodes, failure links, `always`,
//            excluded ids, ids of the source
//   last     one byte for each edge: whether it ends a phrase
//
// The host writes an image; RulesFrom makes views into its words. It contains no pointers, so it
// needs only an alignment of 4 bytes. It contains floats and bytes too, so copy words with
// CopyWord.
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
  int32_t word_edges = 0;  // of WordEdges
  int32_t nodes = 0;
  int32_t edges = 0;
  int32_t always = 0;
  int32_t excluded = 0;
  int32_t source = 0;
  static constexpr int32_t kWords = 10;
};

// The most ids that a search may exclude.
inline constexpr int32_t kMaxExcludedIds = 16;

// Returns the words of the largest image for a segment of up to max_tokens and this target
// vocabulary, by the published limits (options.h). REQUIRES: a source has at most max_tokens + 1
// tokens.
int64_t MaxRulesImageWords(int32_t max_tokens, int32_t vocabulary);

// Returns the words of the image of `rules` for a segment of up to max_tokens.
int64_t RulesImageWords(const SegmentRules& rules, int32_t max_tokens);

// Writes the image. words [RulesImageWords].
void WriteRulesImage(const SegmentRules& rules, int32_t max_tokens, int32_t* words);

// Copies a word of any type. On the host a memcpy, because a compiler may take an assignment for
// one of integers. On a device an assignment, because nvcc copies single bytes if it does not know
// the alignment; no kernel reads as a float a word that it has copied itself.
DRAGOMAN_HD inline void CopyWord(int32_t* to, const int32_t* from) {
#if defined(__CUDA_ARCH__)
  *to = *from;
#else
  std::memcpy(to, from, sizeof(int32_t));
#endif
}

DRAGOMAN_HD inline SegmentRules RulesFrom(const int32_t* words) {
  const RulesImageCounts counts{words[0], words[1], words[2], words[3], words[4],
                                words[5], words[6], words[7], words[8], words[9]};
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
