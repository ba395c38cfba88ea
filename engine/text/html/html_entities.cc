#include "engine/text/html/html_entities.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "absl/strings/ascii.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

struct Entity {
  std::string_view name;
  std::string_view text;
  bool is_bare;
};

constexpr Entity kEntities[] = {
#include "engine/text/html_entity_table.inc"
};

constexpr size_t kLongestName = 31;
constexpr size_t kLongestBareName = 6;
constexpr uint32_t kNoCharacter = 0xFFFD;

// The code points for the numbers 0x80 to 0x9F: the characters of windows-1252, or the number
// itself if windows-1252 has no character there.
constexpr std::array<uint16_t, 32> kWindows1252 = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

const Entity* Find(std::string_view name) {
  const Entity* const found =
      std::lower_bound(std::begin(kEntities), std::end(kEntities), name,
                       [](const Entity& entity, std::string_view n) { return entity.name < n; });
  return found != std::end(kEntities) && found->name == name ? found : nullptr;
}

CharacterReference ReadNumber(std::string_view text) {
  size_t at = 2;
  const bool is_hex = at < text.size() && (text[at] == 'x' || text[at] == 'X');
  if (is_hex) ++at;
  const size_t begin = at;
  uint32_t number = 0;
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (is_hex ? !absl::ascii_isxdigit(c) : !absl::ascii_isdigit(c)) break;
    const uint32_t digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    number = std::min<uint32_t>(number * (is_hex ? 16 : 10) + digit, 0x110000);
  }
  if (at == begin) return {};
  if (at < text.size() && text[at] == ';') ++at;
  if (number >= 0x80 && number < 0xA0) number = kWindows1252[number - 0x80];
  const bool is_surrogate = number >= 0xD800 && number < 0xE000;
  if (number == 0 || is_surrogate || number > 0x10FFFF) number = kNoCharacter;
  CharacterReference reference{at, {}};
  AppendUtf8(number, reference.text);
  return reference;
}

}  // namespace

CharacterReference ReadCharacterReference(std::string_view text) {
  if (text.size() < 2 || text[0] != '&') return {};
  if (text[1] == '#') return ReadNumber(text);
  size_t end = 1;
  while (end < text.size() && end <= kLongestName + 1 &&
         absl::ascii_isalnum(static_cast<unsigned char>(text[end]))) {
    ++end;
  }
  const std::string_view name = text.substr(1, end - 1);
  if (end < text.size() && text[end] == ';') {
    if (const Entity* entity = Find(name)) return {end + 1, std::string(entity->text)};
  }
  for (size_t size = std::min(name.size(), kLongestBareName); size > 0; --size) {
    const Entity* entity = Find(name.substr(0, size));
    if (entity != nullptr && entity->is_bare) return {size + 1, std::string(entity->text)};
  }
  return {};
}

std::string DecodeCharacterReferences(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    const size_t plain = std::min(html.find('&'), html.size());
    text += html.substr(0, plain);
    html.remove_prefix(plain);
    if (html.empty()) break;
    const CharacterReference reference = ReadCharacterReference(html);
    text += reference.size > 0 ? reference.text : "&";
    html.remove_prefix(std::max<size_t>(reference.size, 1));
  }
  return text;
}

void AppendEscaped(std::string_view text, std::string& html) {
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      default:
        html += c;
    }
  }
}

}  // namespace dragoman::engine
