#include "engine/documents/fragment.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/text/html/html_entities.h"
#include "engine/text/html/html_tokenizer.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// Returns the number of a tag of FragmentBuilder, or -1 for another tag.
int NumberOf(const HtmlToken& token, string_view bytes) {
  string_view digits;
  if (token.name.starts_with('g')) {
    digits = string_view(token.name).substr(1);
  } else if (token.name == "img" || token.name == "br" || token.name == "code") {
    digits = bytes.substr(std::min(bytes.size() - 1, 2 + token.name.size()));
    digits.remove_suffix(1);
  }
  int number = -1;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && at == end && number >= 0 ? number : -1;
}

// Returns the pieces of a fragment, whose elements are balanced, or an error for other markup.
absl::StatusOr<std::vector<FragmentPiece>> Pieces(string_view html) {
  std::vector<FragmentPiece> pieces;
  std::vector<int> open;
  bool is_kept = false;  // inside a kept text
  for (const HtmlToken& token : TokenizeHtml(html)) {
    const string_view bytes = token.range.In(html);
    if (is_kept) {
      is_kept = token.kind != HtmlToken::Kind::kEndTag || token.name != "code";
      continue;
    }
    if (token.kind == HtmlToken::Kind::kText) {
      pieces.push_back({FragmentPiece::Kind::kText, -1, DecodeCharacterReferences(bytes)});
      continue;
    }
    const bool is_start = token.kind == HtmlToken::Kind::kStartTag;
    const bool is_end = token.kind == HtmlToken::Kind::kEndTag;
    const int number = is_start || is_end ? NumberOf(token, bytes) : -1;
    if (number < 0) return absl::InvalidArgumentError("the translation has a foreign tag");
    FragmentPiece::Kind kind = FragmentPiece::Kind::kVoid;
    if (token.name[0] == 'g') {
      kind = is_start ? FragmentPiece::Kind::kOpen : FragmentPiece::Kind::kClose;
    }
    if (kind == FragmentPiece::Kind::kOpen) open.push_back(number);
    if (kind == FragmentPiece::Kind::kClose) {
      if (open.empty() || open.back() != number) {
        return absl::InvalidArgumentError("the translation has an element that is not closed");
      }
      open.pop_back();
    }
    pieces.push_back({kind, number, ""});
    is_kept = token.name == "code";
  }
  if (!open.empty() || is_kept) {
    return absl::InvalidArgumentError("the translation has an element that is not closed");
  }
  return pieces;
}

}  // namespace

void FragmentBuilder::Text(string_view text) {
  has_text_ = has_text_ || !StripWhiteSpace(text).empty();
  plain_ += text;
  AppendEscaped(text, html_);
}

void FragmentBuilder::Tag(string_view before, int number) {
  has_markup_ = true;
  html_ += Concat(before, number, ">");
}

void FragmentBuilder::Open(int number) { Tag("<g", number); }
void FragmentBuilder::Close(int number) { Tag("</g", number); }
void FragmentBuilder::Void(int number) { Tag("<img ", number); }
void FragmentBuilder::Break(int number) { Tag("<br ", number); }

void FragmentBuilder::Kept(int number, string_view text) {
  Tag("<code ", number);
  AppendEscaped(text, html_);
  html_ += "</code>";
}

DocumentText FragmentBuilder::Take() {
  if (has_markup_) return {std::move(html_), TextFormat::kHtml, true};
  return {std::move(plain_)};
}

absl::StatusOr<std::vector<FragmentPiece>> ReadFragment(const DocumentText& source,
                                                        string_view translation) {
  if (source.format == TextFormat::kPlain) {
    return std::vector<FragmentPiece>{{FragmentPiece::Kind::kText, -1, std::string(translation)}};
  }
  absl::StatusOr<std::vector<FragmentPiece>> expected = Pieces(source.text);
  absl::StatusOr<std::vector<FragmentPiece>> pieces = Pieces(translation);
  if (!expected.ok() || !pieces.ok()) return expected.ok() ? pieces : expected;
  // How often the source has each void, less the translation's.
  std::map<int, int> voids;
  std::map<int, bool> elements;
  for (const FragmentPiece& piece : *expected) {
    if (piece.kind == FragmentPiece::Kind::kVoid) ++voids[piece.number];
    if (piece.kind == FragmentPiece::Kind::kOpen) elements[piece.number] = true;
  }
  bool has_foreign = false;
  std::erase_if(*pieces, [&](const FragmentPiece& piece) {
    if (piece.kind == FragmentPiece::Kind::kVoid) {
      has_foreign = has_foreign || !voids.contains(piece.number);
      return --voids[piece.number] < 0;
    }
    has_foreign = has_foreign ||
                  (piece.kind == FragmentPiece::Kind::kOpen && !elements.contains(piece.number));
    return false;
  });
  if (has_foreign) return absl::InvalidArgumentError("the translation has a foreign tag");
  if (std::ranges::any_of(voids, [](const auto& entry) { return entry.second > 0; })) {
    return absl::InvalidArgumentError("the translation has lost a tag");
  }
  return pieces;
}

void AppendXmlText(string_view text, std::string& xml) {
  size_t from = 0;
  const auto copy = [&](size_t end) { AppendEscaped(text.substr(from, end - from), xml); };
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = NextCodePoint(text, at);
    const bool is_excluded =
        (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xFFFE || c == 0xFFFF;
    if (!is_excluded) continue;
    copy(begin);
    from = at;
  }
  copy(text.size());
}

}  // namespace dragoman::engine
