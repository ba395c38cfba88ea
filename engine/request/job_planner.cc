#include "engine/request/job_planner.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/field_error.h"
#include "engine/base/utf8.h"
#include "engine/request/alignment.h"
#include "engine/request/source_rules.h"
#include "engine/text/capitals.h"
#include "engine/text/placeholders.h"
#include "engine/text/split/too_long.h"
#include "kernels/search/plan.h"

namespace dragoman::engine {
namespace {

// Returns the error for an item of several segments, which names the first option that needs a
// single segment. If no option does, the error's field is "".
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

// The most sentinels of a segment. Models copy only a few at a time.
constexpr size_t kMostSentinels = 32;

bool HasLetters(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (u_isalpha(static_cast<UChar32>(NextCodePoint(text, at)))) return true;
  }
  return false;
}

bool HasLettersOutside(std::string_view text, std::span<const KeptPart> parts) {
  int64_t at = 0;
  for (const KeptPart& part : parts) {
    if (HasLetters(TextRange{at, part.range.begin}.In(text))) return true;
    at = part.range.end;
  }
  return HasLetters(text.substr(static_cast<size_t>(at)));
}

int32_t SourceUnknown(const Tokenizer& tokenizer) {
  return tokenizer.special().source_unk.value_or(tokenizer.special().unk);
}

// Returns the ranges of the unknown tokens that are not inside one of `parts`.
std::vector<TextRange> UnknownRanges(const Tokenizer& tokenizer, const EncodedText& encoded,
                                     std::span<const KeptPart> parts) {
  std::vector<TextRange> ranges;
  for (size_t i = encoded.text_begin; i < encoded.text_end; ++i) {
    if (encoded.ids[i] != SourceUnknown(tokenizer)) continue;
    const TextRange& range = encoded.ranges[i];
    const auto is_inside = [&](const KeptPart& part) {
      return part.range.begin <= range.begin && range.end <= part.range.end;
    };
    if (range.size() > 0 && std::ranges::none_of(parts, is_inside)) ranges.push_back(range);
  }
  return ranges;
}

// Reports whether at least one letter of the text is in a token that is not unknown.
bool ReadsLetters(const Tokenizer& tokenizer, std::string_view text, const EncodedText& encoded) {
  for (size_t i = encoded.text_begin; i < encoded.text_end; ++i) {
    if (encoded.ids[i] != SourceUnknown(tokenizer) && HasLetters(encoded.ranges[i].In(text))) {
      return true;
    }
  }
  return false;
}

std::vector<TextRange> RangesOf(std::span<const KeptPart> parts) {
  std::vector<TextRange> ranges;
  for (const KeptPart& part : parts) ranges.push_back(part.range);
  return ranges;
}

std::vector<std::string> PlaceholdersOf(std::string_view text) {
  std::vector<std::string> placeholders;
  for (const TextRange& range : FindPlaceholders(text)) placeholders.emplace_back(range.In(text));
  return placeholders;
}

// Merges both lists, ordered by position. Parts that overlap become one part.
std::vector<KeptPart> JoinParts(std::vector<KeptPart> parts, std::span<const KeptPart> more) {
  parts.insert(parts.end(), more.begin(), more.end());
  std::ranges::sort(parts, {}, [](const KeptPart& part) { return part.range.begin; });
  std::vector<KeptPart> joined;
  for (const KeptPart& part : parts) {
    if (joined.empty() || part.range.begin >= joined.back().range.end) {
      joined.push_back(part);
      continue;
    }
    KeptPart& last = joined.back();
    last.range.end = std::max(last.range.end, part.range.end);
    last.kind = std::min(last.kind, part.kind);
  }
  return joined;
}

// Calls `visit` for a plan and for all that may be searched after it.
template <class Visit>
void ForEachPlan(SegmentPlan* plan, const Visit& visit) {
  if (plan == nullptr) return;
  visit(*plan);
  ForEachPlan(plan->if_unmet.get(), visit);
  ForEachPlan(plan->if_lost.get(), visit);
}

// Returns the source tokens whose text overlaps `range`; nullopt if there are none. `places` is
// SegmentPlan::source_places.
std::optional<SourceTokens> TokensOf(std::span<const std::optional<TextRange>> places,
                                     const TextRange& range) {
  std::optional<SourceTokens> tokens;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i] || places[i]->end <= range.begin || range.end <= places[i]->begin) continue;
    const auto at = static_cast<int32_t>(i);
    if (!tokens) tokens = SourceTokens{at, at + 1};
    tokens->end = at + 1;
  }
  return tokens;
}

}  // namespace

std::string JobPlanner::HowToHaveOneSegment(const ItemPlan& plan) const {
  if (plan.cut) {
    return absl::StrCat("the text is longer than the ", facts_->text->max_source_tokens(),
                        " tokens that the model takes at once; shorten it");
  }
  if (plan.segments.front().run != plan.segments.back().run)
    return "send each paragraph as an item of its own";
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
  if (!job_->targets.empty()) return PlanScoring(item, plan);
  const absl::StatusOr<NamedPhrase> prefix = phrases_->Prefix(item);
  if (!prefix.ok()) return prefix.status();
  FieldError needs = NeedsOneSegment(*job_, *settings_, *prefix);
  const bool needs_one = !needs.field.empty();
  const std::string& text = job_->contents[item];
  if (job_->format != TextFormat::kPlain) {
    absl::StatusOr<MarkupDocument> document = MarkupDocument::Parse(
        text, job_->format, request_->preserve && !request_->sentinel.empty());
    if (!document.ok()) return document.status();
    plan.markup = std::make_unique<const MarkupDocument>(*std::move(document));
    for (int64_t run = 0; run < plan.markup->runs(); ++run) {
      absl::Status status = AddText(plan.markup->text(run), run, needs_one, *prefix, plan);
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
  // An item of several segments gets one hypothesis, even if the model returns more by default.
  if (plan.segments.size() > 1) {
    for (SegmentPlan& segment : plan.segments) {
      ForEachPlan(&segment, [](SegmentPlan& plan) {
        WantOneHypothesis(&plan.search);
        if (plan.safer) WantOneHypothesis(&*plan.safer);
      });
    }
  }
  plan.unmet = plan.segments.empty() &&
               (!job_->decoding.required_phrases.empty() || !prefix->tokens.empty());
  return absl::OkStatus();
}

absl::Status JobPlanner::PlanScoring(size_t item, ItemPlan& plan) {
  const std::string& text = job_->contents[item];
  SegmentPlan segment;
  segment.range = {0, static_cast<int64_t>(text.size())};
  segment.source = facts_->text->Encode(text, request_->text).ids;
  const auto source_tokens = static_cast<int64_t>(segment.source.size());
  if (source_tokens > facts_->text->max_source_tokens()) {
    return TooLongError(source_tokens, facts_->text->max_source_tokens());
  }
  if (source_tokens == 0) {
    FieldError error;
    error.field = absl::StrCat("pairs[", item, "].source");
    error.found = "no tokens";
    error.expected = "text";
    return InvalidRequest(std::move(error));
  }

  const std::optional<int32_t> first =
      request_->first_token ? request_->first_token : settings_->forced_bos;
  if (first) segment.prefix.push_back(*first);
  const std::vector<int> target = facts_->tokenizer->EncodeTarget(job_->targets[item]).ids;
  segment.prefix.insert(segment.prefix.end(), target.begin(), target.end());
  segment.prefix.push_back(settings_->search.eos);
  const auto tokens = static_cast<int>(segment.prefix.size());
  if (tokens > settings_->search.max_tokens) {
    FieldError error;
    error.field = absl::StrCat("pairs[", item, "].target");
    error.found = absl::StrCat(tokens, " tokens");
    error.expected =
        absl::StrCat("at most the ", settings_->search.max_tokens, " that the model can read");
    return InvalidRequest(std::move(error));
  }
  segment.search = SearchForScoring(*settings_, tokens, first ? 1 : 0);
  if (request_->start_token.has_value()) segment.search.start_token = *request_->start_token;
  while (kernels::WorstCasePages(segment.search.beam, tokens) > facts_->self_pages) {
    if (--segment.search.beam > 0) continue;
    FieldError error;
    error.field = absl::StrCat("pairs[", item, "].target");
    error.found = absl::StrCat(tokens, " tokens");
    error.expected = absl::StrCat("no more than fit into the ", facts_->self_pages,
                                  " pages of K/V memory that the server has (its kv-memory-mb)");
    return InvalidRequest(std::move(error));
  }
  if (!settings_->search.renormalize) {  // for the excluded ids
    absl::StatusOr<std::shared_ptr<const ForbiddenTable>> forbidden = forbidden_->For({});
    if (!forbidden.ok()) return forbidden.status();
    segment.forbidden = *std::move(forbidden);
  }
  segment.target_text = TargetText(facts_->tokenizer);
  plan.segments.push_back(std::move(segment));
  ++segments_;
  return absl::OkStatus();
}

absl::Status JobPlanner::AddText(std::string_view text, int64_t run, bool one_segment,
                                 const NamedPhrase& prefix, ItemPlan& plan) {
  // The results of Read for pieces that are unreadable, in capitals, or have unknown characters or
  // sentinels. The key is the address and size of the piece.
  std::map<std::pair<const char*, size_t>, ReadPiece> special;
  const EncodeFunction encode = [&](std::string_view piece) {
    ReadPiece read = Read(piece);
    EncodedText encoded = read.encoded;
    if (read.unreadable || read.unknown > 0 || !read.sentinels.empty() || read.in_capitals) {
      special.insert_or_assign({piece.data(), piece.size()}, std::move(read));
    }
    return encoded;
  };
  const std::vector<TextRange> kept = RangesOf(FindKept(text));
  if (request_->preserve) {
    for (std::string& found : PlaceholdersOf(text)) plan.preserved.push_back(std::move(found));
  }
  absl::StatusOr<std::vector<EncodedPiece>> pieces =
      facts_->text->Cut(text, request_->text, one_segment, kept, encode);
  if (!pieces.ok()) return pieces.status();
  for (const auto& [place, read] : special) plan.unreadable += read.unreadable ? 1 : 0;
  for (EncodedPiece& piece : *pieces) {
    const std::string_view own = piece.range.In(text);
    plan.cut = plan.cut || piece.cut;
    const auto found = special.find({own.data(), own.size()});
    ReadPiece read = found == special.end() ? ReadPiece{} : std::move(found->second);
    read.encoded = std::move(piece.encoded);
    absl::StatusOr<SegmentPlan> segment = PlanSegment(own, piece.range, std::move(read), prefix);
    if (!segment.ok()) return segment.status();
    segment->run = run;
    plan.segments.push_back(*std::move(segment));
    ++segments_;
  }
  return absl::OkStatus();
}

std::vector<KeptPart> JobPlanner::FindKept(std::string_view text) const {
  std::vector<KeptPart> phrases;
  for (const TextRange& range : phrases_->FindKept(text))
    phrases.push_back({range, KeptKind::kPhrase});
  if (!request_->preserve || request_->sentinel.empty()) return phrases;
  std::vector<KeptPart> placeholders;
  for (const TextRange& range : FindPlaceholders(text)) {
    placeholders.push_back({range, KeptKind::kPlaceholder});
  }
  return JoinParts(std::move(phrases), placeholders);
}

JobPlanner::ReadPiece JobPlanner::Read(std::string_view piece) const {
  ReadPiece read;
  std::vector<KeptPart> parts = FindKept(piece);
  const auto leave = [&] {
    read.encoded.ids.resize(read.encoded.text_end = read.encoded.text_begin);
  };
  const auto encode = [&] {
    const std::string cased = read.in_capitals ? LowerCapitals(piece, RangesOf(parts)) : "";
    const std::string_view source = read.in_capitals ? cased : piece;
    if (parts.empty() || request_->sentinel.empty()) {
      read.encoded = facts_->text->Encode(source, request_->text);
      return;
    }
    SentinelText text = PutSentinels(source, parts, request_->sentinel);
    read.encoded = facts_->text->Encode(text.text, request_->text);
    read.sentinel_tokens = MoveToSource(text, &read.encoded);
    read.sentinels = std::move(text.sentinels);
  };
  const bool repairs = job_->guard != Guard::kOff;
  if (repairs && !HasLettersOutside(piece, parts)) return read;
  read.in_capitals = request_->recase && IsInCapitals(piece, RangesOf(parts));
  encode();
  std::vector<TextRange> unknown = UnknownRanges(*facts_->tokenizer, read.encoded, parts);
  if (unknown.empty()) return read;
  if (!repairs) {
    read.unknown = static_cast<int>(unknown.size());
    return read;
  }
  if (!ReadsLetters(*facts_->tokenizer, piece, read.encoded)) {
    read.unreadable = true;
    leave();
    return read;
  }
  if (!request_->sentinel.empty()) {
    parts = JoinParts(std::move(parts), PartsToKeep(piece, unknown));
    if (parts.size() <= kMostSentinels) {
      if (!HasLettersOutside(piece, parts)) {
        read.unreadable = true;
        leave();
        return read;
      }
      encode();
      unknown = UnknownRanges(*facts_->tokenizer, read.encoded, parts);
    }
  }
  read.unknown = static_cast<int>(unknown.size());
  return read;
}

std::vector<int32_t> JobPlanner::WordsOf(const SegmentPlan& segment,
                                         const std::vector<NamedPhrase>& required,
                                         std::span<const Sentinel> sentinels) const {
  const kernels::SearchOptions& search = segment.search;
  std::vector<int32_t> wanted{search.eos};
  wanted.insert(wanted.end(), search.more_eos, search.more_eos + search.more_eos_count);
  wanted.insert(wanted.end(), segment.prefix.begin(), segment.prefix.end());
  for (const NamedPhrase& phrase : required) {
    wanted.insert(wanted.end(), phrase.tokens.begin(), phrase.tokens.end());
  }
  for (const Sentinel& sentinel : sentinels) {
    for (const bool word_start : {true, false}) {
      const EncodedPhrase word = facts_->tokenizer->EncodePhrase(sentinel.word, word_start);
      wanted.insert(wanted.end(), word.ids.begin(), word.ids.end());
    }
  }
  return facts_->shortlist->WordsFor(segment.source, wanted);
}

absl::StatusOr<SegmentPlan> JobPlanner::PlanSegment(std::string_view text, TextRange range,
                                                    ReadPiece piece, const NamedPhrase& prefix) {
  absl::StatusOr<SegmentPhrases> phrases = phrases_->Find(text, piece.sentinels);
  if (!phrases.ok()) return phrases.status();
  absl::StatusOr<SegmentPlan> segment =
      PlanSearches(text, piece.encoded, *std::move(phrases), piece.sentinels, prefix);
  if (!segment.ok()) return segment;
  // Sets the members that all plans with the same source have.
  const auto complete = [&](const EncodedText& encoded, SegmentPlan& first) {
    ForEachPlan(&first, [&](SegmentPlan& plan) {
      plan.range = range;
      plan.unknown = piece.unknown;
      if (request_->preserve) plan.placeholders = PlaceholdersOf(text);
      if (piece.in_capitals) plan.target_text.set_in_capitals();
      if (settings_->search.align) plan.source_places = SourcePlaces(text, encoded);
    });
  };
  complete(piece.encoded, *segment);
  if (piece.sentinels.empty()) return segment;

  ForEachPlan(&*segment, [&](SegmentPlan& plan) {
    for (const SentinelTokens& tokens : piece.sentinel_tokens) {
      const Sentinel& sentinel = piece.sentinels[tokens.sentinel];
      plan.kept.emplace_back(tokens, sentinel.text);
      for (size_t i = tokens.begin; i < tokens.end && i < plan.source_places.size(); ++i) {
        plan.source_places[i] = sentinel.source;
      }
    }
  });
  if (settings_->search.sampling.enabled) return segment;  // a draw cannot be made to meet them
  std::vector<TextRange> kept;
  for (const Sentinel& sentinel : piece.sentinels) kept.push_back(sentinel.source);
  EncodedText plain = facts_->text->Encode(
      piece.in_capitals ? LowerCapitals(text, kept) : std::string(text), request_->text);
  if (plain.ids.size() <= static_cast<size_t>(facts_->text->max_source_tokens())) {
    absl::StatusOr<SegmentPhrases> all = phrases_->FindAll(text, piece.sentinels);
    if (!all.ok()) return segment;
    absl::StatusOr<SegmentPlan> constrained =
        PlanConstrained(text, plain, *std::move(all), {}, prefix);
    // Leaves the second plan out if no search can meet the constraints.
    if (!constrained.ok()) return segment;
    complete(plain, *constrained);
    segment->if_lost = std::make_unique<SegmentPlan>(*std::move(constrained));
  }
  return segment;
}

absl::StatusOr<SegmentPlan> JobPlanner::PlanSearches(std::string_view text,
                                                     const EncodedText& source,
                                                     SegmentPhrases phrases,
                                                     std::span<const Sentinel> sentinels,
                                                     const NamedPhrase& prefix) {
  absl::StatusOr<SegmentPlan> constrained =
      PlanConstrained(text, source, phrases, sentinels, prefix);
  if (!constrained.ok() || constrained->if_unmet == nullptr) return constrained;
  absl::StatusOr<SegmentPlan> plain = PlanSearch(source, {}, sentinels, prefix);
  if (!plain.ok()) return constrained;
  plain->safer.reset();  // a safer search may lose the phrases
  plain->expected = constrained->if_unmet->constraints;
  if (sentinels.empty() && !phrases.do_not_translate.empty()) {
    plain->target_text =
        TargetText(facts_->tokenizer, plain->expected, std::move(phrases.do_not_translate));
  }
  plain->if_unmet = std::make_unique<SegmentPlan>(*std::move(constrained));
  return plain;
}

absl::StatusOr<SegmentPlan> JobPlanner::PlanConstrained(std::string_view text,
                                                        const EncodedText& source,
                                                        SegmentPhrases phrases,
                                                        std::span<const Sentinel> sentinels,
                                                        const NamedPhrase& prefix) {
  absl::StatusOr<SegmentPlan> anywhere = PlanSearch(source, phrases, sentinels, prefix);
  if (!anywhere.ok() || !settings_->aligns_terms) return anywhere;
  const std::vector<std::optional<TextRange>> places = SourcePlaces(text, source);
  bool gated = false;
  for (NamedPhrase& phrase : phrases.required) {
    if (phrase.source) phrase.gate = TokensOf(places, *phrase.source);
    gated = gated || phrase.gate.has_value();
  }
  if (!gated) return anywhere;
  absl::StatusOr<SegmentPlan> aligned = PlanSearch(source, std::move(phrases), sentinels, prefix);
  if (!aligned.ok()) return anywhere;
  aligned->search.align = true;
  aligned->if_unmet = std::make_unique<SegmentPlan>(*std::move(anywhere));
  return aligned;
}

void JobPlanner::SetBeam(SegmentPlan& segment) const {
  const bool gated = segment.constraints.set().gated();
  const int places = segment.constraints.total() + 1;
  const int asked = segment.search.beam;
  WidenBeam(*settings_, gated ? std::max(kLeastGatedBeam, places + 2) : places + 1,
            &segment.search);
  while (segment.search.beam > asked &&
         kernels::WorstCasePages(segment.search.beam, segment.search.max_tokens) >
             facts_->self_pages) {
    --segment.search.beam;
  }
  if (!gated && segment.search.beam < places) segment.narrow = segment.constraints.total();
}

absl::StatusOr<SegmentPlan> JobPlanner::PlanSearch(EncodedText source, SegmentPhrases phrases,
                                                   std::span<const Sentinel> sentinels,
                                                   const NamedPhrase& prefix) {
  SegmentPlan segment;
  const auto tokens = static_cast<int>(source.text_end - source.text_begin);
  segment.source = std::move(source.ids);
  segment.search = SearchForSegment(*settings_, tokens, !phrases.required.empty(), segments_);
  const int64_t worst = kernels::WorstCasePages(segment.search.beam, segment.search.max_tokens);
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
  if (request_->safer && phrases.required.empty()) {
    segment.safer = SearchForSegment(*request_->safer, tokens, false, segments_);
    segment.safer->start_token = segment.search.start_token;
    if (kernels::WorstCasePages(segment.safer->beam, segment.safer->max_tokens) >
        facts_->self_pages) {
      segment.safer.reset();
    }
  }
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
  segment.search.word_edges = edges != nullptr && !phrases.required.empty();
  absl::StatusOr<ConstraintTable> constraints =
      MakeConstraints(phrases.required, beginning, segment.search, edges);
  if (!constraints.ok()) return constraints.status();
  segment.constraints = *std::move(constraints);
  if (!segment.constraints.empty()) SetBeam(segment);
  if (facts_->shortlist != nullptr) {
    segment.words = WordsOf(segment, phrases.required, sentinels);
  }
  if (!sentinels.empty()) {
    segment.target_text =
        TargetText(facts_->tokenizer, std::vector(sentinels.begin(), sentinels.end()));
  } else if (!phrases.do_not_translate.empty()) {
    segment.target_text =
        TargetText(facts_->tokenizer, segment.constraints, std::move(phrases.do_not_translate));
  } else {
    segment.target_text = TargetText(facts_->tokenizer);
  }
  std::vector<NamedPhrase> wanted = std::move(phrases.required);
  if (!prefix.tokens.empty()) wanted.push_back(prefix);
  absl::StatusOr<std::shared_ptr<const ForbiddenTable>> forbidden =
      forbidden_->For(wanted, SourceNgrams(segment.source, settings_->encoder_no_repeat_ngram));
  if (!forbidden.ok()) return forbidden.status();
  segment.forbidden = *std::move(forbidden);
  if (segment.search.encoder_repetition_penalty != 1.0F) {
    segment.source_ids = DistinctTokens(segment.source);
  }
  return segment;
}

}  // namespace dragoman::engine
