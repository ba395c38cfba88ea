#include <unicode/uchar.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/token_splitter.h"

namespace dragoman {
namespace {

// \w of Rust's regular expressions.
bool IsWord(char32_t c) {
  const auto code = static_cast<UChar32>(c);
  constexpr uint32_t kMask = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_hasBinaryProperty(code, UCHAR_ALPHABETIC) != 0 ||
         (U_MASK(u_charType(code)) & kMask) != 0 ||
         u_hasBinaryProperty(code, UCHAR_JOIN_CONTROL) != 0;
}

// \s of theirs.
bool IsSpace(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0; }

// Where the character begins that ends at `at`. REQUIRES: at > 0.
size_t Before(std::string_view text, size_t at) {
  --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

char32_t CharacterAt(std::string_view text, size_t at) { return NextCodePoint(text, at); }

}  // namespace

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
      const bool touches = (begin > 0 && IsWord(CharacterAt(text, Before(text, begin)))) ||
                           (end < text.size() && IsWord(CharacterAt(text, end)));
      if (touches) continue;
    }
    while (token.lstrip && begin > done && IsSpace(CharacterAt(text, Before(text, begin)))) {
      begin = Before(text, begin);
    }
    while (token.rstrip && end < text.size()) {
      size_t next = end;
      if (!IsSpace(NextCodePoint(text, next))) break;
      end = next;
    }
    // White space that the last one took is gone.
    begin = std::max(begin, std::min(done, end));
    if (done < begin) split.push_back({Slice(of, done, begin), -1});
    split.push_back({Slice(of, begin, end), index});
    done = end;
  }
  if (done < text.size()) split.push_back({Slice(of, done, text.size()), -1});
  return split;
}

}  // namespace dragoman
