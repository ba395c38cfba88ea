// An item of a request, cut into the texts that are translated one by one, with all that their
// searches need: made by JobPlanner, carried out by Job.
//
// Values; constant once made.
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
#include "engine/text/html/html.h"
#include "engine/text/text_range.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

struct SegmentPlan {
  int64_t run = 0;              // of the HTML document
  TextRange range;              // in the run's text, or in the item
  std::vector<int32_t> source;  // tag, text, EOS
  // The text that each source token stands for, without white space, from range.begin. A token
  // without text of its own (a lone word mark, all but the last of a character's byte pieces)
  // stands for the next one that has; tag and EOS for nothing. Empty when no alignment is wanted.
  std::vector<std::optional<TextRange>> source_places;
  kernels::SearchOptions search;
  std::vector<int32_t> prefix;
  std::vector<int32_t> words;  // the only ones that it may produce, ascending; none: all
  ConstraintTable constraints;
  std::shared_ptr<const ForbiddenTable> forbidden;  // mostly shared by the segments of a request
  std::vector<int32_t> source_ids;                  // SegmentRules::source
  TargetText target_text;
  int narrow = 0;   // constraint tokens, where the beam has fewer than one place more; else 0
  int unknown = 0;  // runs of characters in the source that the vocabulary lacks
  // Tokens of the source that stand for kept texts, with these.
  std::vector<std::pair<SentinelTokens, std::string>> kept;
  // The segment with constraints in the place of its sentinels. It is searched where a translation does
  // not have each sentinel once. nullptr: there are no sentinels, or no search can meet the constraints.
  std::unique_ptr<SegmentPlan> constrained;
};

struct ItemPlan {
  absl::Status status;  // not OK: the item fails with it, and nothing below holds
  std::unique_ptr<const HtmlDocument> html;
  std::vector<SegmentPlan> segments;
  bool cut = false;    // a segment is a part of a piece that was too long for the model
  int unreadable = 0;  // pieces that are not translated: the vocabulary has none of their letters
  // Nothing in it needs translation (white space alone, say), though phrases were required of it.
  bool unmet = false;
};

}  // namespace dragoman::engine
