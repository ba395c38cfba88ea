#include "engine/model/formats/yaml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "engine/base/concat.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

constexpr size_t kMaxShown = 60;

bool IsSpace(char c) { return c == ' ' || c == '\t'; }

std::string_view WithoutSpaces(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Reads one line, scalar by scalar. Its error() is a phrase that Parser puts into a message.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  const char* error() const { return error_; }
  bool is_unsupported() const { return is_unsupported_; }

  void SkipSpaces() {
    while (!rest_.empty() && IsSpace(rest_.front())) rest_.remove_prefix(1);
  }
  // Reports whether nothing but white space or a comment is left.
  bool AtEnd() {
    const bool spaced = rest_.empty() || IsSpace(rest_.front());
    SkipSpaces();
    return rest_.empty() || (rest_.front() == '#' && (spaced || is_start_));
  }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    is_start_ = false;
    return true;
  }
  bool StartsWith(char c) const { return !rest_.empty() && rest_.front() == c; }
  // Takes "- ", or a "-" that ends the line.
  bool TakeDash() {
    if (!StartsWith('-') || (rest_.size() > 1 && !IsSpace(rest_[1]))) return false;
    rest_.remove_prefix(1);
    is_start_ = false;
    return true;
  }

  // Reads a key and its ':'. Returns false if the line has no key.
  bool Key(std::string* key) {
    if (StartsWith('"') || StartsWith('\'')) {
      if (!Quoted(key)) return false;
      SkipSpaces();
      if (Take(':') && (rest_.empty() || IsSpace(rest_.front()))) return true;
      return Fail("has no ': ' behind its key");
    }
    if (rest_.starts_with("? ")) return Unsupported("has a key on a line of its own");
    size_t end = 0;
    while (end < rest_.size() &&
           !(rest_[end] == ':' && (end + 1 == rest_.size() || IsSpace(rest_[end + 1])))) {
      if (rest_[end] == '#' && end > 0 && IsSpace(rest_[end - 1])) end = rest_.size();
      if (end < rest_.size()) ++end;
    }
    if (end >= rest_.size()) return Fail("has no key with ': ' behind it");
    if (!Plain(rest_.substr(0, end), key)) return false;
    rest_.remove_prefix(end + 1);
    is_start_ = false;
    return true;
  }

  // Reads the rest of the line up to a comment; within brackets, up to ',' or ']'.
  bool Scalar(bool in_brackets, std::string* text) {
    SkipSpaces();
    if (StartsWith('"') || StartsWith('\'')) return Quoted(text);
    size_t end = 0;
    for (; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (c == '#' && (end == 0 || IsSpace(rest_[end - 1]))) break;
      if (in_brackets && (c == ',' || c == ']')) break;
      if (c == ':' && (end + 1 == rest_.size() || IsSpace(rest_[end + 1]))) {
        return Unsupported("has a mapping within a value");
      }
    }
    if (!Plain(rest_.substr(0, end), text)) return false;
    rest_.remove_prefix(end);
    // A '#' after white space begins a comment.
    if (rest_.starts_with('#')) rest_ = {};
    is_start_ = false;
    return true;
  }

 private:
  bool Fail(const char* what) {
    error_ = what;
    return false;
  }
  bool Unsupported(const char* what) {
    is_unsupported_ = true;
    return Fail(what);
  }

  bool Plain(std::string_view text, std::string* out) {
    text = WithoutSpaces(text);
    constexpr std::string_view kIndicators = "&*!|>%@`?{}[],";
    if (!text.empty() && kIndicators.find(text.front()) != std::string_view::npos &&
        !(text.front() == '?' && text.size() > 1 && !IsSpace(text[1]))) {
      return Unsupported("has a scalar that begins with one of &*!|>%@`?{}[],");
    }
    *out = std::string(text);
    return true;
  }

  bool Quoted(std::string* out) {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    is_start_ = false;
    out->clear();
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == quote) {
        if (quote == '"' || !Take('\'')) return true;
        out->push_back('\'');
      } else if (c == '\\' && quote == '"') {
        if (!Escape(out)) return false;
      } else {
        out->push_back(c);
      }
    }
    return Fail("has a quote that does not end on it");
  }

  bool Escape(std::string* out) {
    if (rest_.empty()) return Fail("has a quote that does not end on it");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view kEscapes = "0abtnvfre \"/\\N_LP";
    constexpr char32_t kCodes[] = {0,   7,   8,   9,    10,   11,   12,     13,    27,
                                   ' ', '"', '/', '\\', 0x85, 0xa0, 0x2028, 0x2029};
    static_assert(kEscapes.size() == std::size(kCodes));
    if (const size_t at = kEscapes.find(c); at != std::string_view::npos) {
      AppendUtf8(kCodes[at], *out);
      return true;
    }
    const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0;
    const char* const end = rest_.data() + std::min(digits, rest_.size());
    const auto [read, failed] = std::from_chars(rest_.data(), end, code, 16);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    if (digits == 0 || digits > rest_.size() || failed != std::errc() || read != end ||
        code > 0x10ffff || is_surrogate) {
      return Fail("has an escape that is none of YAML's");
    }
    rest_.remove_prefix(digits);
    AppendUtf8(code, *out);
    return true;
  }

  std::string_view rest_;
  bool is_start_ = true;  // whether no part of the line has been read
  const char* error_ = "";
  bool is_unsupported_ = false;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  absl::StatusOr<YamlMap> Parse() {
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++number_;
      if (absl::Status status = ReadLine(line); !status.ok()) return status;
    }
    return std::move(map_);
  }

 private:
  absl::Status ReadLine(std::string_view line) {
    if (number_ == 1 && WithoutSpaces(line) == "---") return absl::OkStatus();
    LineReader in(line);
    const bool is_indented = !line.empty() && IsSpace(line.front());
    if (in.AtEnd()) return absl::OkStatus();
    if (in.TakeDash()) return ReadItem(in);
    if (is_indented) return ReadIndented(in);
    std::string key;
    if (!in.Key(&key)) return Wrong(in);
    const auto [at, is_new] = map_.try_emplace(std::move(key));
    if (!is_new) return Invalid(Concat("has the key '", Shortened(at->first), "' a second time"));
    last_ = &at->second;
    last_->line = number_;
    is_open_ = in.AtEnd();
    return is_open_ ? absl::OkStatus() : ReadValue(in);
  }

  // Reads the value of a key, which is on the key's line or alone on the next line.
  absl::Status ReadValue(LineReader& in) {
    in.SkipSpaces();
    if (!in.Take('[')) {
      if (!in.Scalar(false, &last_->text)) return Wrong(in);
      return in.AtEnd() ? absl::OkStatus() : Invalid("goes on behind its value");
    }
    last_->is_list = true;
    in.SkipSpaces();
    if (!in.Take(']')) {
      for (bool more = true; more;) {
        std::string item;
        if (!in.Scalar(true, &item)) return Wrong(in);
        last_->items.push_back(std::move(item));
        in.SkipSpaces();
        more = in.Take(',');
        if (!more && !in.Take(']')) return Invalid("has a list without its ']'");
      }
    }
    return in.AtEnd() ? absl::OkStatus() : Invalid("goes on behind its value");
  }

  absl::Status ReadItem(LineReader& in) {
    if (last_ == nullptr || !is_open_) return Invalid("has an item of no list");
    last_->is_list = true;
    std::string item;
    if (!in.AtEnd()) {
      if (in.TakeDash()) return Unsupported("has a list within a list");
      if (!in.Scalar(false, &item)) return Wrong(in);
      if (!in.AtEnd()) return Invalid("goes on behind its value");
    }
    last_->items.push_back(std::move(item));
    return absl::OkStatus();
  }

  absl::Status ReadIndented(LineReader& in) {
    if (last_ == nullptr || !is_open_ || last_->is_list) {
      return Unsupported("is indented, and neither an item nor a value");
    }
    is_open_ = false;
    return ReadValue(in);
  }

  static std::string_view Shortened(std::string_view text) { return text.substr(0, kMaxShown); }

  absl::Status Wrong(const LineReader& in) const {
    return in.is_unsupported() ? Unsupported(in.error()) : Invalid(in.error());
  }
  absl::Status Invalid(std::string_view what) const {
    return absl::InvalidArgumentError(Concat(file_, ": line ", number_, " ", what));
  }
  absl::Status Unsupported(std::string_view what) const {
    return absl::UnimplementedError(
        Concat(file_, ": line ", number_, " ", what,
               ", which is not supported; supported: keys with a scalar or a list of scalars"));
  }

  std::string_view rest_;
  const std::string_view file_;
  int number_ = 0;
  YamlMap map_;
  YamlValue* last_ = nullptr;  // the value of the previous key
  bool is_open_ = false;       // whether the value of the previous key may be on the next lines
};

}  // namespace

absl::StatusOr<YamlMap> ParseYaml(std::string_view text, std::string_view file) {
  return Parser(text, file).Parse();
}

const YamlValue* YamlFields::Find(std::string_view name) const {
  const auto found = map_.find(name);
  return found == map_.end() ? nullptr : &found->second;
}

std::string YamlFields::Found(std::string_view name) const {
  const YamlValue* value = Find(name);
  if (value == nullptr) return "is missing";
  if (value->is_list) return Concat("is a list of ", value->items.size());
  return Concat("is '", std::string_view(value->text).substr(0, kMaxShown), "'");
}

std::string YamlFields::String(std::string_view name, std::string_view absent) {
  const YamlValue* value = Find(name);
  if (value == nullptr) return std::string(absent);
  if (value->is_list) Fail(name, "a text");
  return value->text;
}

bool YamlFields::Flag(std::string_view name, bool absent) {
  const YamlValue* value = Find(name);
  if (value == nullptr) return absent;
  if (value->text != "true" && value->text != "false") Fail(name, "true or false");
  return value->text == "true";
}

int64_t YamlFields::Whole(std::string_view name, std::optional<int64_t> absent, int64_t min,
                          int64_t max) {
  const YamlValue* value = Find(name);
  if (value == nullptr && absent.has_value()) return *absent;
  int64_t number = 0;
  bool is_right = false;
  if (value != nullptr && !value->is_list) {
    const char* const end = value->text.data() + value->text.size();
    const auto [read, failed] = std::from_chars(value->text.data(), end, number);
    is_right = failed == std::errc() && read == end && number >= min && number <= max;
  }
  if (is_right) return number;
  Fail(name, Concat("a whole number from ", min, " to ", max));
  return min;
}

double YamlFields::Number(std::string_view name, double absent) {
  const YamlValue* value = Find(name);
  if (value == nullptr) return absent;
  double number = 0;
  const char* const end = value->text.data() + value->text.size();
  const auto [read, failed] = std::from_chars(value->text.data(), end, number);
  if (!value->is_list && failed == std::errc() && read == end && std::isfinite(number)) {
    return number;
  }
  Fail(name, "a number");
  return absent;
}

std::vector<std::string> YamlFields::List(std::string_view name) {
  const YamlValue* value = Find(name);
  if (value == nullptr) return {};
  if (value->is_list) return value->items;
  // The value has no brackets. It is a list of one item, or an empty list if it is empty.
  if (value->text.empty()) return {};
  return {value->text};
}

}  // namespace dragoman::engine
