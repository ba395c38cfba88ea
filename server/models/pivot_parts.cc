#include "server/models/pivot_parts.h"

#include <algorithm>
#include <utility>

namespace dragoman::server {
namespace {

// Reports whether two ranges have bytes in common.
bool Touch(const engine::ByteRange& a, const engine::ByteRange& b) {
  return a.begin < b.end && b.begin < a.end;
}

void Widen(const engine::ByteRange& range, engine::ByteRange* whole) {
  whole->begin = std::min(whole->begin, range.begin);
  whole->end = std::max(whole->end, range.end);
}

}  // namespace

engine::TranslationJob FirstLeg(const engine::TranslationJob& job, const std::string& language) {
  engine::TranslationJob leg = job;
  // Names every field of the job. A new field causes a compile error here until it is decided
  // whether the first model gets the field. For the decoding options the column `legs` of
  // proto/options/decoding_options.inc decides.
  auto& [request_id, contents, format, source_language, target_language, decoding, target_prefixes,
         targets, terms, glossary, glossary_ignore_case, do_not_translate, preserve, recase, guard,
         split, on_too_long, returns, priority, client, share, deadline] = leg;
  target_language = language;
  engine::VisitOptions(decoding, [](const DecodingOption& option, auto& member) {
    if (option.legs != DecodingOption::Legs::kBoth) member = {};
  });
  decoding.num_alternatives = 1;  // overrides the first model's default
  target_prefixes.clear();
  auto& [scores, tokens, token_scores, alignment, partials, segments, segment_times] = returns;
  token_scores = false;
  partials = false;
  segments = false;
  scores = true;  // the result always has the score of the first translation
  return leg;
}

engine::TranslationJob SecondLeg(const engine::TranslationJob& job,
                                 const std::vector<std::string>& prefixes,
                                 const std::string& language, const std::vector<int>& items,
                                 const std::vector<engine::ItemResult>& firsts) {
  engine::TranslationJob leg = job;
  leg.source_language = language;
  for (const int item : items) {
    const auto at = static_cast<size_t>(item);
    leg.contents.push_back(firsts[at].hypotheses.empty() ? "" : firsts[at].hypotheses[0].text);
    if (!prefixes.empty()) leg.target_prefixes.push_back(prefixes[at]);
  }
  if (leg.decoding.sampling.has_value() && !items.empty()) {
    leg.decoding.sampling->seed = firsts[static_cast<size_t>(items[0])].seed;
  }
  return leg;
}

engine::ByteRange SourceOf(const engine::ItemResult& first, engine::ByteRange between) {
  std::optional<engine::ByteRange> source;
  for (const engine::SentenceRange& sentence : first.sentences) {
    if (!Touch(sentence.target, between)) continue;
    if (!source.has_value()) source = sentence.source;
    Widen(sentence.source, &*source);
  }
  return source.value_or(engine::ByteRange{});
}

engine::ItemResult Compose(const engine::ItemResult& first, engine::ItemResult second,
                           engine::PivotPart pivot) {
  engine::ItemResult result = std::move(second);
  const std::vector<engine::SentenceRange> seconds = std::move(result.sentences);
  result.index = first.index;
  result.source_tokens = first.source_tokens;
  result.source_token_count = first.source_token_count;
  pivot.first_one_segment = first.sentences.size() == 1;
  pivot.second_one_segment = seconds.size() == 1;
  if (!first.hypotheses.empty()) {
    const engine::Hypothesis& best = first.hypotheses[0];
    pivot.text = best.text;
    pivot.score = best.score;
    pivot.log_prob = best.log_prob;
    pivot.finish_reason = best.finish_reason;
    for (engine::Hypothesis& hypothesis : result.hypotheses) {
      hypothesis.finish_reason = std::max(hypothesis.finish_reason, best.finish_reason);
    }
  }
  // The sentences of both results are in the order of their texts. Each sentence of the second
  // result starts a new part, except if it touches a sentence of the first translation that the
  // last part also touches. Then it widens the last part.
  result.sentences.clear();
  engine::ByteRange between;
  size_t next = 0;
  for (const engine::SentenceRange& sentence : seconds) {
    engine::SentenceRange part{SourceOf(first, sentence.source), sentence.target};
    engine::ByteRange reach = sentence.source;
    for (; next < first.sentences.size() && first.sentences[next].target.begin < reach.end;
         ++next) {
      Widen(first.sentences[next].target, &reach);
    }
    if (!result.sentences.empty() && sentence.source.begin < between.end) {
      engine::SentenceRange& last = result.sentences.back();
      if (part.source.end > part.source.begin) Widen(part.source, &last.source);
      Widen(part.target, &last.target);
      Widen(reach, &between);
    } else {
      result.sentences.push_back(part);
      between = reach;
    }
  }
  for (const engine::Warning& warning : first.warnings) {
    const auto is_same = [&](const engine::Warning& other) { return other.code == warning.code; };
    if (std::ranges::none_of(result.warnings, is_same)) result.warnings.push_back(warning);
  }
  result.pivot = std::move(pivot);
  return result;
}

}  // namespace dragoman::server
