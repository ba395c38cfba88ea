// Turns a request into the segments of its items: cuts and tokenizes texts, turns phrases and terms
// into tokens, and sets the search options of each segment. An error in one item fails that item
// only.
//
// A JobPlanner plans one job, on one tokenizer thread. Borrows all arguments of its constructor.
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
  const LexicalShortlist* shortlist = nullptr;  // nullptr: a translation may contain any token
  const WordEdgeTable* word_edges = nullptr;    // nullptr: tokens do not show where words begin
  int64_t self_pages = 0;  // the self pages of a worker; no search may need more
};

// The facts of the request that the planner needs. Its languages and terms are resolved.
struct PlannerRequest {
  TextStage::Request text;
  std::string target_language;
  std::shared_ptr<const RequestTerms> terms;
  bool target_uses_spaces = true;
  // The token with which every translation begins, before a forced prefix. It adds 0 to the
  // log-prob.
  std::optional<int32_t> first_token;
  std::optional<int32_t> start_token;  // replaces the model's decoder start token
  // The stem of the sentinels (sentinels.h) that the model copies to this target language; "": the
  // model copies none.
  std::string sentinel;
  bool preserve = false;  // placeholders are copied
  bool recase = false;    // text in capitals is translated in lower case
  // How a translation that is probably wrong is searched again; nullopt: it is not.
  std::optional<SearchSettings> safer;
};

class JobPlanner {
 public:
  JobPlanner(const TranslationJob* job, const SearchSettings* settings,
             const PlannerRequest* request, const PlannerFacts* facts)
      : job_(job), settings_(settings), request_(request), facts_(facts) {}

  // Returns one plan for each item.
  std::vector<ItemPlan> Plan();

 private:
  // Turns the phrases of the request into tokens. If it returns an error, every item fails with it.
  absl::Status Prepare();
  absl::Status PlanItem(size_t item, ItemPlan& plan);
  // Plans the scoring of the item's given translation (SEARCH.md a.9).
  absl::Status PlanScoring(size_t item, ItemPlan& plan);
  // Returns the advice for the error message of an item that must have one segment. REQUIRES: the
  // item has several segments.
  std::string HowToHaveOneSegment(const ItemPlan& plan) const;
  // Cuts the text of an item, or one text run of an HTML item, into segments and adds them to the
  // plan.
  absl::Status AddText(std::string_view text, int64_t run, bool one_segment,
                       const NamedPhrase& prefix, ItemPlan& plan);
  // Returns the tokens that a segment may produce: those of the shortlist, those that the request
  // requires, and EOS.
  std::vector<int32_t> WordsOf(const SegmentPlan& segment, const std::vector<NamedPhrase>& required,
                               std::span<const Sentinel> sentinels) const;
  // A piece of text as the model reads it.
  struct ReadPiece {
    EncodedText encoded;  // has no text tokens if the piece is not translated
    std::vector<Sentinel> sentinels;
    std::vector<SentinelTokens> sentinel_tokens;
    // The number of runs of characters that the vocabulary lacks and no sentinel replaces.
    int unknown = 0;
    bool in_capitals = false;  // read in lower case; the translation is put in capitals
    bool unreadable = false;   // not translated, because the model can read none of its letters
  };
  // Returns the parts of a text that are copied, in order and without overlap: do_not_translate
  // phrases, and placeholders if sentinels can stand for them.
  std::vector<KeptPart> FindKept(std::string_view text) const;
  ReadPiece Read(std::string_view piece) const;
  absl::StatusOr<SegmentPlan> PlanSegment(std::string_view text, TextRange range, ReadPiece piece,
                                          const NamedPhrase& prefix);
  // Returns the plan of a segment with this text, which is tokenized as `source`. Its translation
  // must contain `phrases`. If terms are aligned (SEARCH.md d.7), the plan is a search without
  // constraints, followed by PlanConstrained.
  absl::StatusOr<SegmentPlan> PlanSearches(std::string_view text, const EncodedText& source,
                                           SegmentPhrases phrases,
                                           std::span<const Sentinel> sentinels,
                                           const NamedPhrase& prefix);
  // Returns the plan of a search with constraints. If terms are aligned, it is a search with gates,
  // followed by one without.
  absl::StatusOr<SegmentPlan> PlanConstrained(std::string_view text, const EncodedText& source,
                                              SegmentPhrases phrases,
                                              std::span<const Sentinel> sentinels,
                                              const NamedPhrase& prefix);
  // Returns the plan of one search.
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
  int segments_ = 0;  // segments planned so far, which is the number of the next one
};

}  // namespace dragoman::engine
