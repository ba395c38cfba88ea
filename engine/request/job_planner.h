// Turns a request into the segments of its items: cuts and tokenizes texts, turns phrases and terms
// into tokens, and makes the search of each segment. An error in one item fails that item only.
//
// Used once, by one tokenizer thread. Borrows all arguments.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "engine/model/formats/lexical_shortlist.h"
#include "engine/request/forbidden_phrases.h"
#include "engine/request/item_plan.h"
#include "engine/request/request_phrases.h"
#include "engine/request/search_settings.h"
#include "engine/request/text_stage.h"

namespace dragoman::engine {

// The facts of the engine that the planner needs.
struct PlannerFacts {
  const Tokenizer* tokenizer = nullptr;
  TextStage* text = nullptr;
  int32_t start_token = 0;
  const LexicalShortlist* shortlist = nullptr;  // nullptr: an output may contain every word
  const WordEdgeTable* word_edges = nullptr;  // nullptr: pieces do not mark the beginnings of words
  int64_t self_pages = 0;                     // pages of KV cache; no search may need more
};

// The facts of the request that the planner needs. Its languages and terms are resolved.
struct PlannerRequest {
  TextStage::Request text;
  std::shared_ptr<const RequestTerms> terms;
  bool target_uses_spaces = true;
  std::optional<int32_t> first_token;  // begins every output, before its prefix, at log-prob 0
  std::optional<int32_t> start_token;  // of the search, instead of the model's
  // The stem of sentinels that the model copies between these languages; "" if none is known.
  std::string sentinel;
};

class JobPlanner {
 public:
  JobPlanner(const TranslationJob* job, const SearchSettings* settings,
             const PlannerRequest* request, const PlannerFacts* facts)
      : job_(job), settings_(settings), request_(request), facts_(facts) {}

  // Returns one plan for each item.
  std::vector<ItemPlan> Plan();

 private:
  // Turns the phrases of the request into tokens. Every item fails with an error of it.
  absl::Status Prepare();
  absl::Status PlanItem(size_t item, ItemPlan& plan);
  // Returns advice for the error of an item that must be one segment. REQUIRES: it has several.
  std::string HowToHaveOneSegment(const ItemPlan& plan) const;
  // Cuts a text and adds its segments to the plan.
  absl::Status AddText(std::string_view text, int64_t run, bool one_segment,
                       const NamedPhrase& prefix, ItemPlan& plan);
  // Returns the words that a segment may produce: the shortlist's and those that the request needs.
  std::vector<int32_t> WordsOf(const SegmentPlan& segment, const std::vector<NamedPhrase>& required,
                               std::span<const Sentinel> sentinels) const;
  // A piece as the model reads it.
  struct ReadPiece {
    EncodedText encoded;  // without text tokens if the piece is left as it is
    std::vector<Sentinel> sentinels;
    std::vector<SentinelTokens> sentinel_tokens;
    int unknown = 0;  // runs of characters that the vocabulary lacks and no sentinel replaces
    bool unreadable = false;  // left as it is, because the model reads no letter of it
  };
  ReadPiece Read(std::string_view piece) const;
  absl::StatusOr<SegmentPlan> PlanSegment(std::string_view text, TextRange range, ReadPiece piece,
                                          const NamedPhrase& prefix);
  // Returns the search of a segment that reads `source` and must contain `phrases`.
  absl::StatusOr<SegmentPlan> PlanSearch(EncodedText source, SegmentPhrases phrases,
                                         std::span<const Sentinel> sentinels,
                                         const NamedPhrase& prefix);
  void SetBeam(SegmentPlan& segment) const;

  const TranslationJob* const job_;
  const SearchSettings* const settings_;
  const PlannerRequest* const request_;
  const PlannerFacts* const facts_;
  std::unique_ptr<RequestPhrases> phrases_;
  std::unique_ptr<ForbiddenPhrases> forbidden_;
  int segments_ = 0;  // planned so far; the index of the next segment in the request
};

}  // namespace dragoman::engine
