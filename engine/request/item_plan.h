// Defines ItemPlan, the plan of one item: its segments, and how each is searched. An item is one
// text of a request. JobPlanner makes the plan, and Job carries it out.
//
// Plain values, constant once made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/decode/phrase_tables.h"
#include "engine/request/target_text.h"
#include "engine/text/markup/markup.h"
#include "engine/text/text_range.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

struct SegmentPlan {
  int64_t run = 0;              // number of the text run (engine/text/markup/markup.h); 0: plain
  TextRange range;              // the segment's place in the run's text; if plain, in the item
  std::vector<int32_t> source;  // all source tokens: language tag, prompt, text, EOS
  // The place of each source token's text without white space, counted from range.begin. A token
  // without text has the place of the next token with text. Such tokens are a lone word mark, and
  // each byte piece of a character except the last one. Tags, prompt and EOS have no place. Empty
  // if no alignment was requested.
  std::vector<std::optional<TextRange>> source_places;
  kernels::SearchOptions search;
  std::vector<int32_t> prefix;
  // The only tokens that the translation may contain, ascending; empty: all.
  std::vector<int32_t> words;
  ConstraintTable constraints;
  std::shared_ptr<const ForbiddenTable> forbidden;  // most segments of a request share one
  std::vector<int32_t> source_ids;                  // SegmentRules::source
  TargetText target_text;
  int narrow = 0;   // number of constraint tokens if the beam is too narrow for them; else 0
  int unknown = 0;  // number of runs of characters that the vocabulary lacks
  std::vector<std::string> placeholders;  // of the segment, if the request preserves them
  // The source tokens that form sentinels (sentinels.h), and the text that each sentinel stands
  // for.
  std::vector<std::pair<SentinelTokens, std::string>> kept;
  // The search to use if the translation is probably wrong; nullopt: none.
  std::optional<kernels::SearchOptions> safer;
  // The phrases that a translation must contain to be returned, if this plan has no constraints for
  // them.
  ConstraintTable expected;
  // The plan to search next if a translation lacks phrases; nullptr: none. It has the same source.
  std::unique_ptr<SegmentPlan> if_unmet;
  // The plan of this segment with constraints in place of sentinels. It is searched if a
  // translation does not have each sentinel exactly once. nullptr: the segment has no sentinels, no
  // search can meet the constraints, or the request asks for sampling.
  std::unique_ptr<SegmentPlan> if_lost;
};

struct ItemPlan {
  absl::Status status;  // if not OK, the item fails with it; the other members are unused
  std::unique_ptr<const MarkupDocument> markup;  // nullptr: plain text
  std::vector<SegmentPlan> segments;
  bool cut = false;  // a text was split because it was too long for the model
  // The number of pieces that are copied because the model can read none of their letters.
  int unreadable = 0;
  // All placeholders of the item, if the request preserves them.
  std::vector<std::string> preserved;
  // The item has nothing to translate (only white space, say), so the phrases that the request
  // requires are missing in the result.
  bool unmet = false;
};

}  // namespace dragoman::engine
