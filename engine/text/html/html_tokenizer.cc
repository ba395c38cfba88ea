#include "engine/text/html/html_tokenizer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/strings/ascii.h"

namespace dragoman::engine {
namespace {

enum Flags { kBlock = 1, kVoid = 2, kOpaque = 4 };

// The elements of sections 4 and 16.2 (obsolete ones) of the HTML standard. Blocks are those that
// its suggested rendering (15.3) displays as a block, a table part or a list item.
const std::unordered_map<std::string_view, int>& Kinds() {
  static const auto* const kinds = [] {
    auto* made = new std::unordered_map<std::string_view, int>;
    const auto add = [&](int flags, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) (*made)[name] = flags;
    };
    add(kBlock, {"address",  "article",  "aside",    "blockquote", "body",   "caption",  "center",
                 "colgroup", "datalist", "dd",       "details",    "dialog", "dir",      "div",
                 "dl",       "dt",       "fieldset", "figcaption", "figure", "footer",   "form",
                 "frameset", "h1",       "h2",       "h3",         "h4",     "h5",       "h6",
                 "head",     "header",   "hgroup",   "html",       "legend", "li",       "main",
                 "menu",     "nav",      "noscript", "ol",         "option", "optgroup", "p",
                 "search",   "section",  "select",   "summary",    "table",  "tbody",    "td",
                 "template", "tfoot",    "th",       "thead",      "title",  "tr",       "ul"});
    add(kBlock | kVoid, {"br", "col", "frame", "hr"});
    add(kVoid, {"area", "base", "basefont", "bgsound", "embed", "image", "img", "input", "keygen",
                "link", "meta", "param", "source", "track", "wbr"});
    add(kBlock | kOpaque, {"listing", "noframes", "plaintext", "pre", "xmp"});
    add(kOpaque, {"applet", "audio", "canvas", "code", "iframe", "math", "noembed", "object",
                  "script", "style", "svg", "textarea", "video"});
    return made;
  }();
  return *kinds;
}

using TokenKind = HtmlToken::Kind;

constexpr size_t kNotFound = std::string_view::npos;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

bool IsLetter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower;
}

bool HasClass(std::string_view value, std::string_view name) {
  for (size_t at = 0; at < value.size();) {
    size_t end = at;
    while (end < value.size() && !IsSpace(value[end])) ++end;
    if (value.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view html) : html_(html) {}

  std::vector<HtmlToken> Run() {
    size_t text = 0;  // where the text that has no token yet begins
    size_t at = 0;
    while ((at = html_.find('<', at)) != kNotFound) {
      size_t end = 0;
      HtmlToken token;
      if (!ReadMarkup(at, token, end)) {
        ++at;
        continue;
      }
      AddText(text, at, TokenKind::kText);
      Add(std::move(token), at, end);
      at = text = ReadContent(end);
    }
    AddText(text, html_.size(), TokenKind::kText);
    return std::move(tokens_);
  }

 private:
  char At(size_t at) const { return at < html_.size() ? html_[at] : '\0'; }

  void Add(HtmlToken token, size_t begin, size_t end) {
    token.range = {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
    tokens_.push_back(std::move(token));
  }

  void AddText(size_t begin, size_t end, TokenKind kind, bool is_title = false) {
    if (begin == end) return;
    HtmlToken token;
    token.kind = kind;
    token.is_title = is_title;
    Add(std::move(token), begin, end);
  }

  // Reads the markup at '<'. Returns false if '<' is only a character.
  bool ReadMarkup(size_t at, HtmlToken& token, size_t& end) const {
    if (IsLetter(At(at + 1))) return ReadTag(at + 1, TokenKind::kStartTag, token, end);
    if (At(at + 1) == '/') {
      if (at + 2 >= html_.size()) return false;
      if (IsLetter(html_[at + 2])) return ReadTag(at + 2, TokenKind::kEndTag, token, end);
    } else if (At(at + 1) != '!' && At(at + 1) != '?') {
      return false;
    }
    token.kind = TokenKind::kComment;
    const std::string_view rest = html_.substr(at);
    if (rest.starts_with("<!--")) {
      end = EndOfComment(at + 4);
    } else if (foreign_ && rest.starts_with("<![CDATA[")) {
      end = After("]]>", at + 9);
    } else {  // also a doctype, in which quotes do not hide a '>'
      end = After(">", at + 2);
    }
    token.is_unfinished = end == kNotFound;
    end = std::min(end, html_.size());
    return true;
  }

  // Returns the position after the next `mark`, or kNotFound.
  size_t After(std::string_view mark, size_t at) const {
    const size_t found = html_.find(mark, at);
    return found == kNotFound ? kNotFound : found + mark.size();
  }

  // Returns the end of a comment, or kNotFound. `at` is after "<!--". A comment ends at "-->" or
  // "--!>". It also ends at ">" or "->" directly after "<!--".
  size_t EndOfComment(size_t at) const {
    const std::string_view rest = html_.substr(at);
    if (rest.starts_with(">")) return at + 1;
    if (rest.starts_with("->")) return at + 2;
    for (; (at = html_.find("--", at)) != kNotFound; ++at) {
      if (At(at + 2) == '>') return at + 3;
      if (At(at + 2) == '!' && At(at + 3) == '>') return at + 4;
    }
    return kNotFound;
  }

  // Reads the tag whose name begins at `at`. A tag that the end of the text cuts off is a comment.
  bool ReadTag(size_t at, TokenKind kind, HtmlToken& token, size_t& end) const {
    const size_t name = at;
    while (at < html_.size() && !IsSpace(html_[at]) && html_[at] != '/' && html_[at] != '>') ++at;
    token.kind = kind;
    token.name = LowerCase(html_.substr(name, at - name));
    bool has_translate = false;
    bool has_class = false;
    while (at < html_.size()) {
      const char c = html_[at];
      if (c == '>') {
        end = at + 1;
        return true;
      }
      if (c == '/' || IsSpace(c)) {
        token.is_self_closing = c == '/' && At(at + 1) == '>';
        ++at;
        continue;
      }
      const auto [attribute, value] = ReadAttribute(at);
      if (attribute == "translate" && !std::exchange(has_translate, true)) {
        if (LowerCase(value) == "no") token.is_no_translate = true;
      } else if (attribute == "class" && !std::exchange(has_class, true)) {
        if (HasClass(value, "notranslate")) token.is_no_translate = true;
      }
    }
    token = {};
    token.kind = TokenKind::kComment;
    token.is_unfinished = true;
    end = html_.size();
    return true;
  }

  // Reads the attribute at `at` and moves `at` to its end.
  std::pair<std::string, std::string_view> ReadAttribute(size_t& at) const {
    const size_t name = at;
    ++at;  // a '=' at the beginning belongs to the name
    while (at < html_.size() && !IsSpace(html_[at]) && html_[at] != '/' && html_[at] != '>' &&
           html_[at] != '=') {
      ++at;
    }
    std::string attribute = LowerCase(html_.substr(name, at - name));
    size_t next = at;
    while (next < html_.size() && IsSpace(html_[next])) ++next;
    if (At(next) != '=') return {attribute, {}};
    at = next + 1;
    while (at < html_.size() && IsSpace(html_[at])) ++at;
    const size_t value = at;
    const char quote = At(at);
    if (quote == '"' || quote == '\'') {
      const size_t end = html_.find(quote, at + 1);
      at = end == kNotFound ? html_.size() : end + 1;
      return {attribute, html_.substr(value + 1, (end == kNotFound ? at : end) - value - 1)};
    }
    while (at < html_.size() && !IsSpace(html_[at]) && html_[at] != '>') ++at;
    return {attribute, html_.substr(value, at - value)};
  }

  // If the last token is a start tag whose content is not markup (<script>), adds the content as a
  // token. Returns where markup continues.
  size_t ReadContent(size_t at) {
    const HtmlToken& tag = tokens_.back();
    if (tag.kind == TokenKind::kEndTag && tag.name == foreign_name_) foreign_ = false;
    if (tag.kind != TokenKind::kStartTag) return at;
    if (foreign_) {
      // A block tag ends <svg> and <math>, as in the standard. The exception is <title>, which
      // <svg> may contain.
      if (tag.name != "title" && KindOfElement(tag.name).is_block) foreign_ = false;
    } else if ((tag.name == "svg" || tag.name == "math") && !tag.is_self_closing) {
      foreign_ = true;
      foreign_name_ = tag.name;
    }
    if (foreign_) return at;
    const HtmlContent content = ContentOfElement(tag.name);
    if (content == HtmlContent::kMarkup) return at;
    size_t end = html_.size();
    if (content == HtmlContent::kScript) end = EndOfScript(at);
    if (content == HtmlContent::kRawText || content == HtmlContent::kTextWithReferences) {
      end = FindEndTag(at, tag.name);
    }
    tokens_.back().is_unfinished = end == html_.size();
    const bool has_references = content == HtmlContent::kTextWithReferences;
    AddText(at, end, has_references ? TokenKind::kText : TokenKind::kRawText, has_references);
    return end;
  }

  // Reports whether `tag` ("</script") is at `at`, in any case and as a whole name.
  bool IsTagAt(size_t at, std::string_view tag) const {
    const std::string_view found = html_.substr(std::min(at, html_.size()), tag.size());
    if (LowerCase(found) != tag) return false;
    const char after = At(at + tag.size());
    return IsSpace(after) || after == '/' || after == '>';
  }

  // Returns where the end tag of the element begins, or the end of the text.
  size_t FindEndTag(size_t at, const std::string& name) const {
    const std::string tag = "</" + name;
    while ((at = html_.find("</", at)) != kNotFound && !IsTagAt(at, tag)) ++at;
    return std::min(at, html_.size());
  }

  // Returns where the script's end tag begins, or the end of the text. Inside "<!-- -->", a script
  // may contain "<script> </script>" (the standard's "double escaped" states).
  size_t EndOfScript(size_t at) const {
    enum { kPlain, kEscaped, kDoubleEscaped } state = kPlain;
    int dashes = 0;
    for (; at < html_.size(); ++at) {
      const char c = html_[at];
      if (c == '-') {
        ++dashes;
        continue;
      }
      const bool after_dashes = std::exchange(dashes, 0) >= 2;
      if (c == '>' && after_dashes) state = kPlain;
      if (c != '<') continue;
      if (state == kDoubleEscaped) {
        if (IsTagAt(at, "</script")) state = kEscaped;
      } else if (IsTagAt(at, "</script")) {
        return at;
      } else if (state == kEscaped) {
        if (IsTagAt(at, "<script")) state = kDoubleEscaped;
      } else if (html_.substr(at).starts_with("<!--")) {
        state = kEscaped;
        dashes = 2;
        at += 3;
      }
    }
    return html_.size();
  }

  const std::string_view html_;
  std::vector<HtmlToken> tokens_;
  bool foreign_ = false;  // whether the last tag is inside <svg> or <math>
  std::string foreign_name_;
};

}  // namespace

HtmlElementKind KindOfElement(std::string_view name) {
  const auto found = Kinds().find(name);
  const int flags = found == Kinds().end() ? 0 : found->second;
  return {(flags & kBlock) != 0, (flags & kVoid) != 0, (flags & kOpaque) != 0};
}

HtmlContent ContentOfElement(std::string_view name) {
  if (name == "script") return HtmlContent::kScript;
  if (name == "title" || name == "textarea") return HtmlContent::kTextWithReferences;
  if (name == "plaintext") return HtmlContent::kRest;
  if (name == "style" || name == "xmp" || name == "iframe" || name == "noembed" ||
      name == "noframes") {
    return HtmlContent::kRawText;
  }
  return HtmlContent::kMarkup;
}

std::vector<HtmlToken> TokenizeHtml(std::string_view html) { return Tokenizer(html).Run(); }

}  // namespace dragoman::engine
