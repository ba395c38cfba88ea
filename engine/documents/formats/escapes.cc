#include "engine/documents/formats/escapes.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "absl/strings/str_format.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// Returns the control character that `c` stands for after a backslash, or 0.
char ControlOf(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'f':
      return '\f';
    default:
      return 0;
  }
}

// Reads four hexadecimal digits at `at`, or returns -1.
int32_t HexAt(string_view bytes, size_t at) {
  int32_t value = 0;
  if (at + 4 > bytes.size()) return -1;
  const char* const begin = bytes.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + 4, value, 16);
  return error == std::errc() && end == begin + 4 ? value : -1;
}

constexpr bool IsHighSurrogate(int32_t c) { return c >= 0xD800 && c < 0xDC00; }
constexpr bool IsLowSurrogate(int32_t c) { return c >= 0xDC00 && c < 0xE000; }

// Reports whether YAML has the character only as an escape.
bool IsControl(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

}  // namespace

std::vector<string_view> SplitAt(string_view text, char separator) {
  std::vector<string_view> parts;
  for (size_t at = 0;;) {
    const size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == string_view::npos) return parts;
    at = end + 1;
  }
}

std::string DecodeC(string_view bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] != '\\' || at + 1 == bytes.size()) {
      text += bytes[at];
      continue;
    }
    const char c = bytes[++at];
    if (const char control = ControlOf(c); control != 0) {
      text += control;
    } else if (c >= '0' && c <= '7') {
      int value = 0;
      size_t digits = 0;
      for (; digits < 3 && at + digits < bytes.size() && bytes[at + digits] >= '0' &&
             bytes[at + digits] <= '7';
           ++digits) {
        value = 8 * value + (bytes[at + digits] - '0');
      }
      text += static_cast<char>(value);
      at += digits - 1;
    } else {
      text += c;
    }
  }
  return text;
}

std::string DecodeJava(string_view bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] != '\\' || at + 1 == bytes.size()) {
      text += bytes[at];
      continue;
    }
    const char c = bytes[++at];
    if (c == '\r' || c == '\n') {
      // The line goes on after the white space of the next one.
      if (c == '\r' && at + 1 < bytes.size() && bytes[at + 1] == '\n') ++at;
      while (at + 1 < bytes.size() && (bytes[at + 1] == ' ' || bytes[at + 1] == '\t')) ++at;
    } else if (const char control = ControlOf(c); control != 0) {
      text += control;
    } else if (const int32_t unit = c == 'u' ? HexAt(bytes, at + 1) : -1; unit >= 0) {
      at += 4;
      char32_t code_point = static_cast<char32_t>(unit);
      if (IsHighSurrogate(unit) && bytes.substr(at + 1).starts_with("\\u") &&
          IsLowSurrogate(HexAt(bytes, at + 3))) {
        code_point = static_cast<char32_t>(0x10000 + ((unit - 0xD800) << 10) +
                                           (HexAt(bytes, at + 3) - 0xDC00));
        at += 6;
      } else if (IsHighSurrogate(unit) || IsLowSurrogate(unit)) {
        code_point = 0xFFFD;
      }
      AppendUtf8(code_point, text);
    } else {
      text += c;
    }
  }
  return text;
}

std::string EncodeC(string_view text) {
  std::string bytes;
  for (const char c : text) {
    switch (c) {
      case '\n':
        bytes += "\\n";
        break;
      case '\t':
        bytes += "\\t";
        break;
      case '\r':
        bytes += "\\r";
        break;
      case '"':
      case '\\':
        bytes += '\\';
        [[fallthrough]];
      default:
        bytes += c;
    }
  }
  return bytes;
}

bool HasControls(string_view text) {
  for (size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    if (c != '\n' && c != '\t' && IsControl(c)) return true;
  }
  return false;
}

std::string EncodeJson(string_view text) {
  std::string bytes = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = NextCodePoint(text, at);
    if (c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\') {
      bytes += EncodeC(text.substr(begin, 1));
    } else if (IsControl(c)) {
      bytes += absl::StrFormat("\\u%04x", static_cast<uint32_t>(c));
    } else {
      bytes += text.substr(begin, at - begin);
    }
  }
  return bytes += '"';
}

}  // namespace dragoman::engine
