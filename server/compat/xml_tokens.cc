#include "server/compat/xml_tokens.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "server/api/absl_view.h"
#include "server/base/work_count.h"

namespace dragoman::server {
namespace {

using Kind = XmlToken::Kind;

constexpr std::array<std::string_view, 5> kEntities = {"amp", "lt", "gt", "quot", "apos"};
// The maximum number of bytes that a message shows of a name.
constexpr size_t kMaxShownBytes = 40;
// The maximum number of open tags.
constexpr size_t kMaxDepth = 256;
// The maximum number of elements in a text.
constexpr size_t kMaxElements = 1 << 16;

bool BeginsName(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsInName(char c) {
  return BeginsName(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' ||
         c == '.';
}

bool IsDecimalDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsHexDigit(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); }

// Returns at most kMaxShownBytes of `text`, cut at a character boundary.
std::string_view Shown(std::string_view text) {
  text = text.substr(0, kMaxShownBytes);
  return text.substr(0, text.size() - static_cast<size_t>(engine::IncompleteUtf8Tail(text)));
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view xml) : xml_(xml) {}

  absl::StatusOr<std::vector<XmlToken>> Run() {
    while (at_ < xml_.size()) {
      const absl::Status read = xml_[at_] == '<' ? ReadMarkup() : ReadText();
      if (!read.ok()) return read;
    }
    if (!open_.empty()) {
      const XmlToken& start = tokens_[open_.back()];
      return Error(
          absl::StrCat("the text ends, and <", View(Shown(start.name)), "> is not closed"));
    }
    return std::move(tokens_);
  }

 private:
  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("byte ", at_, ": ", View(what)));
  }

  // Like std::string_view::find, but counts the bytes.
  size_t Find(std::string_view what, size_t from) const {
    const size_t found = xml_.find(what, from);
    CountBytes(std::min(found, xml_.size()) - std::min(from, xml_.size()));
    return found;
  }

  void Add(Kind kind, size_t end, std::string_view name = {}) {
    tokens_.push_back({kind, xml_.substr(at_, end - at_), name, tokens_.size()});
    at_ = end;
  }

  absl::Status ReadText() {
    const size_t end = std::min(Find("<", at_), xml_.size());
    const size_t begin = at_;
    for (; at_ < end; ++at_) {
      if (xml_[at_] == '\0') return Error("found U+0000, which XML does not allow");
      if (xml_[at_] != '&') continue;
      const absl::Status reference = CheckReference(end);
      if (!reference.ok()) return reference;
    }
    at_ = begin;
    Add(Kind::kText, end);
    return absl::OkStatus();
  }

  absl::Status CheckReference(size_t end) const {
    const std::string_view rest = xml_.substr(at_ + 1, end - at_ - 1);
    const std::string_view name = rest.substr(0, rest.find(';'));
    CountBytes(name.size());
    if (name.size() < rest.size()) {
      if (std::ranges::find(kEntities, name) != kEntities.end()) return absl::OkStatus();
      if (name.starts_with("#x")) {
        if (name.size() > 2 && std::ranges::all_of(name.substr(2), IsHexDigit)) {
          return absl::OkStatus();
        }
      } else if (name.size() > 1 && name[0] == '#' &&
                 std::ranges::all_of(name.substr(1), IsDecimalDigit)) {
        return absl::OkStatus();
      }
    }
    return Error(absl::StrCat("found \"&", View(Shown(name)),
                              "\", expected &amp; &lt; &gt; &quot; &apos; or a number (&#160;)"));
  }

  absl::Status ReadMarkup() {
    const std::string_view rest = xml_.substr(at_);
    if (rest.starts_with("<!--")) return ReadPassage(4, "-->", "comment");
    if (rest.starts_with("<![CDATA[")) return ReadCdata();
    if (rest.starts_with("<?")) return ReadPassage(2, "?>", "processing instruction");
    if (rest.starts_with("<!DOCTYPE")) {
      // Only the first '[' or '>' matters, because a later '[' belongs to something else.
      const size_t first = rest.find_first_of("[>");
      CountBytes(std::min(first, rest.size()));
      const bool has_subset = first != std::string_view::npos && rest[first] == '[';
      return ReadPassage(9, has_subset ? "]>" : ">", "document type");
    }
    return rest.starts_with("</") ? ReadEndTag() : ReadStartTag();
  }

  absl::Status ReadPassage(size_t prefix, std::string_view last, std::string_view what) {
    const size_t end = Find(last, at_ + prefix);
    if (end == std::string_view::npos)
      return Error(absl::StrCat("found a ", View(what), " without end"));
    // Merges adjacent passages, because a text may have hundreds of thousands of them.
    const size_t begin = at_;
    Add(Kind::kPassage, end + last.size());
    if (tokens_.size() < 2) return absl::OkStatus();
    XmlToken& before = tokens_.end()[-2];
    if (before.kind == Kind::kPassage && before.text.end() == xml_.begin() + begin) {
      before.text = {before.text.data(), before.text.size() + tokens_.back().text.size()};
      tokens_.pop_back();
    }
    return absl::OkStatus();
  }

  absl::Status ReadCdata() {
    constexpr size_t kPrefix = 9;
    const size_t end = Find("]]>", at_ + kPrefix);
    if (end == std::string_view::npos) return Error("found a CDATA section without end");
    at_ += kPrefix;
    if (xml_.substr(at_, end - at_).find('\0') != std::string_view::npos) {
      return Error("found U+0000, which XML does not allow");
    }
    Add(Kind::kCdata, end);
    at_ = end + 3;
    return absl::OkStatus();
  }

  std::string_view NameAt(size_t begin) const {
    size_t end = begin;
    if (end < xml_.size() && BeginsName(xml_[end])) {
      while (end < xml_.size() && IsInName(xml_[end])) ++end;
    }
    CountBytes(end - begin);
    return xml_.substr(begin, end - begin);
  }

  size_t AfterSpace(size_t at) const {
    return std::min(xml_.find_first_not_of(kXmlWhiteSpace, at), xml_.size());
  }

  absl::Status ReadEndTag() {
    const std::string_view name = NameAt(at_ + 2);
    const size_t end = AfterSpace(at_ + 2 + name.size());
    if (name.empty() || end == xml_.size() || xml_[end] != '>') {
      return Error("found \"</\", expected an end tag such as </x>");
    }
    if (open_.empty())
      return Error(absl::StrCat("found </", View(Shown(name)), ">, which is not open"));
    const size_t start = open_.back();
    if (tokens_[start].name != name) {
      return Error(absl::StrCat("found </", View(Shown(name)), ">, expected </",
                                View(Shown(tokens_[start].name)), ">"));
    }
    open_.pop_back();
    Add(Kind::kEnd, end + 1, name);
    tokens_.back().partner = start;
    tokens_[start].partner = tokens_.size() - 1;
    return absl::OkStatus();
  }

  absl::Status ReadStartTag() {
    const std::string_view name = NameAt(at_ + 1);
    if (name.empty()) return Error("found \"<\", expected a tag, or &lt; for the character");
    if (++elements_ > kMaxElements) {
      return Error(absl::StrCat("found more elements than ", kMaxElements));
    }
    size_t end = at_ + 1 + name.size();
    while (true) {
      const size_t next = AfterSpace(end);
      if (next < xml_.size() && xml_[next] == '>') {
        if (open_.size() == kMaxDepth) {
          return Error(absl::StrCat("found more tags in each other than ", kMaxDepth));
        }
        open_.push_back(tokens_.size());
        Add(Kind::kStart, next + 1, name);
        return absl::OkStatus();
      }
      if (xml_.substr(next).starts_with("/>")) {
        Add(Kind::kEmpty, next + 2, name);
        return absl::OkStatus();
      }
      end = next == end ? 0 : AfterAttribute(next);
      if (end == 0) {
        return Error(absl::StrCat("found <", View(Shown(name)),
                                  " without its end, expected attributes such as id=\"3\" and >"));
      }
    }
  }

  // Returns the end of the attribute at `at`; 0 if there is none.
  size_t AfterAttribute(size_t at) const {
    const std::string_view name = NameAt(at);
    at = AfterSpace(at + name.size());
    if (name.empty() || at == xml_.size() || xml_[at] != '=') return 0;
    at = AfterSpace(at + 1);
    if (at == xml_.size() || (xml_[at] != '"' && xml_[at] != '\'')) return 0;
    const size_t end = Find(xml_.substr(at, 1), at + 1);
    const bool whole = end != std::string_view::npos &&
                       xml_.substr(at, end - at).find('<') == std::string_view::npos;
    return whole ? end + 1 : 0;
  }

  const std::string_view xml_;
  size_t at_ = 0;
  size_t elements_ = 0;
  std::vector<XmlToken> tokens_;
  std::vector<size_t> open_;  // the kStart token of each open element
};

}  // namespace

absl::StatusOr<std::vector<XmlToken>> TokenizeXml(std::string_view xml) {
  return Tokenizer(xml).Run();
}

}  // namespace dragoman::server
