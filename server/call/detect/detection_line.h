// The line that a classifier of languages sees of a text: bounded, and without anything that it
// would take for something else.
//
// Pure functions, on any bytes. Time does not depend on the size of the text.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::server {

struct DetectionLine {
  std::string text;  // one line, without its end
  bool has_letters = false;
  bool has_capitals = false;  // letters that have another form in lower case
  // ISO 15924 of the script of most letters, "Latn"; "Hans" and "Hant" where Chinese characters are
  // found that only the one has, "Hani" for other Chinese. "" without letters.
  std::string script;
};

// At most so many bytes of a text are read, and so many code points kept.
inline constexpr size_t kReadBytes = 4096;
inline constexpr size_t kKeptCodePoints = 400;

// The beginning of `text`: white space and control characters become single spaces, as do
// underscores and angle brackets, of which a classifier's own words are made; bytes that are not
// UTF-8 are left out. A text without small letters is put in lower case, since classifiers know
// few words in capitals.
DetectionLine MakeDetectionLine(std::string_view text);

// The same line in lower case.
std::string LowerCase(std::string_view text);

// Whether text in `script` (as above) may be of a language that is written in `wanted`, a script of
// a language code: "Jpan" takes Chinese characters and kana, say.
bool ScriptFits(std::string_view script, std::string_view wanted);

}  // namespace dragoman::server
