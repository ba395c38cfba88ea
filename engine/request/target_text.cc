#include "engine/request/target_text.h"

#include <algorithm>
#include <utility>

#include "engine/text/capitals.h"

namespace dragoman::engine {
namespace {

// A token that no phrase contains. If it follows the last token of a hypothesis, the constraint
// state settles a match that is still pending.
constexpr int32_t kNoToken = -1;

// The constraint state calls this when a phrase is met or taken back. Records the places of the met
// phrases. `at` is the number of the current token.
struct PlaceNotes {
  const kernels::ConstraintSet& set;
  int32_t at = 0;
  std::vector<PhrasePlace>& places;

  void Met(int phrase, int32_t after) const {
    const int32_t end = at + 1 - after;
    places.push_back({phrase, end - set.Length(phrase), end});
  }
  void TakenBack() const { places.pop_back(); }
};

}  // namespace

PhraseTrace TracePhrases(const kernels::ConstraintSet& set, std::span<const int32_t> tokens,
                         bool is_prefix) {
  PhraseTrace trace;
  kernels::ConstraintState state = kernels::StartConstraints(set);
  const auto size = static_cast<int32_t>(tokens.size());
  for (int32_t at = 0; at < size; ++at) {
    state = kernels::Advance(set, state, tokens[static_cast<size_t>(at)], kernels::kAnySource,
                             PlaceNotes{set, at, trace.places});
  }
  if (!is_prefix) {
    state = kernels::Advance(set, state, kNoToken, kernels::kAnySource,
                             PlaceNotes{set, size, trace.places});
  } else if (state.ended >= 0 && kernels::EndsInWord(set, state)) {
    // If the next token continues the word, the phrase does not count as met.
    trace.places.pop_back();
    state.depth = static_cast<int16_t>(set.Length(state.ended));
  }
  trace.settled = size - state.depth;
  return trace;
}

TargetText::TargetText(const Tokenizer* tokenizer, ConstraintTable constraints,
                       std::vector<DoNotTranslatePhrase> do_not_translate)
    : tokenizer_(tokenizer),
      constraints_(std::move(constraints)),
      do_not_translate_(std::move(do_not_translate)) {}

TargetText::TargetText(const Tokenizer* tokenizer, std::vector<Sentinel> sentinels)
    : tokenizer_(tokenizer), sentinels_(std::move(sentinels)) {}

TargetText::Places TargetText::FindPlaces(std::span<const int32_t> tokens, bool is_prefix) const {
  const PhraseTrace trace = TracePhrases(constraints_.set(), tokens, is_prefix);
  Places places;
  places.settled = static_cast<size_t>(trace.settled);
  std::vector<bool> written(do_not_translate_.size());
  for (const PhrasePlace& place : trace.places) {
    const auto begin = static_cast<size_t>(place.begin);
    const auto end = static_cast<size_t>(place.end);
    for (size_t i = 0; i < do_not_translate_.size(); ++i) {
      const DoNotTranslatePhrase& phrase = do_not_translate_[i];
      if (written[i] ||
          !std::ranges::equal(phrase.tokens.ids, tokens.subspan(begin, end - begin))) {
        continue;
      }
      written[i] = true;
      places.tokens.push_back(
          {begin, end, phrase.text, phrase.tokens.space_before, phrase.tokens.space_after});
      places.sources.push_back(phrase.source);
      break;
    }
  }
  return places;
}

WrittenText TargetText::Write(std::span<const int32_t> tokens, bool with_eos) const {
  WrittenText written = WriteAsDecoded(tokens, with_eos);
  if (!in_capitals_) return written;
  std::vector<TextRange> kept;
  for (const auto& [token, source] : written.verbatim)
    kept.push_back(written.decoded.ranges[token]);
  std::ranges::sort(kept, {}, &TextRange::begin);
  PutInCapitals(kept, &written.decoded.text);
  return written;
}

WrittenText TargetText::WriteAsDecoded(std::span<const int32_t> tokens, bool with_eos) const {
  if (!sentinels_.empty()) {
    RestoredText restored = RestoreSentinels(tokenizer_->DecodeWithRanges(tokens), sentinels_);
    WrittenText written{std::move(restored.decoded), {},
                        std::move(restored.tokens),  restored.lost_phrases,
                        restored.lost_placeholders,  restored.lost_unknown};
    for (const SentinelTokens& place : written.sentinels) {
      written.verbatim.emplace_back(place.begin, sentinels_[place.sentinel].source);
    }
    return written;
  }
  if (do_not_translate_.empty()) return {tokenizer_->DecodeWithRanges(tokens), {}};
  std::vector<int32_t> whole(tokens.begin(), tokens.end());
  if (with_eos) whole.push_back(tokenizer_->special().eos);
  const Places places = FindPlaces(whole, false);
  WrittenText written{tokenizer_->DecodeWithRanges(tokens, places.tokens), {}};
  for (size_t i = 0; i < places.tokens.size(); ++i) {
    written.verbatim.emplace_back(places.tokens[i].begin, places.sources[i]);
  }
  return written;
}

std::string TargetText::WritePrefix(std::span<const int32_t> tokens) const {
  if (do_not_translate_.empty()) {
    std::string text = tokenizer_->DecodePrefix(tokens);
    if (in_capitals_) PutInCapitals({}, &text);
    return text;
  }
  const Places places = FindPlaces(tokens, true);
  return tokenizer_->DecodePrefix(tokens.first(places.settled), places.tokens);
}

}  // namespace dragoman::engine
