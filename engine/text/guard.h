// Finds translations that are probably wrong, by comparing them with their sources: a decoder that
// repeats itself, that ends far too early or late, or that copies the source.
//
// Thread-safety: pure functions.
#pragma once

#include <string_view>

namespace dragoman::engine {

// Says why a translation is probably wrong.
enum class Suspicion {
  kNone,
  kRepeats,      // a part of the translation comes three times or more, one after the other
  kTooLong,      // more than three times as long as the source
  kTooShort,     // less than a quarter as long as the source
  kCopied,       // the words of the source
  kWrongScript,  // mostly in a script in which the target language is not written
};

// The limits are wide, because an ordinary translation should not be reported. A text is as long as
// its characters; Han, kana and Hangul count three times. Short texts are never too long or short.
// Repeats of the source and words of the source in another script are not held against the
// translation. Languages are BCP-47 codes; an unknown one rules out only kCopied and kWrongScript.
// Returns the first reason that applies. Takes time linear in the texts.
Suspicion JudgeTranslation(std::string_view source, std::string_view source_language,
                           std::string_view target, std::string_view target_language);

// Says a suspicion in words; kNone has none.
struct SuspicionWords {
  std::string_view name;       // as a metric names it: "too_long"
  std::string_view statement;  // what a translation does: "is far longer than the text"
};

const SuspicionWords& WordsOf(Suspicion suspicion);

}  // namespace dragoman::engine
