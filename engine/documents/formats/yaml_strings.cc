// The strings of a YAML document.
#include <yaml.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/escapes.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/spliced_document.h"

namespace dragoman::engine {
namespace {

using std::string_view;

constexpr size_t kMaxDepth = 256;

// Reports whether a scalar without quotes is another value than a string.
bool IsOtherValue(string_view text) {
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  for (const string_view word : {"null", "~", "true", "false", "yes", "no", "on", "off", "y", "n",
                                 ".inf", "-.inf", "+.inf", ".nan", "<<", "="}) {
    if (lower == word) return true;
  }
  double number = 0;
  return absl::SimpleAtod(lower, &number) || lower.starts_with("0x") || lower.starts_with("0o");
}

// Reports whether the text may be written without quotes everywhere.
bool IsPlain(string_view text) {
  return !text.empty() && text == StripWhiteSpace(text) && !text.starts_with('-') &&
         !text.starts_with('?') && !IsOtherValue(text) &&
         text.find_first_of(":#,[]{}&*!|>'\"%@`\n\r\t") == string_view::npos;
}

class YamlStrings final : public SplicedDocument {
 public:
  using SplicedDocument::SplicedDocument;

  absl::Status Read(const DocumentOptions& options) {
    if (absl::Status utf8 = CheckUtf8(bytes()); !utf8.ok()) return utf8;
    at_ = ByteOrderMarkSize(bytes());
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
      return absl::ResourceExhaustedError("no memory for a YAML parser");
    }
    const std::unique_ptr<yaml_parser_t, void (*)(yaml_parser_t*)> owner(&parser,
                                                                         yaml_parser_delete);
    yaml_parser_set_input_string(&parser,
                                 reinterpret_cast<const unsigned char*>(bytes().data()) + at_,
                                 bytes().size() - at_);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    while (true) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser, &event) == 0) {
        return absl::InvalidArgumentError(
            Concat("line ", 1 + parser.problem_mark.line,
                   ": not YAML: ", parser.problem == nullptr ? "no memory" : parser.problem));
      }
      const std::unique_ptr<yaml_event_t, void (*)(yaml_event_t*)> event_owner(&event,
                                                                               yaml_event_delete);
      if (event.type == YAML_STREAM_END_EVENT) return absl::OkStatus();
      if (absl::Status read = Take(event, options); !read.ok()) return read;
    }
  }

 private:
  struct Open {
    bool is_mapping = false;
    bool is_value = false;   // the next node is a value, not a key
    bool is_wanted = false;  // all of its values are
  };
  struct Style {
    yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
    std::string header;  // of a block scalar: its first line
    std::string indent;
  };

  // Returns the byte of the character `index`. libyaml counts characters. REQUIRES: `index` is not
  // less than that of the call before.
  size_t ByteOf(size_t index) {
    const string_view all = bytes();
    for (; index_ < index && at_ < all.size(); ++index_) NextCodePoint(all, at_);
    return at_;
  }

  // Returns whether the next node is a value that is wanted, and moves on.
  bool TakeNode(string_view key, const DocumentOptions& options) {
    if (open_.empty()) return options.fields.empty();
    Open& open = open_.back();
    if (!open.is_mapping) return open.is_wanted;
    open.is_value = !open.is_value;
    if (!open.is_value) return is_named_ || open.is_wanted;
    is_named_ = std::ranges::find(options.fields, key) != options.fields.end();
    return false;
  }

  absl::Status Take(const yaml_event_t& event, const DocumentOptions& options) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return TakeScalar(event, options);
      case YAML_ALIAS_EVENT:
        TakeNode("", options);
        return absl::OkStatus();
      case YAML_SEQUENCE_START_EVENT:
      case YAML_MAPPING_START_EVENT: {
        const bool is_wanted = TakeNode("", options);
        open_.push_back({event.type == YAML_MAPPING_START_EVENT, false, is_wanted});
        if (open_.size() <= kMaxDepth) return absl::OkStatus();
        return absl::InvalidArgumentError(
            Concat("line ", 1 + event.start_mark.line, ": nested more than ", kMaxDepth, " deep"));
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        open_.pop_back();
        return absl::OkStatus();
      default:
        return absl::OkStatus();
    }
  }

  absl::Status TakeScalar(const yaml_event_t& event, const DocumentOptions& options) {
    const auto& scalar = event.data.scalar;
    const string_view value(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (!TakeNode(value, options)) return absl::OkStatus();
    const bool is_tagged = scalar.tag != nullptr &&
                           string_view(reinterpret_cast<const char*>(scalar.tag)) != YAML_STR_TAG;
    if (is_tagged || StripWhiteSpace(value).empty()) return absl::OkStatus();
    if (scalar.style == YAML_PLAIN_SCALAR_STYLE && IsOtherValue(value)) return absl::OkStatus();
    auto begin = static_cast<int64_t>(ByteOf(event.start_mark.index));
    // An anchor or tag before the value is part of the event.
    while (bytes()[static_cast<size_t>(begin)] == '&' ||
           bytes()[static_cast<size_t>(begin)] == '!') {
      const size_t space = bytes().find_first_of(" \t\r\n", static_cast<size_t>(begin));
      const size_t value_begin = bytes().find_first_not_of(" \t\r\n", space);
      if (value_begin == std::string::npos) return absl::OkStatus();
      begin = static_cast<int64_t>(value_begin);
    }
    const auto end = static_cast<int64_t>(ByteOf(event.end_mark.index));
    TextRange range = {begin, end};
    Style style = {scalar.style, "", ""};
    std::string text(value);
    if (style.style == YAML_LITERAL_SCALAR_STYLE || style.style == YAML_FOLDED_SCALAR_STYLE) {
      // The line ends behind the text stay in the document.
      const string_view block = range.In(bytes());
      const string_view kept = block.substr(0, block.find_last_not_of(" \t\r\n") + 1);
      range.end = begin + static_cast<int64_t>(kept.size());
      const size_t header = std::min(kept.find('\n'), kept.size());
      style.header = std::string(kept.substr(0, header));
      size_t first = kept.find_first_not_of("\r\n", header);
      if (first == string_view::npos) return absl::OkStatus();
      // Blank lines before the text may have spaces.
      first = kept.rfind('\n', kept.find_first_not_of(" \t\r\n", header)) + 1;
      style.indent = std::string(kept.substr(first, kept.find_first_not_of(' ', first) - first));
      text.erase(text.find_last_not_of(" \t\r\n") + 1);
    }
    styles_.push_back(std::move(style));
    return Add(range, {std::move(text)}, options);
  }

  std::string Encode(size_t text, string_view translation) const override {
    const Style& style = styles_[text];
    if (HasControls(translation)) return EncodeJson(translation);
    switch (style.style) {
      case YAML_PLAIN_SCALAR_STYLE:
        return IsPlain(translation) ? std::string(translation) : EncodeJson(translation);
      case YAML_SINGLE_QUOTED_SCALAR_STYLE:
        if (translation.find_first_of("\n\r\t") != string_view::npos) break;
        return Concat("'", absl::StrReplaceAll(std::string(translation), {{"'", "''"}}), "'");
      case YAML_LITERAL_SCALAR_STYLE:
      case YAML_FOLDED_SCALAR_STYLE:
        return EncodeBlock(style, translation);
      default:
        break;
    }
    return EncodeJson(translation);
  }

  static std::string EncodeBlock(const Style& style, string_view translation) {
    // A line that begins with white space, or a number in the header, would change the indentation.
    const string_view indicators = string_view(style.header).substr(0, style.header.find('#'));
    const bool is_indented =
        translation.starts_with(' ') || indicators.find_first_of("123456789") != string_view::npos;
    if (is_indented) return EncodeJson(translation);
    const bool is_folded = style.style == YAML_FOLDED_SCALAR_STYLE;
    std::string block = style.header;
    bool is_first = true;
    for (const string_view line : SplitAt(translation, '\n')) {
      block +=
          Concat(is_folded && !is_first ? "\n\n" : "\n", line.empty() ? "" : style.indent, line);
      is_first = false;
    }
    return block;
  }

  size_t at_ = 0;     // the byte of
  size_t index_ = 0;  // this character
  std::vector<Open> open_;
  bool is_named_ = false;      // the last key is one of the fields
  std::vector<Style> styles_;  // for each text
};

}  // namespace

ReadDocument ReadYamlStrings(std::string bytes, const DocumentOptions& options) {
  auto document = std::make_unique<YamlStrings>(std::move(bytes));
  if (absl::Status read = document->Read(options); !read.ok()) return read;
  return document;
}

}  // namespace dragoman::engine
