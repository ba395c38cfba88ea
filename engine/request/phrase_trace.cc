#include "engine/request/phrase_trace.h"

#include <algorithm>

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

}  // namespace dragoman
