#include "engine/text/token_splitter.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

// Appends `second` to `first`. There may be a gap between them in the text.
NormalizedText Joined(const NormalizedText& first, const NormalizedText& second) {
  NormalizedText both = first;
  both.origin.pop_back();
  both.text += second.text;
  both.origin.insert(both.origin.end(), second.origin.begin(), second.origin.end());
  return both;
}

// Reports whether \w of Rust's regular expressions matches the character.
bool IsWord(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  constexpr uint32_t kMask = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_hasBinaryProperty(code, UCHAR_ALPHABETIC) != 0 ||
         (U_MASK(u_charType(code)) & kMask) != 0 ||
         u_hasBinaryProperty(code, UCHAR_JOIN_CONTROL) != 0;
}

// Reports whether \s of Rust's regular expressions matches the character.
bool IsSpace(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0; }

}  // namespace

SlowTokenSplitter::SlowTokenSplitter(const std::vector<AddedToken>& tokens, bool special_too) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].special && !special_too) continue;
    tokens_.insert_or_assign(tokens[i].text, static_cast<int32_t>(i));
    size_t node = 0;
    for (size_t at = 0; at < tokens[i].text.size();) {
      const char32_t c = NextCodePoint(tokens[i].text, at);
      const auto [edge, is_new] = nodes_[node].next.emplace(c, static_cast<int32_t>(nodes_.size()));
      node = static_cast<size_t>(edge->second);
      if (is_new) nodes_.emplace_back();
    }
    nodes_[node].is_final = true;
  }
}

// Follows Trie.split of transformers step by step. Positions count characters; only the result
// counts bytes.
std::vector<size_t> SlowTokenSplitter::Ends(std::string_view text) const {
  std::vector<char32_t> characters;
  std::vector<size_t> bytes;  // where each character begins
  for (size_t at = 0; at < text.size();) {
    bytes.push_back(at);
    characters.push_back(NextCodePoint(text, at));
  }
  bytes.push_back(text.size());
  const size_t size = characters.size();
  const auto next_of = [&](int32_t node, size_t at) -> std::optional<int32_t> {
    if (at >= size) return std::nullopt;
    const auto& next = nodes_[static_cast<size_t>(node)].next;
    const auto found = next.find(characters[at]);
    return found == next.end() ? std::nullopt : std::optional(found->second);
  };
  const auto is_final = [&](int32_t node) { return nodes_[static_cast<size_t>(node)].is_final; };

  std::vector<size_t> cuts = {0};
  std::map<size_t, int32_t> states;  // trie nodes, by the position where a possible token begins
  size_t skip = 0;
  for (size_t current = 0; current < size; ++current) {
    if (current < skip) continue;
    std::vector<size_t> failed;
    bool matched = false;
    for (auto& [begin, node] : states) {
      if (is_final(node)) {
        size_t start = begin;
        size_t end = current;
        for (const auto& [other_begin, other] : states) {
          if (other_begin > start) break;
          // States that began before this one have already advanced, or have just failed.
          size_t ahead = other_begin < start ? current + 1 : current;
          end = ahead;
          int32_t at = other;
          if (is_final(at)) {
            start = other_begin;
            skip = ahead;
          }
          while (const auto next = next_of(at, ahead)) {
            at = *next;
            ++ahead;
            if (!is_final(at)) continue;
            start = other_begin;
            end = skip = ahead;
          }
        }
        cuts.push_back(start);
        cuts.push_back(end);
        matched = true;
        break;
      }
      if (const auto next = next_of(node, current)) {
        node = *next;
      } else {
        failed.push_back(begin);
      }
    }
    if (matched) {
      states.clear();
    } else {
      for (const size_t begin : failed) states.erase(begin);
    }
    if (current < skip) continue;
    if (const auto next = next_of(0, current)) states[current] = *next;
  }
  for (const auto& [begin, node] : states) {
    if (!is_final(node)) continue;
    cuts.push_back(begin);
    cuts.push_back(size);
    break;
  }
  cuts.push_back(size);
  std::vector<size_t> ends;
  size_t begin = 0;
  for (const size_t end : cuts) {
    if (end <= begin) continue;
    ends.push_back(bytes[end]);
    begin = end;
  }
  return ends;
}

std::vector<TextPart> SlowTokenSplitter::Split(const NormalizedText& text,
                                               const std::vector<AddedToken>& tokens) const {
  const auto token_of = [&](const std::string& part) {
    const auto found = tokens_.find(part);
    return found == tokens_.end() ? -1 : found->second;
  };
  std::vector<NormalizedText> parts;
  size_t begin = 0;
  for (const size_t end : Ends(text.text)) {
    parts.push_back(Slice(text, begin, end));
    begin = end;
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const int32_t index = token_of(parts[i].text);
    if (index < 0) continue;
    const AddedToken& token = tokens[static_cast<size_t>(index)];
    NormalizedText* left = i > 0 ? &parts[i - 1] : nullptr;
    NormalizedText* right = i + 1 < parts.size() ? &parts[i + 1] : nullptr;
    // The neighbouring characters, read before the white space is stripped.
    const char before = left != nullptr && !left->text.empty() ? left->text.back() : ' ';
    const char after = right != nullptr && !right->text.empty() ? right->text.front() : ' ';
    if (token.rstrip && right != nullptr) *right = Stripped(*right, true, false, IsWhiteSpace);
    if (token.lstrip && left != nullptr) *left = Stripped(*left, false, true, IsWhiteSpace);
    if (!token.single_word) continue;
    const NormalizedText nothing = Slice(parts[i], 0, 0);
    if (before != ' ') {
      *left = Joined(*left, parts[i]);
      parts[i] = nothing;
    } else if (after != ' ') {
      *right = Joined(parts[i], *right);
      parts[i] = nothing;
    }
  }
  std::vector<TextPart> split;
  for (NormalizedText& part : parts) {
    if (part.text.empty()) continue;
    const int32_t token = token_of(part.text);
    split.push_back({std::move(part), token});
  }
  return split;
}

FastTokenSplitter::FastTokenSplitter(std::vector<std::pair<std::string, int32_t>> texts) {
  std::set<std::string_view> seen;
  std::vector<std::pair<std::string_view, int32_t>> pairs;
  for (const auto& [text, token] : texts) {
    if (!text.empty() && seen.insert(text).second) pairs.emplace_back(text, token);
  }
  trie_ = PieceTrie(std::move(pairs));
}

std::vector<TextPart> FastTokenSplitter::Split(const NormalizedText& of,
                                               const std::vector<AddedToken>& tokens,
                                               bool special_too) const {
  const std::string_view text = of.text;
  std::vector<TextPart> split;
  size_t done = 0;
  for (size_t at = 0; at < text.size() && !trie_.empty();) {
    size_t size = 0;
    int32_t index = -1;
    int32_t node = PieceTrie::root();
    for (size_t end = at; end < text.size();) {
      node = trie_.Next(node, text[end++]);
      if (node == PieceTrie::kNone) break;
      if (trie_.Value(node) == PieceTrie::kNone) continue;
      size = end - at;
      index = trie_.Value(node);
    }
    if (size == 0) {
      ++at;
      continue;
    }
    size_t begin = at;
    size_t end = at + size;
    at = end;
    const AddedToken& token = tokens[static_cast<size_t>(index)];
    if (token.special && !special_too) continue;
    if (token.single_word) {
      const bool touches = (begin > 0 && IsWord(CodePointBefore(text, begin))) ||
                           (end < text.size() && IsWord(CodePointAt(text, end)));
      if (touches) continue;
    }
    while (token.lstrip && begin > done && IsSpace(CodePointBefore(text, begin))) {
      PreviousCodePoint(text, begin);
    }
    while (token.rstrip && end < text.size() && IsSpace(CodePointAt(text, end))) {
      NextCodePoint(text, end);
    }
    // The white space before this token may already belong to the previous token.
    begin = std::max(begin, std::min(done, end));
    if (done < begin) split.push_back({Slice(of, done, begin), -1});
    split.push_back({Slice(of, begin, end), index});
    done = end;
  }
  if (done < text.size()) split.push_back({Slice(of, done, text.size()), -1});
  return split;
}

}  // namespace dragoman::engine
