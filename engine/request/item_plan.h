// An item of a request, cut into segments. JobPlanner makes it, Job carries it out.
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
#include "engine/text/html/html.h"
#include "engine/text/text_range.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

struct SegmentPlan {
  int64_t run = 0;              // run of the HTML document
  TextRange range;              // in the run's text, or in the item
  std::vector<int32_t> source;  // tag, text, EOS
  // The text of each source token, without white space, counted from range.begin. A token without
  // text (a lone word mark, all except the last byte piece of a character) stands for that of the
  // next token with text. Tag and EOS stand for nothing. Empty if no alignment is wanted.
  std::vector<std::optional<TextRange>> source_places;
  kernels::SearchOptions search;
  std::vector<int32_t> prefix;
  std::vector<int32_t> words;  // the only words it may produce, ascending; empty: all words
  ConstraintTable constraints;
  std::shared_ptr<const ForbiddenTable> forbidden;  // most segments of a request share one
  std::vector<int32_t> source_ids;                  // SegmentRules::source
  TargetText target_text;
  int narrow = 0;   // number of constraint tokens if the beam is not larger; else 0
  int unknown = 0;  // runs of source characters that the vocabulary lacks
  // The source tokens that stand for kept texts, with these texts.
  std::vector<std::pair<SentinelTokens, std::string>> kept;
  // The segment with constraints instead of sentinels, searched if a translation does not have each
  // sentinel exactly once. nullptr: no sentinels, or no search can meet the constraints.
  std::unique_ptr<SegmentPlan> constrained;
};

struct ItemPlan {
  absl::Status status;  // if not OK, the item fails with it and the other members do not count
  std::unique_ptr<const HtmlDocument> html;
  std::vector<SegmentPlan> segments;
  bool cut = false;    // a segment is a part of a piece that was too long for the model
  int unreadable = 0;  // pieces left untranslated because the vocabulary lacks all their letters
  // The item has nothing to translate (only white space, say), but phrases are required of it.
  bool unmet = false;
};

}  // namespace dragoman::engine
