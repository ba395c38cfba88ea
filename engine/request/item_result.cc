#include "engine/request/item_result.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/text/split/sentence_splitter.h"

namespace dragoman::engine {
namespace {

using Ranges = std::vector<SentenceRange>;
using Links = std::vector<AlignmentLink>;

ByteRange Bytes(const TextRange& range) { return {range.begin, range.end}; }

TextRange Shifted(const TextRange& range, int64_t by) { return {range.begin + by, range.end + by}; }

// The hypotheses of an item's segments that have the same rank: their texts and aligned tokens, by
// segment.
struct Rank {
  std::vector<std::string> texts;
  std::vector<std::vector<AlignedToken>> aligned;
};

std::string AssembleText(const std::string& item, const ItemPlan& plan, const Rank& rank,
                         bool target_uses_spaces, Ranges& sentences, Links& links) {
  std::vector<TextRange> pieces;
  for (const SegmentPlan& segment : plan.segments) pieces.push_back(segment.range);
  JoinedText joined = JoinTranslations(item, pieces, rank.texts, target_uses_spaces);
  for (size_t s = 0; s < pieces.size(); ++s) {
    sentences.push_back({Bytes(pieces[s]), Bytes(joined.ranges[s])});
    for (const AlignedToken& token : rank.aligned[s]) {
      if (!token.source.has_value()) continue;
      links.push_back({Bytes(Shifted(*token.source, pieces[s].begin)),
                       Bytes(Shifted(token.target, joined.ranges[s].begin))});
    }
  }
  return std::move(joined.text);
}

std::string AssembleMarkup(const ItemPlan& plan, const Rank& rank, bool target_uses_spaces,
                           Ranges& sentences, Links& links) {
  const MarkupDocument& document = *plan.markup;
  std::vector<std::vector<MarkupSegment>> runs(static_cast<size_t>(document.runs()));
  for (size_t s = 0; s < plan.segments.size(); ++s) {
    runs[static_cast<size_t>(plan.segments[s].run)].push_back(
        {plan.segments[s].range, rank.texts[s], rank.aligned[s]});
  }
  RebuiltMarkup rebuilt = document.Rebuild(runs, target_uses_spaces);
  std::vector<size_t> next(runs.size());  // by run: the index of its next segment
  for (size_t s = 0; s < plan.segments.size(); ++s) {
    const SegmentPlan& segment = plan.segments[s];
    const auto run = static_cast<size_t>(segment.run);
    const RebuiltMarkup::Segment& place = rebuilt.segments[run][next[run]++];
    sentences.push_back(
        {Bytes(document.InDocument(segment.run, segment.range)), Bytes(place.range)});
    for (const AlignedToken& token : rank.aligned[s]) {
      if (!token.source.has_value()) continue;
      links.push_back(
          {Bytes(document.InDocument(segment.run, Shifted(*token.source, segment.range.begin))),
           Bytes(place.map.Map(token.target))});
    }
  }
  return std::move(rebuilt.document);
}

using Segments = std::vector<std::vector<SegmentHypothesis>>;

// If the best translation of a segment is empty, replaces it by the segment's source text, so that
// no text of the item is lost. Returns the number of these segments.
int64_t KeepTextOfEmpty(const std::string& item, const ItemPlan& plan, Segments& segments) {
  int64_t empty = 0;
  for (size_t s = 0; s < segments.size(); ++s) {
    Hypothesis& best = segments[s].front().hypothesis;
    if (!best.text.empty()) continue;
    const SegmentPlan& segment = plan.segments[s];
    best.text = segment.range.In(plan.markup != nullptr ? plan.markup->text(segment.run) : item);
    ++empty;
  }
  return empty;
}

int64_t CountOf(std::string_view what, std::string_view text) {
  int64_t count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

// Removes from `preserved` the placeholders that a segment's translation has less often than its
// source. Returns how many these are.
int64_t RemoveLost(const ItemPlan& plan, const Segments& segments,
                   std::vector<std::string>* preserved) {
  int64_t lost = 0;
  for (size_t s = 0; s < segments.size(); ++s) {
    std::vector<std::string> placeholders = plan.segments[s].placeholders;
    std::ranges::sort(placeholders);
    const std::string& text = segments[s].front().hypothesis.text;
    for (auto one = placeholders.begin(); one != placeholders.end();) {
      const auto next = std::upper_bound(one, placeholders.end(), *one);
      for (int64_t missing = (next - one) - CountOf(*one, text); missing > 0; --missing) {
        const auto found = std::ranges::find(*preserved, *one);
        if (found != preserved->end()) preserved->erase(found);
        ++lost;
      }
      one = next;
    }
  }
  return lost;
}

std::vector<Warning> WarningsOf(const ItemPlan& plan, const Segments& segments, int64_t empty,
                                int64_t lost) {
  int64_t at_limit = 0;
  int64_t narrow = 0;
  int64_t unknown = 0;
  std::map<Suspicion, int64_t> suspicious;
  int most_tokens = 0;
  int beam = 0;
  for (size_t s = 0; s < segments.size(); ++s) {
    const SegmentPlan& segment = plan.segments[s];
    const SegmentHypothesis& best = segments[s].front();
    if (best.hypothesis.finish_reason == kernels::FinishReason::kLength) ++at_limit;
    if (best.suspicion != Suspicion::kNone) ++suspicious[best.suspicion];
    unknown += segment.unknown + static_cast<int64_t>(best.lost_unknown);
    if (segment.narrow == 0) continue;
    ++narrow;
    if (segment.narrow <= most_tokens) continue;
    most_tokens = segment.narrow;
    beam = segment.search.beam;
  }
  const std::string of_all = absl::StrCat(" of ", segments.size(), " segments");
  std::vector<Warning> warnings;
  if (at_limit > 0) {
    warnings.push_back(
        {WarningCode::kOutputLimit, absl::StrCat("the output limit ended ", at_limit, of_all)});
  }
  if (narrow > 0) {
    warnings.push_back(
        {WarningCode::kBeamTooNarrow, absl::StrCat("a beam of ", beam, " for ", most_tokens,
                                                   " constraint tokens, expected at least ",
                                                   most_tokens + 1, ": in ", narrow, of_all)});
  }
  if (const int64_t left = empty + plan.unreadable; left > 0) {
    warnings.push_back({WarningCode::kNotTranslated,
                        absl::StrCat(left, left == 1 ? " part" : " parts",
                                     " came back as in the source: the model reads or writes "
                                     "nothing of it")});
  }
  if (lost > 0) {
    warnings.push_back({WarningCode::kPlaceholderLost,
                        absl::StrCat("the translation lacks ", lost, " of the placeholders")});
  }
  if (unknown > 0) {
    warnings.push_back({WarningCode::kUnknownCharacters,
                        absl::StrCat("the model's vocabulary lacks characters in ", unknown,
                                     unknown == 1 ? " place" : " places", " of the text")});
  }
  if (!suspicious.empty()) {
    std::string text;
    for (const auto& [suspicion, count] : suspicious) {
      absl::StrAppend(&text, text.empty() ? "the translation of " : ", that of ", count, of_all,
                      " ", std::string(WordsOf(suspicion).statement));
    }
    warnings.push_back({WarningCode::kSuspicious, std::move(text)});
  }
  return warnings;
}

}  // namespace

void AssembleItem(const std::string& item, const ItemPlan& plan,
                  std::vector<std::vector<SegmentHypothesis>> segments,
                  const AssemblyOptions& options, ItemResult& result) {
  const int64_t empty = options.fills_empty ? KeepTextOfEmpty(item, plan, segments) : 0;
  result.preserved = plan.preserved;
  const int64_t lost = RemoveLost(plan, segments, &result.preserved);
  if (plan.markup != nullptr) {
    for (std::string& placeholder : result.preserved)
      placeholder = std::string(plan.markup->BytesOf(placeholder));
  }
  result.warnings = WarningsOf(plan, segments, empty, lost);
  if (segments.empty()) {
    Hypothesis same;
    same.text = item;
    if (plan.unmet) same.finish_reason = kernels::FinishReason::kConstraintsUnmet;
    result.hypotheses.push_back(std::move(same));
    return;
  }
  const size_t ranks = segments.size() == 1 ? segments.front().size() : 1;
  for (size_t r = 0; r < ranks; ++r) {
    Hypothesis whole;
    Rank rank;
    for (std::vector<SegmentHypothesis>& segment : segments) {
      Hypothesis& part = segment[r].hypothesis;
      rank.texts.push_back(std::move(part.text));
      rank.aligned.push_back(std::move(segment[r].aligned));
      whole.score = part.score;
      whole.log_prob += part.log_prob;
      whole.finish_reason = std::max(whole.finish_reason, part.finish_reason);
      std::move(part.tokens.begin(), part.tokens.end(), std::back_inserter(whole.tokens));
      whole.token_scores.insert(whole.token_scores.end(), part.token_scores.begin(),
                                part.token_scores.end());
    }
    Ranges sentences;
    Links links;
    whole.text = plan.markup != nullptr
                     ? AssembleMarkup(plan, rank, options.target_uses_spaces, sentences, links)
                     : AssembleText(item, plan, rank, options.target_uses_spaces, sentences, links);
    if (r == 0) {
      result.sentences = std::move(sentences);
      if (options.alignment) whole.alignment = std::move(links);
    }
    result.hypotheses.push_back(std::move(whole));
  }
}

}  // namespace dragoman::engine
