#include "engine/text/html/html_elements.h"

#include <unordered_map>

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

}  // namespace dragoman::engine
