// The part of an item that a language classifier reads: the text without markup, and of this text
// one line, bounded and without special characters.
//
// Pure functions on any bytes.
#pragma once

#include <string>
#include <string_view>

#include "engine/api/text_format.h"

namespace dragoman::server {

// Returns the text of an item. For HTML and Markdown, joins the text of its paragraphs with spaces.
// A document that a translation would refuse is treated as plain text.
std::string TextToDetect(std::string_view item, engine::TextFormat format);

struct DetectionLine {
  std::string text;  // one line, without a line end
  bool has_letters = false;
  bool has_capitals = false;  // letters with a different lower-case form
  // The ISO 15924 code of the script that most letters have, such as "Latn". "" if there are no
  // letters. If most letters are Chinese characters, it is "Hans" or "Hant": the one of which the
  // text has more characters that the other does not use. "Hani" for a tie.
  std::string script;
};

// MakeDetectionLine reads at most kReadBytes of a text and keeps at most kKeptCodePoints.
inline constexpr size_t kReadBytes = 4096;
inline constexpr size_t kKeptCodePoints = 400;

// Returns the beginning of `text`, without bytes that are not UTF-8. White space and control
// characters become single spaces, and so do underscores and angle brackets, because a classifier's
// special words have these ("__label__de", "</s>"). A text all in capitals becomes lower case, in
// which classifiers detect languages better. Time does not depend on the size of `text`.
DetectionLine MakeDetectionLine(std::string_view text);

// Returns `text` in lower case.
std::string LowerCase(std::string_view text);

// Reports whether a text in `script` (as in DetectionLine) may be in a language that is written in
// `wanted`, the script of a language code. For example, "Jpan" accepts Chinese characters and kana.
bool ScriptFits(std::string_view script, std::string_view wanted);

}  // namespace dragoman::server
