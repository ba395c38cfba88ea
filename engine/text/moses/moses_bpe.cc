#include "engine/text/moses/moses_bpe.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kWordEnd = "</w>";

}  // namespace

absl::StatusOr<std::unique_ptr<MosesBpe>> MosesBpe::Create(std::string_view merges,
                                                           std::string_view language) {
  auto tokenizer = MosesTokenizer::Create(language);
  if (!tokenizer.ok()) return tokenizer.status();
  std::unique_ptr<MosesBpe> made(new MosesBpe);
  made->tokenizer_ = *std::move(tokenizer);
  made->is_english_ = language == "en";
  const auto intern = [&](std::string symbol) {
    return made->ids_.try_emplace(std::move(symbol), static_cast<int32_t>(made->ids_.size()))
        .first->second;
  };
  std::vector<BpeMerge> list;
  for (size_t at = 0, end; (end = merges.find('\n', at)) != std::string_view::npos; at = end + 1) {
    const std::vector<std::string_view> pair = SplitWhiteSpace(merges.substr(at, end - at));
    if (pair.size() < 2) continue;
    list.push_back({.left = intern(std::string(pair[0])),
                    .right = intern(std::string(pair[1])),
                    .merged = intern(std::string(pair[0]) + std::string(pair[1]))});
  }
  made->merges_ = BpeMerges(list);
  return made;
}

int32_t MosesBpe::IdOf(const std::string& symbol) const {
  const auto found = ids_.find(symbol);
  return found == ids_.end() ? -1 : found->second;
}

std::vector<SubwordToken> MosesBpe::Encode(std::string_view text, TextStart) const {
  std::vector<SubwordToken> tokens;
  int64_t done = -1;  // the end of the tokens so far
  for (const MosesWord& word : tokenizer_->Words(text)) {
    std::vector<PieceSpan> symbols;
    for (size_t at = 0; at < word.text.size();) {
      const size_t begin = at;
      NextCodePoint(word.text, at);
      std::string symbol = word.text.substr(begin, at - begin);
      if (at == word.text.size()) symbol += kWordEnd;
      symbols.push_back({IdOf(symbol), static_cast<int32_t>(begin), static_cast<int32_t>(at)});
    }
    merges_.Apply(&symbols);
    for (const PieceSpan& symbol : symbols) {
      const auto begin = static_cast<size_t>(symbol.begin);
      const auto end = static_cast<size_t>(symbol.end);
      if (done < 0) done = word.origin[begin].begin;
      SubwordToken& token = tokens.emplace_back();
      token.piece = word.text.substr(begin, end - begin);
      if (end == word.text.size()) token.piece += kWordEnd;
      token.range = {done, std::max(done, word.origin[end - 1].end)};
      done = token.range.end;
    }
  }
  return tokens;
}

PieceText MosesBpe::Decode(std::span<const std::string_view> pieces, bool after_text,
                           bool is_prefix) const {
  OwnedText words;
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t at = 0; at < pieces[i].size();) {
      const std::string_view rest = pieces[i].substr(at);
      if (rest.starts_with(kWordEnd)) {
        words.text += ' ';
        at += kWordEnd.size();
      } else {
        ++at;
        if (rest[0] == ' ') continue;
        words.text += rest[0];
      }
      words.owner.push_back(static_cast<int>(i));
    }
  }
  OwnedText joined = JoinMosesWords(std::move(words), is_english_, after_text, is_prefix);

  PieceText found{std::move(joined.text), {}};
  found.ranges.reserve(pieces.size());
  int64_t at = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    // Bytes without an owner are the space before a piece's text.
    int64_t end = at;
    for (auto next = at; next < static_cast<int64_t>(found.text.size()); ++next) {
      const int owner = joined.owner[static_cast<size_t>(next)];
      if (owner > static_cast<int>(i)) break;
      if (owner >= 0) end = next + 1;
    }
    found.ranges.push_back({at, end});
    at = end;
  }
  return found;
}

}  // namespace dragoman::engine
