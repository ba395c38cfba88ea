#include "engine/text/html/html_pairs.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/text/html/html_entities.h"

namespace dragoman::engine {
namespace {

using TokenKind = HtmlToken::Kind;
using NodeKind = MarkupNode::Kind;

constexpr int32_t kNone = -1;

bool IsTag(const HtmlToken& token) {
  return token.kind == TokenKind::kStartTag || token.kind == TokenKind::kEndTag;
}

bool IsBlockTag(const HtmlToken& token) {
  return IsTag(token) && KindOfElement(token.name).is_block;
}

// Pairs start and end tags by name alone and returns the index of each tag's partner. In <x> <x>
// </x>, the first <x> has no partner (kNone).
std::vector<int32_t> PairByName(const std::vector<HtmlToken>& tokens) {
  std::vector<int32_t> partner(tokens.size(), kNone);
  std::unordered_map<std::string_view, std::vector<int32_t>> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const HtmlToken& token = tokens[i];
    if (!IsTag(token) || KindOfElement(token.name).is_void) continue;
    std::vector<int32_t>& starts = open[token.name];
    if (token.kind == TokenKind::kStartTag) {
      starts.push_back(static_cast<int32_t>(i));
    } else if (!starts.empty()) {
      partner[i] = starts.back();
      partner[static_cast<size_t>(starts.back())] = static_cast<int32_t>(i);
      starts.pop_back();
    }
  }
  return partner;
}

// Pairs the tags of blocks by nesting. An end tag ends the innermost open block of its name. The
// blocks that are open inside that block get no end tag.
class BlockPairs {
 public:
  explicit BlockPairs(const std::vector<HtmlToken>& tokens)
      : partner_(tokens.size(), kNone), around_(tokens.size(), kNone) {
    std::vector<int32_t> open;
    std::unordered_map<std::string_view, int> open_by_name;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const HtmlToken& token = tokens[i];
      if (!IsBlockTag(token) || KindOfElement(token.name).is_void) continue;
      int& count = open_by_name[token.name];
      if (token.kind == TokenKind::kStartTag) {
        open.push_back(static_cast<int32_t>(i));
        ++count;
        continue;
      }
      if (count == 0) continue;
      for (bool found = false; !found; open.pop_back()) {
        const auto start = static_cast<size_t>(open.back());
        --open_by_name[tokens[start].name];
        found = tokens[start].name == token.name;
        if (!found) continue;
        partner_[start] = static_cast<int32_t>(i);
        partner_[i] = static_cast<int32_t>(start);
      }
    }
    int32_t innermost = kNone;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (IsEnd(i)) innermost = around_[static_cast<size_t>(partner_[i])];
      around_[i] = innermost;
      if (IsStart(i)) innermost = static_cast<int32_t>(i);
    }
  }

  int32_t Partner(size_t i) const { return partner_[i]; }
  bool IsStart(size_t i) const { return partner_[i] > static_cast<int32_t>(i); }
  bool IsEnd(size_t i) const { return partner_[i] != kNone && !IsStart(i); }
  // Returns the start tag of the innermost block around the token, or kNone. Ignores blocks without
  // an end tag.
  int32_t Around(size_t i) const { return around_[i]; }

 private:
  std::vector<int32_t> partner_;
  std::vector<int32_t> around_;
};

// Finds the elements that are passed through with their content (HtmlElementKind::is_opaque,
// translate="no").
class OpaqueElements {
 public:
  explicit OpaqueElements(const std::vector<HtmlToken>& tokens)
      : tokens_(tokens), by_name_(PairByName(tokens)), blocks_(tokens) {}

  bool BeginsAt(size_t i) const {
    const HtmlToken& token = tokens_[i];
    if (token.kind != TokenKind::kStartTag) return false;
    const HtmlElementKind kind = KindOfElement(token.name);
    return !kind.is_void && (kind.is_opaque || token.is_no_translate);
  }

  // Returns the index of the token after the element that begins at `i`. The element never extends
  // beyond the block around it. Without an end tag, a block ends before the next sibling of the
  // same name (<li> <li>), and an inline element ends before the next block tag.
  size_t EndOf(size_t i) const {
    const int32_t block = blocks_.Around(i);
    const size_t limit = block == kNone
                             ? tokens_.size()
                             : static_cast<size_t>(blocks_.Partner(static_cast<size_t>(block)));
    if (by_name_[i] != kNone && static_cast<size_t>(by_name_[i]) < limit) {
      return static_cast<size_t>(by_name_[i]) + 1;
    }
    const bool has_markup = ContentOfElement(tokens_[i].name) == HtmlContent::kMarkup;
    if (tokens_[i].is_self_closing && has_markup) return i + 1;
    const bool is_block = IsBlockTag(tokens_[i]);
    size_t at = i + 1;
    while (at < limit) {
      const bool ends =
          is_block ? tokens_[at].kind == TokenKind::kStartTag && tokens_[at].name == tokens_[i].name
                   : IsBlockTag(tokens_[at]);
      if (ends) break;
      at = blocks_.IsStart(at) ? static_cast<size_t>(blocks_.Partner(at)) + 1 : at + 1;
    }
    return std::min(at, limit);
  }

 private:
  const std::vector<HtmlToken>& tokens_;
  const std::vector<int32_t> by_name_;
  const BlockPairs blocks_;
};

NodeKind KindOf(const HtmlToken& token) {
  switch (token.kind) {
    case TokenKind::kText:
      return NodeKind::kText;
    case TokenKind::kRawText:
      return NodeKind::kVoid;  // only inside an element that is passed through
    case TokenKind::kComment:
      return token.is_unfinished ? NodeKind::kBlock : NodeKind::kComment;
    case TokenKind::kStartTag:
    case TokenKind::kEndTag:
      break;
  }
  const HtmlElementKind kind = KindOfElement(token.name);
  if (kind.is_block) return kind.is_void ? NodeKind::kBreak : NodeKind::kBlock;
  if (token.kind == TokenKind::kEndTag) return NodeKind::kEnd;
  return kind.is_void ? NodeKind::kVoid : NodeKind::kStart;
}

// Returns the characters of the texts among the tokens.
std::string TextOf(std::string_view html, std::span<const HtmlToken> tokens) {
  std::string text;
  for (const HtmlToken& token : tokens) {
    if (token.kind != TokenKind::kText) continue;
    std::string_view rest = token.range.In(html);
    for (size_t at = rest.find('&'); at != rest.npos; at = rest.find('&')) {
      text += rest.substr(0, at);
      rest.remove_prefix(at);
      const CharacterReference reference = ReadCharacterReference(rest);
      text += reference.size > 0 ? reference.text : "&";
      rest.remove_prefix(std::max<size_t>(reference.size, 1));
    }
    text += rest;
  }
  return text;
}

// Makes one node for every token, except that an element that is passed through becomes one node as
// a whole. Returns one token per node. The token of a passed-through element is a kComment, so that
// it is not paired as a tag.
std::vector<HtmlToken> MakeNodes(std::string_view html, const std::vector<HtmlToken>& tokens,
                                 bool code_is_text, MarkupStructure& structure) {
  std::vector<HtmlToken> merged;
  const OpaqueElements opaque(tokens);
  for (size_t i = 0; i < tokens.size();) {
    if (!opaque.BeginsAt(i)) {
      structure.nodes.push_back({KindOf(tokens[i]), tokens[i].range, tokens[i].is_title});
      merged.push_back(tokens[i++]);
      continue;
    }
    const size_t end = opaque.EndOf(i);
    const auto at = [&](size_t token) {
      return tokens.begin() + static_cast<std::ptrdiff_t>(token);
    };
    // An inline element that is opaque by itself stays inline whatever it contains: an <svg> may
    // contain a <title>, which is a block.
    const bool is_inline = KindOfElement(tokens[i].name).is_opaque && !IsBlockTag(tokens[i]);
    const bool ends_text = std::any_of(at(i), at(end), [&](const HtmlToken& token) {
      return token.is_unfinished || (!is_inline && IsBlockTag(token));
    });
    HtmlToken one;
    one.kind = TokenKind::kComment;
    one.range = {tokens[i].range.begin, tokens[end - 1].range.end};
    const bool may_be_text = code_is_text && !ends_text &&
                             (tokens[i].name == "code" || !KindOfElement(tokens[i].name).is_opaque);
    if (!may_be_text ||
        !AddStandIn(html, one.range, TextOf(html, std::span(at(i), at(end))), &structure)) {
      structure.nodes.push_back({ends_text ? NodeKind::kBlock : NodeKind::kVoid, one.range});
    }
    merged.push_back(std::move(one));
    i = end;
  }
  return merged;
}

// Makes an end tag whose name is spelled as in the start tag.
std::string MakeEndTag(std::string_view start_tag) {
  size_t end = 1;
  while (end < start_tag.size() &&
         std::string_view(" \t\n\f\r/>").find(start_tag[end]) == std::string_view::npos) {
    ++end;
  }
  return absl::StrCat("</", std::string(start_tag.substr(1, end - 1)), ">");
}

// Pairs the start and end tags of inline elements.
class InlinePairs {
 public:
  InlinePairs(const std::vector<HtmlToken>& tokens, MarkupStructure& structure)
      : tokens_(tokens), blocks_(tokens), structure_(structure) {}

  void Run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      MarkupNode& node = structure_.nodes[i];
      if (node.kind == NodeKind::kStart) Begin(i, node);
      if (node.kind == NodeKind::kEnd) End(i, node);
    }
    // An element without an end tag ends at the next block tag or <br>.
    auto next_block = static_cast<int32_t>(tokens_.size());
    size_t element = structure_.elements.size();
    for (auto i = static_cast<int32_t>(tokens_.size()) - 1; i >= 0; --i) {
      MarkupNode& node = structure_.nodes[static_cast<size_t>(i)];
      if (EndsText(node)) next_block = i;
      if (node.kind != NodeKind::kStart) continue;
      MarkupElement& started = structure_.elements[--element];
      if (started.end != kNone) continue;
      started.end = next_block;
      started.is_unclosed = true;
      if (tokens_[static_cast<size_t>(i)].is_self_closing) {
        node.kind = NodeKind::kVoid;
        node.element = kNone;
      }
    }
  }

 private:
  void Begin(size_t i, MarkupNode& node) {
    const auto element = static_cast<int32_t>(structure_.elements.size());
    MarkupElement& added = structure_.elements.emplace_back();
    added.begin = static_cast<int32_t>(i);
    added.end = kNone;
    node.element = element;
    open_[tokens_[i].name].push_back(element);
    open_in_block_[{tokens_[i].name, blocks_.Around(i)}].push_back(element);
  }

  // Ends the innermost open element with the tag's name in the same block. If there is none, ends
  // the innermost open element with this name in any block.
  void End(size_t i, MarkupNode& node) {
    const std::string_view name = tokens_[i].name;
    int32_t element = TakeOpen(open_in_block_[{name, blocks_.Around(i)}]);
    if (element == kNone) {
      element = TakeOpen(open_[name]);
      if (element == kNone) return;
      structure_.elements[static_cast<size_t>(element)].is_crossing = true;
    }
    structure_.elements[static_cast<size_t>(element)].end = static_cast<int32_t>(i);
    node.element = element;
  }

  // Removes elements from the back, up to the first one that has no end yet. Returns that element,
  // or kNone if all have an end.
  int32_t TakeOpen(std::vector<int32_t>& elements) {
    while (!elements.empty()) {
      const int32_t last = elements.back();
      elements.pop_back();
      if (structure_.elements[static_cast<size_t>(last)].end == kNone) return last;
    }
    return kNone;
  }

  const std::vector<HtmlToken>& tokens_;
  const BlockPairs blocks_;
  MarkupStructure& structure_;
  std::unordered_map<std::string_view, std::vector<int32_t>> open_;
  std::map<std::pair<std::string_view, int32_t>, std::vector<int32_t>> open_in_block_;
};

}  // namespace

MarkupStructure PairHtmlTags(std::string_view html, const std::vector<HtmlToken>& tokens,
                             bool code_is_text) {
  MarkupStructure structure;
  // A text with '`' could be read as a stand-in.
  code_is_text = code_is_text && TextOf(html, tokens).find('`') == std::string::npos;
  const std::vector<HtmlToken> merged = MakeNodes(html, tokens, code_is_text, structure);
  InlinePairs(merged, structure).Run();
  const auto bytes_of = [&](int32_t node) {
    return std::string(structure.nodes[static_cast<size_t>(node)].range.In(html));
  };
  for (MarkupElement& element : structure.elements) {
    element.open = bytes_of(element.begin);
    element.close = element.is_unclosed ? MakeEndTag(element.open) : bytes_of(element.end);
  }
  return structure;
}

}  // namespace dragoman::engine
