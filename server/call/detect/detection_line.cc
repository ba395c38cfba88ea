#include "server/call/detect/detection_line.h"

#include <unicode/translit.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <memory>
#include <string>

#include "engine/base/utf8.h"
#include "engine/text/markup/markup.h"

namespace dragoman::server {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool IsSpace(char32_t c) {
  return engine::IsWhiteSpace(c) || c < 0x20 || c == 0x7F || c == U'_' || c == U'<' || c == U'>' ||
         u_iscntrl(static_cast<UChar32>(c)) != 0;
}

// The Unicode block that has nearly all Chinese characters in use.
constexpr char32_t kFirstCharacter = 0x4E00;
constexpr char32_t kLastCharacter = 0x9FFF;
using Characters = std::bitset<kLastCharacter - kFirstCharacter + 1>;

// Returns the characters that the transliteration changes. Line ends between the characters keep it
// from changing them as words.
Characters ChangedBy(const char* transliteration) {
  Characters changed;
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<icu::Transliterator> change(
      icu::Transliterator::createInstance(transliteration, UTRANS_FORWARD, error));
  if (U_FAILURE(error) || change == nullptr) return changed;
  icu::UnicodeString lines;
  for (char32_t c = kFirstCharacter; c <= kLastCharacter; ++c) {
    lines.append(static_cast<UChar32>(c)).append(static_cast<UChar32>(U'\n'));
  }
  change->transliterate(lines);
  char32_t c = kFirstCharacter;
  int32_t begin = 0;
  for (; c <= kLastCharacter; ++c) {
    const int32_t end = lines.indexOf(static_cast<UChar32>(U'\n'), begin);
    if (end < 0) break;
    if (lines.tempSubStringBetween(begin, end) != icu::UnicodeString(static_cast<UChar32>(c))) {
      changed.set(c - kFirstCharacter);
    }
    begin = end + 1;
  }
  return changed;
}

struct Tables {
  Characters simplified = ChangedBy("Simplified-Traditional");
  Characters traditional = ChangedBy("Traditional-Simplified");
};

const Tables& GetTables() {
  static const Tables* const tables = new Tables;
  return *tables;
}

// Distinguishes simplified from traditional Chinese by the characters that only one of them uses,
// according to ICU's transliterations between the two. The table of characters is built once, at
// the first use.
class HanCounter {
 public:
  void Add(char32_t character) {
    if (character < kFirstCharacter || character > kLastCharacter) return;
    const Tables& tables = GetTables();
    const bool simplified = tables.simplified.test(character - kFirstCharacter);
    const bool traditional = tables.traditional.test(character - kFirstCharacter);
    // Both scripts use a character that both transliterations change.
    if (simplified && !traditional) ++simplified_;
    if (traditional && !simplified) ++traditional_;
  }

  // Returns "Hans" or "Hant": the script with more characters that the other does not use. Returns
  // "Hani" for a tie or if ICU lacks the tables.
  std::string Script() const {
    if (simplified_ == traditional_) return "Hani";
    return simplified_ > traditional_ ? "Hans" : "Hant";
  }

 private:
  int simplified_ = 0;
  int traditional_ = 0;
};

// Counts the letters of each script.
class Scripts {
 public:
  void Add(char32_t letter) {
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(static_cast<UChar32>(letter), &error);
    if (U_FAILURE(error) || script == USCRIPT_COMMON || script == USCRIPT_INHERITED) return;
    ++counts_[script];
    if (script == USCRIPT_HAN) han_.Add(letter);
  }

  std::string Most() const {
    const auto most =
        std::max_element(counts_.begin(), counts_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == counts_.end()) return "";
    if (most->first == USCRIPT_HAN) return han_.Script();
    return uscript_getShortName(most->first);
  }

 private:
  std::map<UScriptCode, int> counts_;
  HanCounter han_;
};

}  // namespace

std::string TextToDetect(std::string_view item, engine::TextFormat format) {
  const bool is_plain = format == engine::TextFormat::kPlain;
  if (is_plain || engine::FirstInvalidUtf8(item).has_value()) return std::string(item);
  const auto document = engine::MarkupDocument::Parse(item, format);
  if (!document.ok()) return std::string(item);
  std::string text;
  for (int64_t run = 0; run < document->runs(); ++run) {
    if (!text.empty()) text += ' ';
    text += document->text(run);
  }
  return text;
}

DetectionLine MakeDetectionLine(std::string_view text) {
  text = text.substr(0, kReadBytes);
  text.remove_suffix(static_cast<size_t>(engine::IncompleteUtf8Tail(text)));
  DetectionLine line;
  Scripts scripts;
  bool has_small = false;
  size_t kept = 0;
  for (size_t at = 0; at < text.size() && kept < kKeptCodePoints;) {
    const char32_t c = engine::NextCodePoint(text, at);
    if (c == kReplacement) continue;
    if (IsSpace(c)) {
      if (line.text.empty() || line.text.back() == ' ') continue;
      line.text += ' ';
    } else {
      engine::AppendUtf8(c, line.text);
    }
    ++kept;
    const auto point = static_cast<UChar32>(c);
    if (u_isalpha(point) == 0) continue;
    line.has_letters = true;
    scripts.Add(c);
    if (u_tolower(point) != point) {
      line.has_capitals = true;
    } else if (u_toupper(point) != point) {
      has_small = true;
    }
  }
  line.script = scripts.Most();
  if (line.has_capitals && !has_small) {
    line.text = LowerCase(line.text);
    line.has_capitals = false;
  }
  return line;
}

std::string LowerCase(std::string_view text) {
  std::string lower;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = engine::NextCodePoint(text, at);
    engine::AppendUtf8(static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))), lower);
  }
  return lower;
}

bool ScriptFits(std::string_view script, std::string_view wanted) {
  if (script == wanted) return true;
  const bool is_han = script == "Hani" || script == "Hans" || script == "Hant";
  if (wanted == "Hani") return is_han;
  if (wanted == "Hans" || wanted == "Hant") return script == "Hani";
  if (wanted == "Jpan") return is_han || script == "Hira" || script == "Kana";
  if (wanted == "Kore") return is_han || script == "Hang";
  return false;
}

}  // namespace dragoman::server
