#include "engine/text/markdown/markdown_leaf.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "engine/text/html/html_tokenizer.h"
#include "engine/text/placeholders.h"

namespace dragoman::engine {
namespace {

using NodeKind = MarkupNode::Kind;

constexpr size_t kNowhere = std::string_view::npos;

bool IsMarkSign(char c) { return absl::ascii_ispunct(static_cast<unsigned char>(c)); }
bool IsBlankOrEnd(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class LeafReader {
 public:
  // Borrows the arguments. Nodes are appended to `structure`.
  LeafReader(std::string_view document, bool code_is_text, const std::vector<MarkdownEvent>& events,
             MarkupStructure& structure)
      : document_(document), code_is_text_(code_is_text), events_(events), structure_(structure) {
    next_text_.assign(events.size() + 1, document.size());
    for (size_t i = events.size(); i-- > 0;) {
      const std::optional<TextRange>& range = events[i].range;
      next_text_[i] = range ? static_cast<size_t>(range->begin) : next_text_[i + 1];
    }
    partner_.assign(events.size(), kNowhere);
    PairTags();
  }

  // Reads as ReadMarkdownLeaf does.
  std::optional<size_t> Read(size_t block, size_t from) {
    if (next_text_[0] == document_.size()) return std::nullopt;
    // The leaf begins with its first text or with marks before it, which are near.
    const size_t text = next_text_[0];
    const size_t lowest = std::max(from, text > kMostMarks ? text - kMostMarks : 0);
    size_t first = 0;
    while (!events_[first].range) ++first;
    for (size_t begin = text + 1; begin-- > lowest;) {
      const bool is_escaped = begin == text && text > lowest && document_[text - 1] == '\\' &&
                              events_[first].text == MD_TEXT_NORMAL;
      if (is_escaped || !MayBegin(begin, text)) continue;
      const size_t nodes = structure_.nodes.size();
      const size_t elements = structure_.elements.size();
      if (begin > block) AddNode(NodeKind::kBlock, block, begin);
      at_ = begin;
      open_.clear();
      if (ReadEvents()) return at_;
      structure_.nodes.resize(nodes);
      structure_.elements.resize(elements);
      if (at_ > text) break;  // the leaf does begin here
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kMostMarks = 256;
  static constexpr size_t kMaxOpenTags = 32;

  // Reports whether the leaf's first event can be at `begin`. If the event is a text, it can only
  // begin at `text`, or one byte before with a backslash.
  bool MayBegin(size_t begin, size_t text) const {
    const MarkdownEvent& event = events_[0];
    const char c = document_[begin];
    if (event.kind == MarkdownEvent::Kind::kText) {
      return begin == text || (begin + 1 == text && c == '\\');
    }
    switch (event.span) {
      case MD_SPAN_EM:
      case MD_SPAN_STRONG:
        return c == '*' || c == '_';
      case MD_SPAN_DEL:
        return c == '~';
      case MD_SPAN_CODE:
        return c == '`' && (begin == 0 || document_[begin - 1] != '`');
      case MD_SPAN_A:
        return c == '[' || c == '<';
      case MD_SPAN_IMG:
        return c == '!';
      default:
        return false;
    }
  }

  char At(size_t at) const { return at < document_.size() ? document_[at] : '\0'; }

  MarkupNode& AddNode(NodeKind kind, size_t begin, size_t end) {
    MarkupNode& node = structure_.nodes.emplace_back();
    node.kind = kind;
    node.range = {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
    return node;
  }

  void AddText(size_t begin, size_t end, bool is_literal) {
    if (begin < end) AddNode(NodeKind::kText, begin, end).is_literal = is_literal;
  }

  bool ReadEvents() {
    for (size_t i = 0; i < events_.size();) {
      if (!ReadEvent(i)) return false;
    }
    return true;
  }

  // Reads the event `i`, and the events of its content if it is passed through. Moves `i` behind
  // them.
  bool ReadEvent(size_t& i) {
    const MarkdownEvent& event = events_[i];
    switch (event.kind) {
      case MarkdownEvent::Kind::kText:
        return ReadText(i);
      case MarkdownEvent::Kind::kLeave:
        return ReadLeave(i++);
      case MarkdownEvent::Kind::kEnter:
        break;
    }
    switch (event.span) {
      case MD_SPAN_EM:
        return ReadMarks(i++, 1);
      case MD_SPAN_STRONG:
        return ReadMarks(i++, 2);
      case MD_SPAN_DEL:
        return ReadMarks(i++, At(at_ + 1) == '~' ? 2 : 1);
      case MD_SPAN_CODE:
        return ReadCode(i);
      case MD_SPAN_IMG:
        return At(at_) == '!' && At(at_ + 1) == '[' && ReadVoid(i, at_ + 2);
      case MD_SPAN_A:
        if (At(at_) == '<') return ReadAddress(i);
        if (At(at_) != '[') return false;
        if (At(at_ + 1) == '^') return ReadVoid(i, at_ + 1);
        Begin(MarkupElementKind::kLink, at_, at_ + 1);
        ++i;
        return true;
      default:
        return false;
    }
  }

  // Begins or ends an element with the bytes [begin, end) of the document.
  void Begin(MarkupElementKind kind, size_t begin, size_t end) {
    const auto element = static_cast<int32_t>(structure_.elements.size());
    MarkupElement& added = structure_.elements.emplace_back();
    added.begin = static_cast<int32_t>(structure_.nodes.size());
    added.kind = kind;
    added.open = std::string(document_.substr(begin, end - begin));
    AddNode(NodeKind::kStart, begin, end).element = element;
    open_.push_back(element);
    at_ = end;
  }

  void End(std::string close, size_t begin, size_t end) {
    MarkupElement& element = structure_.elements[static_cast<size_t>(open_.back())];
    element.close = std::move(close);
    element.end = static_cast<int32_t>(structure_.nodes.size());
    AddNode(NodeKind::kEnd, begin, end).element = open_.back();
    open_.pop_back();
    at_ = end;
  }

  bool ReadMarks(size_t i, size_t size) {
    const char mark = At(at_);
    const bool fits = events_[i].span == MD_SPAN_DEL ? mark == '~' : mark == '*' || mark == '_';
    if (!fits || (size == 2 && At(at_ + 1) != mark)) return false;
    Begin(MarkupElementKind::kEmphasis, at_, at_ + size);
    return true;
  }

  bool ReadLeave(size_t i) {
    if (open_.empty()) return false;
    const MarkupElement& element = structure_.elements[static_cast<size_t>(open_.back())];
    if (events_[i].span == MD_SPAN_A) {
      if (element.kind != MarkupElementKind::kLink || At(at_) != ']') return false;
      const MarkupNode& start = structure_.nodes[static_cast<size_t>(element.begin)];
      const auto text = static_cast<size_t>(start.range.end);
      const size_t end = EndOfTarget(at_, next_text_[i]);
      std::string target(document_.substr(at_, end - at_));
      if (target == "]" || target == "][]") {
        target = absl::StrCat("][", std::string(document_.substr(text, at_ - text)), "]");
      }
      End(std::move(target), at_, end);
      return true;
    }
    std::string close = element.open;
    if (element.kind != MarkupElementKind::kEmphasis ||
        document_.substr(at_, close.size()) != close) {
      return false;
    }
    const size_t end = at_ + close.size();
    End(std::move(close), at_, end);
    return true;
  }

  // Returns the end of a link or image whose text ends with the ']' at `at`. It ends at or before
  // `limit`, where the next text begins.
  size_t EndOfTarget(size_t at, size_t limit) const {
    const std::string_view target = document_.substr(at + 1, limit - std::min(limit, at + 1));
    size_t size = 0;
    if (target.starts_with('(')) {
      size = AddressSize(target);
    } else if (target.starts_with('[')) {
      size = SizeUpTo(']', target, 1);
    }
    return at + 1 + size;
  }

  // Returns the size of `text` up to and with the next `end` at or after `at` that has no backslash
  // before it. Returns 0 if there is none.
  static size_t SizeUpTo(char end, std::string_view text, size_t at) {
    while (at < text.size() && text[at] != end) at += text[at] == '\\' ? 2 : 1;
    return at < text.size() ? at + 1 : 0;
  }

  // Returns the size of "(address "title")" at the beginning of the text, or 0.
  static size_t AddressSize(std::string_view text) {
    size_t at = 1;
    const auto skip_blanks = [&] {
      while (at < text.size() && (IsBlankOrEnd(text[at]) || text[at] == '>')) ++at;
    };
    skip_blanks();
    if (at < text.size() && text[at] == '<') {
      at = SizeUpTo('>', text, at);
      if (at == 0) return 0;
    } else {
      for (int depth = 0; at < text.size() && !IsBlankOrEnd(text[at]); ++at) {
        const char c = text[at];
        if (c == '\\' && at + 1 < text.size() && IsMarkSign(text[at + 1])) {
          ++at;
        } else if (c == '(') {
          ++depth;
        } else if (c == ')' && depth-- == 0) {
          break;
        }
      }
    }
    skip_blanks();
    if (at < text.size() && std::string_view("\"'(").find(text[at]) != kNowhere) {
      at = SizeUpTo(text[at] == '(' ? ')' : text[at], text, at + 1);
      if (at == 0) return 0;
      skip_blanks();
    }
    return at < text.size() && text[at] == ')' ? at + 1 : 0;
  }

  size_t LeaveOf(size_t i) const {
    int depth = 0;
    for (; i < events_.size(); ++i) {
      if (events_[i].kind == MarkdownEvent::Kind::kEnter) ++depth;
      if (events_[i].kind == MarkdownEvent::Kind::kLeave && --depth == 0) break;
    }
    return i;
  }

  bool ReadCode(size_t& i) {
    const size_t begin = at_;
    while (At(at_) == '`') ++at_;
    const size_t size = at_ - begin;
    if (size == 0) return false;
    while (at_ < document_.size()) {
      const size_t ticks = document_.find('`', at_);
      if (ticks == kNowhere) return false;
      at_ = ticks;
      while (At(at_) == '`') ++at_;
      if (at_ - ticks != size) continue;
      const std::string_view code = document_.substr(begin + size, ticks - begin - size);
      const TextRange range{static_cast<int64_t>(begin), static_cast<int64_t>(at_)};
      const bool is_text = code_is_text_ && code.find('\n') == kNowhere &&
                           AddStandIn(document_, range, code, &structure_);
      if (!is_text) AddNode(NodeKind::kVoid, begin, at_);
      i = LeaveOf(i) + 1;
      return true;
    }
    return false;
  }

  // Reads an address in < >.
  bool ReadAddress(size_t& i) {
    const size_t end = document_.find('>', at_);
    if (end == kNowhere) return false;
    if (code_is_text_ && IsPlaceholder(at_ + 1, end)) {
      Begin(MarkupElementKind::kAddress, at_, at_ + 1);
      structure_.elements.back().address = std::string(document_.substr(at_, end - at_));
      AddText(at_, end, true);
      End(">", end, end + 1);
    } else {
      AddNode(NodeKind::kVoid, at_, end + 1);
      at_ = end + 1;
    }
    i = LeaveOf(i) + 1;
    return true;
  }

  // Reports whether FindPlaceholders finds the bytes as a whole.
  bool IsPlaceholder(size_t begin, size_t end) const {
    const std::string_view text = document_.substr(begin, end - begin);
    const std::vector<TextRange> found = FindPlaceholders(text);
    return found.size() == 1 && found[0] == TextRange::Of(text, text);
  }

  // Reads an image, or a link to a footnote, as one node. Its text begins at `text`.
  bool ReadVoid(size_t& i, size_t text) {
    const size_t begin = at_;
    const size_t nodes = structure_.nodes.size();
    const size_t elements = structure_.elements.size();
    const size_t leave = LeaveOf(i);
    std::vector<int32_t> around = std::exchange(open_, {});
    at_ = text;
    bool fits = true;
    for (++i; fits && i < leave;) fits = ReadEvent(i);
    open_ = std::move(around);
    structure_.nodes.resize(nodes);
    structure_.elements.resize(elements);
    if (!fits || At(at_) != ']' || leave == events_.size()) return false;
    at_ = EndOfTarget(at_, next_text_[leave]);
    AddNode(NodeKind::kVoid, begin, at_);
    i = leave + 1;
    return true;
  }

  // Moves at_ to the next '\n' and behind the marks that begin the line after it. Returns the
  // position of the '\n', or npos.
  size_t PassLineEnd() {
    size_t at = at_;
    while (At(at) == ' ' || At(at) == '\t' || At(at) == '\r' || At(at) == '\\') ++at;
    if (At(at) != '\n') return kNowhere;
    at_ = at + 1;
    while (At(at_) == ' ' || At(at_) == '\t' || At(at_) == '>') ++at_;
    return at;
  }

  bool ReadText(size_t& i) {
    const MarkdownEvent& event = events_[i];
    if (event.text == MD_TEXT_BR || event.text == MD_TEXT_SOFTBR) {
      const size_t begin = at_;
      const size_t end = PassLineEnd();
      if (end == kNowhere) return false;
      if (event.text == MD_TEXT_BR) {
        AddNode(NodeKind::kBreak, begin, at_);
      } else {
        AddText(end, end + 1, true);
      }
      ++i;
      return true;
    }
    if (event.text == MD_TEXT_HTML) return ReadHtml(i);
    ++i;
    if (!event.range) return true;  // a NUL, which md4c reports as U+FFFD
    const auto begin = static_cast<size_t>(event.range->begin);
    const auto end = static_cast<size_t>(event.range->end);
    // Between two texts there is at most a backslash.
    if (begin < at_ || begin - at_ > 1 || (begin > at_ && document_[at_] != '\\')) return false;
    at_ = end;
    if (event.text == MD_TEXT_ENTITY) {
      AddText(begin, end, false);
    } else {
      AddPlain(begin, end, i);
    }
    return true;
  }

  // Adds a text, with the marks in it that GitHub knows and CommonMark does not: [^1] refers to a
  // footnote, [^1]: begins the text of a footnote, and [!NOTE] is a line of its own. `next` is the
  // index of the next event. If the line end after [!NOTE] is used as well, `next` moves past it.
  void AddPlain(size_t begin, size_t end, size_t& next) {
    const std::string_view text = document_.substr(begin, end - begin);
    const bool is_first = structure_.nodes.empty() || EndsText(structure_.nodes.back());
    if (is_first && text.starts_with("[!") && text.find(']') == text.size() - 1 &&
        next < events_.size() && events_[next].text == MD_TEXT_SOFTBR) {
      if (PassLineEnd() == kNowhere) return;
      AddNode(NodeKind::kBlock, begin, at_);
      ++next;
      return;
    }
    size_t done = 0;
    for (size_t mark = 0; (mark = text.find("[^", mark)) != kNowhere;) {
      size_t close = mark + 2;
      while (close < text.size() && text[close] != ']' && text[close] != '[' &&
             !IsBlankOrEnd(text[close])) {
        ++close;
      }
      if (close == mark + 2 || close >= text.size() || text[close] != ']') {
        mark += 2;
        continue;
      }
      ++close;
      const bool defines = is_first && mark == 0 && close < text.size() && text[close] == ':';
      if (defines) ++close;
      AddText(begin + done, begin + mark, true);
      AddNode(defines ? NodeKind::kBlock : NodeKind::kVoid, begin + mark, begin + close);
      done = mark = close;
    }
    AddText(begin + done, end, true);
  }

  // Pairs the HTML tags that are inside the same span. Sets partner_.
  void PairTags() {
    std::vector<std::vector<std::pair<std::string, size_t>>> open(1);  // by depth of spans
    for (size_t i = 0; i < events_.size(); ++i) {
      const MarkdownEvent& event = events_[i];
      if (event.kind == MarkdownEvent::Kind::kEnter) open.emplace_back();
      if (event.kind == MarkdownEvent::Kind::kLeave && open.size() > 1) open.pop_back();
      const std::optional<HtmlToken> tag = TagOf(event);
      if (!tag) continue;
      auto& starts = open.back();
      if (tag->kind == HtmlToken::Kind::kStartTag) {
        if (!KindOfElement(tag->name).is_void) starts.emplace_back(tag->name, i);
        continue;
      }
      const size_t deepest = std::min<size_t>(starts.size(), kMaxOpenTags);
      const auto found =
          std::find_if(starts.rbegin(), starts.rbegin() + static_cast<std::ptrdiff_t>(deepest),
                       [&](const auto& start) { return start.first == tag->name; });
      if (found == starts.rbegin() + static_cast<std::ptrdiff_t>(deepest)) continue;
      partner_[i] = found->second;
      partner_[found->second] = i;
      starts.erase(std::next(found).base(), starts.end());
    }
  }

  // Returns the HTML tag that is all of the event.
  std::optional<HtmlToken> TagOf(const MarkdownEvent& event) const {
    if (event.kind != MarkdownEvent::Kind::kText || event.text != MD_TEXT_HTML || !event.range) {
      return std::nullopt;
    }
    const std::string_view text = event.range->In(document_);
    if (!text.ends_with('>')) return std::nullopt;
    std::vector<HtmlToken> tokens = TokenizeHtml(text);
    const bool is_tag = tokens.size() == 1 && (tokens[0].kind == HtmlToken::Kind::kStartTag ||
                                               tokens[0].kind == HtmlToken::Kind::kEndTag);
    if (!is_tag) return std::nullopt;
    return std::move(tokens[0]);
  }

  // Reads an HTML tag or comment, which may have several lines.
  bool ReadHtml(size_t& i) {
    if (!events_[i].range || static_cast<size_t>(events_[i].range->begin) != at_) return false;
    const size_t begin = at_;
    const size_t first = i;
    const auto is_html = [&] {
      return i < events_.size() && events_[i].kind == MarkdownEvent::Kind::kText &&
             events_[i].text == MD_TEXT_HTML;
    };
    do {
      if (events_[i].range) at_ = static_cast<size_t>(events_[i].range->end);
      ++i;
    } while (document_[at_ - 1] != '>' && is_html());
    const std::optional<HtmlToken> tag = TagOf(events_[first]);
    const size_t partner = partner_[first];
    if (tag && partner != kNowhere && partner < first) {
      End(std::string(document_.substr(begin, at_ - begin)), begin, at_);
    } else if (tag && partner != kNowhere) {
      if (KindOfElement(tag->name).is_opaque || tag->is_no_translate) {
        at_ = static_cast<size_t>(events_[partner].range->end);
        i = partner + 1;
        AddNode(NodeKind::kVoid, begin, at_);
      } else {
        Begin(MarkupElementKind::kTags, begin, at_);
      }
    } else {
      const HtmlElementKind kind = tag ? KindOfElement(tag->name) : HtmlElementKind();
      AddNode(kind.is_block && kind.is_void ? NodeKind::kBreak : NodeKind::kVoid, begin, at_);
    }
    return true;
  }

  const std::string_view document_;
  const bool code_is_text_;
  const std::vector<MarkdownEvent>& events_;
  MarkupStructure& structure_;
  std::vector<size_t> next_text_;  // by event: where the next text of the document begins
  std::vector<size_t> partner_;    // by event: that of the other tag; npos: none
  size_t at_ = 0;
  std::vector<int32_t> open_;  // elements
};

}  // namespace

std::optional<size_t> ReadMarkdownLeaf(std::string_view document, bool code_is_text,
                                       const std::vector<MarkdownEvent>& events, size_t block,
                                       size_t from, MarkupStructure& structure) {
  return LeafReader(document, code_is_text, events, structure).Read(block, from);
}

}  // namespace dragoman::engine
