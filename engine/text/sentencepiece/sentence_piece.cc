#include "engine/text/sentencepiece/sentence_piece.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/unigram.h"

namespace dragoman::engine {
namespace {

// A user-defined piece scores this much for each byte after its first, and the score in the model
// file is ignored (sentencepiece 0.2.2 and later). Scores of trained pieces are below 0, so a
// user-defined piece usually wins.
constexpr double kUserDefinedByte = 0.1;

int CharacterSize(std::string_view text, size_t at) {
  size_t after = at;
  NextCodePoint(text, after);
  return static_cast<int>(after - at);
}

bool IsTextPiece(SpmPiece::Type type) {
  return type == SpmPiece::kNormal || type == SpmPiece::kUserDefined || type == SpmPiece::kUnused;
}

PieceTrie UserDefinedTrie(const SpmFile& file) {
  std::vector<std::pair<std::string_view, int32_t>> pieces;
  for (size_t i = 0; i < file.pieces.size(); ++i) {
    if (file.pieces[i].type != SpmPiece::kUserDefined) continue;
    pieces.emplace_back(file.pieces[i].text, static_cast<int32_t>(i));
  }
  return PieceTrie(std::move(pieces));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SentencePiece>> SentencePiece::Create(std::string_view bytes,
                                                                     std::string_view name) {
  absl::StatusOr<SpmFile> file = ParseSpmFile(bytes, name);
  if (!file.ok()) return file.status();
  absl::StatusOr<SpmNormalizer> normalizer = SpmNormalizer::Create(
      file->normalizer, file->treat_whitespace_as_suffix, UserDefinedTrie(*file), name);
  if (!normalizer.ok()) return normalizer.status();
  std::optional<SpmNormalizer> denormalizer;
  if (!file->denormalizer.charsmap.empty()) {
    absl::StatusOr<SpmNormalizer> created =
        SpmNormalizer::Create(file->denormalizer, false, PieceTrie(), name);
    if (!created.ok()) return created.status();
    denormalizer = *std::move(created);
  }
  std::unique_ptr<SentencePiece> model(new SentencePiece(*std::move(file), *std::move(normalizer)));
  model->denormalizer_ = std::move(denormalizer);
  return model;
}

SentencePiece::SentencePiece(SpmFile file, SpmNormalizer normalizer)
    : file_(std::move(file)),
      normalizer_(std::move(normalizer)),
      user_defined_(UserDefinedTrie(file_)) {
  min_score_ = std::numeric_limits<float>::max();
  std::vector<std::pair<std::string_view, int32_t>> text_pieces;
  for (size_t i = 0; i < file_.pieces.size(); ++i) {
    const SpmPiece& piece = file_.pieces[i];
    const auto id = static_cast<int32_t>(i);
    if (piece.type == SpmPiece::kUnknown) unk_id_ = id;
    if (piece.type == SpmPiece::kNormal) min_score_ = std::min(min_score_, piece.score);
    if (IsTextPiece(piece.type)) {
      text_ids_.emplace(piece.text, id);
      if (piece.type != SpmPiece::kUnused) text_pieces.emplace_back(piece.text, id);
      ids_.emplace(piece.text, id);
    } else {
      ids_.insert_or_assign(piece.text, id);  // replaces a text piece of the same text
    }
  }
  trie_ = PieceTrie(std::move(text_pieces));
}

// The sums are float, as in the sentencepiece library.
std::vector<PieceSpan> SentencePiece::SegmentUnigram(std::string_view text) const {
  return BestCut(text, trie_, unk_id_, min_score_ - kUnknownPenalty, [&](int32_t id) {
    const SpmPiece& piece = file_.pieces[static_cast<size_t>(id)];
    if (piece.type != SpmPiece::kUserDefined) return piece.score;
    return static_cast<float>(kUserDefinedByte * static_cast<double>(piece.text.size() - 1));
  });
}

// Repeatedly merges the pair of neighbours that forms the piece with the highest score, until no
// pair forms a piece. Then splits pieces of type kUnused into the two parts that were merged.
std::vector<PieceSpan> SentencePiece::SegmentBpe(std::string_view text) const {
  struct Symbol {
    int32_t prev = -1;
    int32_t next = -1;
    int32_t begin = 0;
    int32_t size = 0;
    bool frozen = false;  // a user-defined piece
  };
  struct Pair {
    float score = 0;
    int32_t left = 0;
    int32_t right = 0;
    int32_t size = 0;
  };
  const auto worse = [](const Pair& a, const Pair& b) {
    return a.score < b.score || (a.score == b.score && a.left > b.left);
  };
  std::vector<Symbol> symbols;
  for (size_t at = 0; at < text.size();) {
    size_t size = user_defined_.empty() ? 0 : user_defined_.LongestPrefix(text.substr(at));
    const bool frozen = size > 0;
    if (!frozen) size = static_cast<size_t>(CharacterSize(text, at));
    const auto index = static_cast<int32_t>(symbols.size());
    symbols.push_back(
        {index - 1, index + 1, static_cast<int32_t>(at), static_cast<int32_t>(size), frozen});
    at += size;
  }
  if (symbols.empty()) return {};
  symbols.back().next = -1;

  const auto symbol = [&](int32_t i) -> Symbol& { return symbols[static_cast<size_t>(i)]; };
  const auto view = [&](int32_t begin, int32_t size) {
    return text.substr(static_cast<size_t>(begin), static_cast<size_t>(size));
  };
  std::vector<Pair> agenda;  // a heap
  std::unordered_map<std::string_view, int32_t>
      unused_split;  // unused piece -> size of its left part
  const auto offer = [&](int32_t left, int32_t right) {
    if (left == -1 || right == -1 || symbol(left).frozen || symbol(right).frozen) return;
    const int32_t size = symbol(left).size + symbol(right).size;
    const std::string_view piece = view(symbol(left).begin, size);
    const auto it = text_ids_.find(piece);
    if (it == text_ids_.end()) return;
    const SpmPiece& known = file_.pieces[static_cast<size_t>(it->second)];
    agenda.push_back({known.score, left, right, size});
    std::push_heap(agenda.begin(), agenda.end(), worse);
    if (known.type == SpmPiece::kUnused) unused_split[piece] = symbol(left).size;
  };
  for (int32_t i = 1; i < static_cast<int32_t>(symbols.size()); ++i) offer(i - 1, i);
  while (!agenda.empty()) {
    std::pop_heap(agenda.begin(), agenda.end(), worse);
    const Pair top = agenda.back();
    agenda.pop_back();
    Symbol& left = symbol(top.left);
    Symbol& right = symbol(top.right);
    // Skip the entry if one of its two symbols has been merged since it was added.
    if (left.size == 0 || right.size == 0 || left.size + right.size != top.size) continue;
    left.size = top.size;
    left.next = right.next;
    if (right.next >= 0) symbol(right.next).prev = top.left;
    right.size = 0;
    offer(left.prev, top.left);
    offer(top.left, left.next);
  }

  std::vector<PieceSpan> spans;
  for (int32_t i = 0; i != -1; i = symbol(i).next) {
    std::vector<std::pair<int32_t, int32_t>> parts = {{symbol(i).begin, symbol(i).size}};
    while (!parts.empty()) {
      const auto [begin, size] = parts.back();
      parts.pop_back();
      const std::string_view piece = view(begin, size);
      const int32_t id = IdOf(piece);
      const auto split = unused_split.find(piece);
      if (file_.pieces[static_cast<size_t>(id)].type == SpmPiece::kUnused &&
          split != unused_split.end()) {
        parts.emplace_back(begin + split->second, size - split->second);
        parts.emplace_back(begin, split->second);
      } else {
        spans.push_back({id, begin, begin + size});
      }
    }
  }
  return spans;
}

// A word begins at each space mark, even if treat_whitespace_as_suffix is set.
std::vector<PieceSpan> SentencePiece::SegmentWords(std::string_view text) const {
  std::vector<PieceSpan> spans;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(kSpaceMark, begin + 1), text.size());
    spans.push_back({IdOf(text.substr(begin, end - begin)), static_cast<int32_t>(begin),
                     static_cast<int32_t>(end)});
    begin = end;
  }
  return spans;
}

// Cuts into characters, except that a user-defined piece stays one piece.
std::vector<PieceSpan> SentencePiece::SegmentCharacters(std::string_view text) const {
  std::vector<PieceSpan> spans;
  for (size_t begin = 0; begin < text.size();) {
    size_t size = user_defined_.empty() ? 0 : user_defined_.LongestPrefix(text.substr(begin));
    if (size == 0) size = static_cast<size_t>(CharacterSize(text, begin));
    spans.push_back({IdOf(text.substr(begin, size)), static_cast<int32_t>(begin),
                     static_cast<int32_t>(begin + size)});
    begin += size;
  }
  return spans;
}

std::vector<PieceSpan> SentencePiece::Segment(std::string_view text) const {
  switch (file_.model_type) {
    case SpmFile::kUnigram:
      return SegmentUnigram(text);
    case SpmFile::kBpe:
      return SegmentBpe(text);
    case SpmFile::kWord:
      return SegmentWords(text);
    case SpmFile::kChar:
      return SegmentCharacters(text);
  }
  return {};
}

int32_t SentencePiece::IdOf(std::string_view piece) const {
  const auto found = ids_.find(piece);
  return found == ids_.end() ? unk_id_ : found->second;
}

std::vector<SubwordToken> SentencePiece::Encode(std::string_view text, TextStart start) const {
  const NormalizedText normal = normalizer_.Normalize(text, start != TextStart::kInside);
  const std::vector<PieceSpan> spans = Segment(normal.text);
  std::vector<SubwordToken> tokens;
  tokens.reserve(spans.size());
  bool after_unknown = false;
  for (const PieceSpan& span : spans) {
    const std::string_view piece =
        std::string_view(normal.text)
            .substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
    const TextRange range = {normal.origin[static_cast<size_t>(span.begin)],
                             normal.origin[static_cast<size_t>(span.end)]};
    const bool unknown = span.id == unk_id_;
    if (unknown && file_.byte_fallback) {
      for (const char byte : piece) {
        tokens.push_back({PieceOfByte(byte), {range.begin, range.begin}});
      }
      tokens.back().range.end = range.end;
    } else if (unknown && after_unknown) {
      tokens.back().piece += piece;
      tokens.back().range.end = range.end;
    } else {
      tokens.push_back({std::string(piece), range});
    }
    after_unknown = unknown;
  }
  return tokens;
}

}  // namespace dragoman::engine
