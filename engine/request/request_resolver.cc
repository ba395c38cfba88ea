#include "engine/request/request_resolver.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/api/option_rules.h"
#include "engine/base/field_error.h"
#include "engine/base/utf8.h"
#include "engine/request/request_phrases.h"
#include "engine/text/capitals.h"
#include "engine/text/script.h"
#include "engine/text/split/sentence_splitter.h"
#include "engine/text/terms/term_matcher.h"
#include "kernels/search/plan.h"

namespace dragoman::engine {
namespace {

// Texts that are too long for the model are cut, so one more segment is reserved for each of these
// many code points.
constexpr int64_t kCodePointsPerCut = 128;

// Returns the job without the members that have no effect on scores (TranslationJob::targets).
TranslationJob ScoringJob(TranslationJob job, int positions) {
  TranslationJob scoring;
  scoring.request_id = std::move(job.request_id);
  scoring.contents = std::move(job.contents);
  scoring.targets = std::move(job.targets);
  scoring.source_language = std::move(job.source_language);
  scoring.target_language = std::move(job.target_language);
  scoring.decoding = ScoringOptions(job.decoding, positions);
  scoring.recase = false;
  scoring.returns.scores = true;
  scoring.returns.tokens = job.returns.tokens;
  scoring.returns.token_scores = job.returns.token_scores;
  scoring.returns.segment_times = job.returns.segment_times;
  scoring.priority = job.priority;
  scoring.client = std::move(job.client);
  scoring.share = job.share;
  scoring.deadline = job.deadline;
  return scoring;
}

absl::StatusOr<std::shared_ptr<const RequestTerms>> MakeTerms(const TermMatcher::Lists& lists) {
  absl::StatusOr<TermMatcher> matcher = TermMatcher::Create(lists);
  if (!matcher.ok()) return matcher.status();
  return std::make_shared<const RequestTerms>(RequestTerms{*std::move(matcher), lists.glossary});
}

}  // namespace

SearchContext RequestResolver::Context() const {
  SearchContext context;
  context.default_profile = default_profile_;
  context.max_rows = max_rows_;
  return context;
}

absl::StatusOr<SearchSettings> RequestResolver::DefaultSettings() const {
  return ResolveSearch({}, model_->spec, Context());
}

absl::StatusOr<std::unique_ptr<JobPlan>> RequestResolver::Prepare(TranslationJob job) const {
  if (job.contents.empty()) {
    return InvalidRequest({.field = "contents",
                           .found = "no item",
                           .expected = "at least one",
                           .predicate = "is empty, expected at least one item"});
  }
  const bool scores_targets = !job.targets.empty();
  if (scores_targets) {
    if (job.targets.size() != job.contents.size()) {
      return InvalidRequest({.field = "targets",
                             .found = absl::StrCat(job.targets.size()),
                             .expected = absl::StrCat(job.contents.size()),
                             .predicate = "needs one element for each of contents"});
    }
    job = ScoringJob(std::move(job),
                     std::min<int>({kernels::kPagePositions, kernels::kMaxBeam, max_rows_}));
  }
  if (absl::Status status = CheckPhrases(job); !status.ok()) return status;
  absl::StatusOr<ResolvedPair> pair =
      model_->languages.Resolve(job.source_language, job.target_language);
  if (!pair.ok()) return pair.status();
  absl::StatusOr<std::shared_ptr<const RequestTerms>> terms = TermsOf(job);
  if (!terms.ok()) return terms.status();

  SearchContext context = Context();
  context.scores = job.returns.scores || job.returns.token_scores;
  const bool has_phrases = !job.decoding.required_phrases.empty() || !(*terms)->matcher.empty();
  if (has_phrases) context.constraints = ConstrainingField(job);
  context.partials = job.returns.partials;
  context.align = job.returns.alignment || job.format != TextFormat::kPlain;
  absl::StatusOr<SearchSettings> settings = ResolveSearch(job.decoding, model_->spec, context);
  if (!settings.ok()) return settings.status();
  // A given translation may be longer than those that the model writes by default.
  if (scores_targets) settings->search.max_tokens = model_->spec.shape.max_positions;

  auto plan = std::make_unique<JobPlan>();
  plan->settings = *std::move(settings);
  PlannerRequest& request = plan->request;
  request.text.source_language = pair->source;
  request.text.tags = {pair->tag, pair->last_tag};
  request.text.tags.follows_text = !pair->prompt.empty();
  if (!pair->prompt.empty()) request.text.prompt = tokenizer_->EncodePrompt(pair->prompt);
  request.text.split = job.split;
  request.text.on_too_long = job.on_too_long;
  request.text.without_letters = job.guard == Guard::kOff;
  request.terms = *std::move(terms);
  request.target_language = pair->target;
  request.target_uses_spaces = LanguageUsesSpaces(pair->target);
  const auto sentinel = sentinels_->find(pair->target);
  if (sentinel != sentinels_->end()) request.sentinel = sentinel->second;
  request.preserve = job.preserve.value_or(job.format != TextFormat::kPlain);
  // Required text must come as it is, and it may be in lower case.
  const bool requires_text = !job.decoding.required_phrases.empty() || !job.terms.empty() ||
                             !job.glossary.empty() || !job.target_prefixes.empty();
  request.recase =
      job.recase && !requires_text && !HasDotlessI(pair->source) && !HasDotlessI(pair->target);
  if (job.guard == Guard::kRetry && !plan->settings.search.sampling.enabled) {
    absl::StatusOr<SearchSettings> safer =
        ResolveSearch(SaferOptions(job.decoding, plan->settings, max_rows_), model_->spec, context);
    if (safer.ok()) request.safer = *std::move(safer);
  }
  request.first_token = pair->first;
  request.start_token = pair->start;
  plan->size = EstimateSize(job, request);
  plan->job = std::move(job);
  return plan;
}

absl::StatusOr<std::shared_ptr<const RequestTerms>> RequestResolver::TermsOf(
    const TranslationJob& job) const {
  if (job.do_not_translate.empty() && job.terms.empty() && job.glossary.empty()) {
    // Most requests have none.
    static const auto& none =
        *new absl::StatusOr<std::shared_ptr<const RequestTerms>>(MakeTerms({}));
    return none;
  }
  TermMatcher::Lists lists;
  lists.do_not_translate = job.do_not_translate;
  std::vector<Term> terms;
  for (const TermRequest& term : job.terms) {
    terms.push_back({term.source, term.target, term.ignore_case});
  }
  lists.terms = terms;
  if (!job.glossary.empty()) {
    lists.glossary = glossaries_->Find(job.glossary);
    if (lists.glossary == nullptr) {
      return absl::NotFoundError(absl::StrCat("glossary_config.glossary names none of the ",
                                              glossaries_->Names().size(),
                                              " glossaries that the server has loaded"));
    }
  }
  lists.glossary_ignore_case = job.glossary_ignore_case;
  return MakeTerms(lists);
}

JobSize EstimateSize(const TranslationJob& job, const PlannerRequest& request) {
  JobSize size;
  for (const std::string& item : job.contents) {
    const int64_t code_points = CountCodePoints(item);
    size.tokens += code_points;
    size.segments +=
        std::max<int64_t>(1, MostPieces(item, job.format)) + code_points / kCodePointsPerCut;
  }
  // In addition to its text, a segment has EOS, at most two language tags, and the prompt.
  size.tokens += size.segments * (3 + static_cast<int64_t>(request.text.prompt.size()));
  return size;
}

}  // namespace dragoman::engine
