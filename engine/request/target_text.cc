#include "engine/request/target_text.h"

#include <algorithm>
#include <utility>

namespace dragoman {
namespace {

// No phrase has it: what is pending when it comes is completed or given up.
constexpr int32_t kNoToken = -1;

bool Matches(const ConstraintSet& set, int32_t phrase, std::span<const int32_t> tokens) {
  const auto length = static_cast<size_t>(set.Length(phrase));
  if (length > tokens.size()) return false;
  return std::equal(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(length),
                    set.tokens + set.begin[phrase]);
}

}  // namespace

PhraseTrace TracePhrases(const ConstraintSet& set, std::span<const int32_t> tokens,
                         bool is_prefix) {
  PhraseTrace trace;
  ConstraintState state = StartConstraints(set);
  const auto size = static_cast<int32_t>(tokens.size());
  for (int32_t at = 0; at <= size; ++at) {
    if (at == size && is_prefix) break;
    const ConstraintState before = state;
    state = Advance(set, before, at < size ? tokens[static_cast<size_t>(at)] : kNoToken);
    // A phrase that has just been completed lies in the path that was open and this token. The
    // state takes the longest needed phrase at a place, and else drops a token and looks again; so
    // does this loop, with the phrases that the state is known to have found.
    std::vector<int32_t> found;
    for (int32_t phrase = 0; phrase < set.phrases; ++phrase) {
      using constraints_internal::IsMet;
      if (IsMet(state, phrase) && !IsMet(before, phrase)) found.push_back(phrase);
    }
    const int32_t end = std::min(at + 1, size);
    for (int32_t begin = at - before.depth; begin < end && !found.empty();) {
      const auto rest =
          tokens.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
      auto longest = found.end();
      for (auto phrase = found.begin(); phrase != found.end(); ++phrase) {
        if (!Matches(set, *phrase, rest)) continue;
        if (longest == found.end() || set.Length(*phrase) > set.Length(*longest)) longest = phrase;
      }
      if (longest == found.end()) {
        ++begin;
        continue;
      }
      trace.places.push_back({*longest, begin, begin + set.Length(*longest)});
      begin += set.Length(*longest);
      found.erase(longest);
    }
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
  if (!sentinels_.empty()) {
    RestoredText restored = RestoreSentinels(tokenizer_->DecodeWithRanges(tokens), sentinels_);
    WrittenText written{std::move(restored.decoded),
                        {},
                        std::move(restored.tokens),
                        restored.lost_phrases,
                        restored.lost_unknown};
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
  if (do_not_translate_.empty()) return tokenizer_->DecodePrefix(tokens);
  const Places places = FindPlaces(tokens, true);
  return tokenizer_->DecodePrefix(tokens.first(places.settled), places.tokens);
}

}  // namespace dragoman
