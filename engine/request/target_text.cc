#include "engine/request/target_text.h"

#include <algorithm>
#include <utility>

#include "engine/request/phrase_trace.h"

namespace dragoman {

TargetText::TargetText(const Tokenizer* tokenizer, ConstraintTable constraints,
                       std::vector<DoNotTranslatePhrase> do_not_translate)
    : tokenizer_(tokenizer),
      constraints_(std::move(constraints)),
      do_not_translate_(std::move(do_not_translate)) {}

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
  if (do_not_translate_.empty()) return tokenizer_->DecodePrefix(tokens);
  const Places places = FindPlaces(tokens, true);
  return tokenizer_->DecodePrefix(tokens.first(places.settled), places.tokens);
}

}  // namespace dragoman
