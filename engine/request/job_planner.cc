#include "engine/request/job_planner.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/field_error.h"
#include "engine/request/alignment.h"
#include "engine/request/source_rules.h"
#include "kernels/search/plan.h"

namespace dragoman {
namespace {

// The first of the options that need the item to be one segment; no field when there is none.
FieldError NeedsOneSegment(const TranslationJob& job, const SearchSettings& settings,
                           const NamedPhrase& prefix) {
  FieldError error;
  error.expected = "an item of one segment";
  error.predicate = "needs an item of one segment";
  if (settings.alternatives_asked && settings.search.num_alternatives > 1) {
    error.field = "decoding.num_alternatives";
    error.predicate = "above 1 needs an item of one segment";
  } else if (!job.decoding.required_phrases.empty()) {
    error.field = "decoding.required_phrases";
  } else if (!prefix.tokens.empty()) {
    error.field = prefix.field;
  } else if (job.returns.alignment) {
    error.field = "return_options.alignment";
  }
  return error;
}

}  // namespace

std::string JobPlanner::HowToHaveOneSegment(const ItemPlan& plan) const {
  if (plan.cut) {
    return absl::StrCat("the text is longer than the ", facts_->text->max_source_tokens(),
                        " tokens that the model takes at once; shorten it");
  }
  if (plan.segments.front().run != plan.segments.back().run)
    return "send each paragraph of the HTML as an item of its own";
  return "set segmentation.split to NONE, or leave it unset";
}

std::vector<ItemPlan> JobPlanner::Plan() {
  std::vector<ItemPlan> plans(job_->contents.size());
  const absl::Status prepared = Prepare();
  for (size_t i = 0; i < plans.size(); ++i) {
    const int first = segments_;
    absl::Status status = prepared.ok() ? PlanItem(i, plans[i]) : prepared;
    if (status.ok()) continue;
    plans[i] = {};
    plans[i].status = std::move(status);
    segments_ = first;
  }
  return plans;
}

absl::Status JobPlanner::Prepare() {
  absl::StatusOr<RequestPhrases> phrases = RequestPhrases::Create(
      job_, request_->terms,
      {facts_->tokenizer, facts_->start_token, request_->target_uses_spaces});
  if (!phrases.ok()) return phrases.status();
  phrases_ = std::make_unique<RequestPhrases>(*std::move(phrases));
  absl::StatusOr<ForbiddenPhrases> forbidden =
      ForbiddenPhrases::Create(job_->decoding.forbidden_phrases, settings_->forbidden,
                               settings_->excluded, *facts_->tokenizer);
  if (!forbidden.ok()) return forbidden.status();
  forbidden_ = std::make_unique<ForbiddenPhrases>(*std::move(forbidden));
  return absl::OkStatus();
}

absl::Status JobPlanner::PlanItem(size_t item, ItemPlan& plan) {
  const absl::StatusOr<NamedPhrase> prefix = phrases_->Prefix(item);
  if (!prefix.ok()) return prefix.status();
  FieldError needs = NeedsOneSegment(*job_, *settings_, *prefix);
  const bool needs_one = !needs.field.empty();
  const std::string& text = job_->contents[item];
  if (job_->html) {
    absl::StatusOr<HtmlDocument> document = HtmlDocument::Parse(text);
    if (!document.ok()) return document.status();
    plan.html = std::make_unique<const HtmlDocument>(*std::move(document));
    for (int64_t run = 0; run < plan.html->runs(); ++run) {
      absl::Status status = AddText(plan.html->text(run), run, needs_one, *prefix, plan);
      if (!status.ok()) return status;
    }
  } else {
    absl::Status status = AddText(text, 0, needs_one, *prefix, plan);
    if (!status.ok()) return status;
  }
  if (needs_one && plan.segments.size() > 1) {
    needs.found = absl::StrCat(plan.segments.size(), " segments");
    absl::StrAppend(&needs.predicate, ", found ", plan.segments.size(), ": ",
                    HowToHaveOneSegment(plan));
    return InvalidRequest(std::move(needs));
  }
  // The model's own number of alternatives is for items that stay whole.
  if (plan.segments.size() > 1) {
    for (SegmentPlan& segment : plan.segments) WantOneHypothesis(&segment.search);
  }
  plan.unmet = plan.segments.empty() &&
               (!job_->decoding.required_phrases.empty() || !prefix->tokens.empty());
  return absl::OkStatus();
}

absl::Status JobPlanner::AddText(std::string_view text, int64_t run, bool one_segment,
                                 const NamedPhrase& prefix, ItemPlan& plan) {
  absl::StatusOr<std::vector<EncodedPiece>> pieces =
      facts_->text->Cut(text, request_->text, one_segment);
  if (!pieces.ok()) return pieces.status();
  for (EncodedPiece& piece : *pieces) {
    const std::string_view own = piece.range.In(text);
    plan.cut = plan.cut || piece.cut;
    absl::StatusOr<SegmentPlan> segment = PlanSegment(own, std::move(piece), prefix);
    if (!segment.ok()) return segment.status();
    segment->run = run;
    plan.segments.push_back(*std::move(segment));
  }
  return absl::OkStatus();
}

std::vector<int32_t> JobPlanner::WordsOf(const SegmentPlan& segment,
                                         const std::vector<NamedPhrase>& required) const {
  const SearchOptions& search = segment.search;
  std::vector<int32_t> wanted{search.eos};
  wanted.insert(wanted.end(), search.more_eos, search.more_eos + search.more_eos_count);
  wanted.insert(wanted.end(), segment.prefix.begin(), segment.prefix.end());
  for (const NamedPhrase& phrase : required) {
    wanted.insert(wanted.end(), phrase.tokens.begin(), phrase.tokens.end());
  }
  return facts_->shortlist->WordsFor(segment.source, wanted);
}

absl::StatusOr<SegmentPlan> JobPlanner::PlanSegment(std::string_view text, EncodedPiece piece,
                                                    const NamedPhrase& prefix) {
  absl::StatusOr<SegmentPhrases> phrases = phrases_->Find(text);
  if (!phrases.ok()) return phrases.status();

  SegmentPlan segment;
  segment.range = piece.range;
  if (settings_->search.align) {
    segment.source_places = SourcePlaces(text, piece.encoded);
  }
  segment.source = std::move(piece.encoded.ids);
  const auto tokens = static_cast<int>(piece.encoded.text_end - piece.encoded.text_begin);
  segment.search = SearchForSegment(*settings_, tokens, !phrases->required.empty(), segments_);
  const int64_t worst = WorstCasePages(segment.search.beam, segment.search.max_tokens);
  if (worst > facts_->self_pages) {
    FieldError error;
    error.field = "decoding.beam_size";
    error.found = absl::StrCat(segment.search.beam, " with up to ", segment.search.max_tokens,
                               " output tokens, which may need ", worst, " pages of K/V memory");
    error.expected = absl::StrCat("at most the ", facts_->self_pages,
                                  " pages that the server has (its kv-memory-mb)");
    return InvalidRequest(std::move(error));
  }
  if (request_->start_token.has_value()) segment.search.start_token = *request_->start_token;
  NamedPhrase beginning = prefix;
  if (request_->first_token.has_value()) {
    if (beginning.tokens.empty()) beginning.name = "the token of the target language";
    beginning.tokens.insert(beginning.tokens.begin(), *request_->first_token);
    segment.search.free_prefix = 1;
  } else if (beginning.tokens.empty() && settings_->forced_bos.has_value()) {
    beginning.name = "the model's forced_bos_token_id";
    beginning.tokens = {*settings_->forced_bos};
    segment.search.free_prefix = 1;
  }
  segment.prefix = beginning.tokens;
  const WordEdgeTable* const edges = request_->target_uses_spaces ? facts_->word_edges : nullptr;
  segment.search.word_edges = edges != nullptr && !phrases->required.empty();
  absl::StatusOr<ConstraintTable> constraints =
      MakeConstraints(phrases->required, beginning, segment.search, edges);
  if (!constraints.ok()) return constraints.status();
  segment.constraints = *std::move(constraints);
  if (facts_->shortlist != nullptr) segment.words = WordsOf(segment, phrases->required);
  segment.target_text = phrases->do_not_translate.empty()
                            ? TargetText(facts_->tokenizer)
                            : TargetText(facts_->tokenizer, segment.constraints,
                                         std::move(phrases->do_not_translate));
  std::vector<NamedPhrase> wanted = std::move(phrases->required);
  if (!prefix.tokens.empty()) wanted.push_back(prefix);
  absl::StatusOr<std::shared_ptr<const ForbiddenTable>> forbidden =
      forbidden_->For(wanted, SourceNgrams(segment.source, settings_->encoder_no_repeat_ngram));
  if (!forbidden.ok()) return forbidden.status();
  segment.forbidden = *std::move(forbidden);
  if (segment.search.encoder_repetition_penalty != 1.0F) {
    segment.source_ids = DistinctTokens(segment.source);
  }
  ++segments_;
  return segment;
}

}  // namespace dragoman
