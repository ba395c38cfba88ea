#include "engine/text/pipeline/pipeline_model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/join_pieces.h"
#include "engine/text/sentencepiece/spm_file.h"
#include "engine/text/subword_model.h"
#include "engine/text/unigram.h"

namespace dragoman::engine {

absl::StatusOr<std::unique_ptr<PipelineModel>> PipelineModel::Create(PipelineSpec spec,
                                                                     std::string_view name) {
  auto normalizer = PipelineNormalizer::Create(std::move(spec.normalizer), name);
  if (!normalizer.ok()) return normalizer.status();
  return std::unique_ptr<PipelineModel>(new PipelineModel(std::move(spec), *std::move(normalizer)));
}

PipelineModel::PipelineModel(PipelineSpec spec, PipelineNormalizer normalizer)
    : spec_(std::move(spec)), normalizer_(std::move(normalizer)), merges_(spec_.merges) {
  double worst = std::numeric_limits<double>::infinity();
  std::vector<std::pair<std::string_view, int32_t>> texts;
  for (size_t i = 0; i < spec_.pieces.size(); ++i) {
    const PipelineSpec::Piece& piece = spec_.pieces[i];
    worst = std::min(worst, piece.score);
    const auto id = static_cast<int32_t>(i);
    if (piece.hidden || piece.text.empty() || id == spec_.unknown) continue;
    ids_.emplace(piece.text, id);
    texts.emplace_back(piece.text, id);
  }
  spec_.merges.clear();
  spec_.merges.shrink_to_fit();
  unknown_score_ = worst - kUnknownPenalty;
  if (spec_.model == PipelineSpec::kUnigram) trie_ = PieceTrie(std::move(texts));
}

NormalizedText PipelineModel::Prepare(std::string_view text, TextStart start) const {
  NormalizedText prepared = Unchanged(text);
  if (start != TextStart::kWord || spec_.split_white_space || text.empty()) return prepared;
  prepared.text.insert(0, 1, ' ');
  prepared.origin.insert(prepared.origin.begin(), 0);
  return prepared;
}

std::vector<SubwordToken> PipelineModel::Cut(std::string_view text, TextStart start) const {
  bool prepend = spec_.prepend == PipelineSpec::kAlways;
  if (start == TextStart::kBegin) prepend = spec_.prepend != PipelineSpec::kNever;
  if (start == TextStart::kInside) prepend = false;
  // With kWord, white space precedes the text, so the text needs a mark. The normalizer may have
  // stripped this white space.
  prepend = prepend || (start == TextStart::kWord && !spec_.split_white_space);
  std::vector<SubwordToken> tokens;

  // Applies Metaspace to text[begin, end) and encodes its words.
  const auto metaspace = [&](size_t begin, size_t end, bool is_first) {
    if (begin == end) return;
    NormalizedText marked;
    const auto append = [&](std::string_view bytes, int32_t origin) {
      marked.text += bytes;
      marked.origin.insert(marked.origin.end(), bytes.size(), origin);
    };
    const std::string_view own = text.substr(begin, end - begin);
    const bool wanted = is_first ? prepend : spec_.prepend == PipelineSpec::kAlways;
    const bool marks = wanted && !own.starts_with(' ') && !own.starts_with(kSpaceMark);
    // The range of the mark includes the white space before it that was dropped.
    const auto before = static_cast<int32_t>(tokens.empty() ? begin : tokens.back().range.end);
    if (marks) append(kSpaceMark, before);
    for (size_t i = begin; i < end; ++i) {
      append(text[i] == ' ' ? kSpaceMark : text.substr(i, 1), static_cast<int32_t>(i));
    }
    marked.origin.push_back(static_cast<int32_t>(end));
    const std::string_view all = marked.text;
    for (size_t at = 0; at < all.size();) {
      size_t next = all.size();
      if (spec_.split_words) next = std::min(all.find(kSpaceMark, at + 1), all.size());
      EncodeWord(all.substr(at, next - at), std::span(marked.origin).subspan(at, next - at + 1),
                 &tokens);
      at = next;
    }
  };
  if (!spec_.split_white_space) {
    metaspace(0, text.size(), true);
    return tokens;
  }
  bool is_first = true;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    const char32_t c = NextCodePoint(text, at);
    if (!IsWhiteSpace(c) || (c >= 0x1C && c <= 0x1F)) continue;
    // kFirst applies only to a part that begins where the text begins.
    metaspace(begin, here, is_first && begin == 0);
    begin = at;
    is_first = false;
  }
  metaspace(begin, text.size(), is_first);
  return tokens;
}

void PipelineModel::EncodeWord(std::string_view word, std::span<const int32_t> origin,
                               std::vector<SubwordToken>* tokens) const {
  const bool is_bpe = spec_.model == PipelineSpec::kBpe;
  for (const PieceSpan& symbol : is_bpe ? Bpe(word) : Unigram(word)) {
    // Among the byte pieces of a character, only the last one has the character's range.
    const TextRange range = {origin[CharacterBegin(word, static_cast<size_t>(symbol.begin))],
                             origin[CharacterBegin(word, static_cast<size_t>(symbol.end))]};
    const std::string_view surface = word.substr(static_cast<size_t>(symbol.begin),
                                                 static_cast<size_t>(symbol.end - symbol.begin));
    if (symbol.id != kNone) {
      tokens->push_back({spec_.pieces[static_cast<size_t>(symbol.id)].text, range});
    } else if (!is_bpe && spec_.byte_fallback && HasBytes(surface)) {
      for (const char byte : surface) {
        tokens->push_back({PieceOfByte(byte), {range.begin, range.begin}});
      }
      tokens->back().range.end = range.end;
    } else {
      tokens->push_back({"", range});
    }
  }
}

void PipelineModel::Append(const PieceSpan& symbol, std::vector<PieceSpan>* symbols) const {
  const bool fuses =
      symbol.id == kNone && spec_.fuse_unknown && !symbols->empty() && symbols->back().id == kNone;
  if (fuses) {
    symbols->back().end = symbol.end;
  } else {
    symbols->push_back(symbol);
  }
}

// The sums are in double precision, as in models/unigram/model.rs.
std::vector<PieceSpan> PipelineModel::Unigram(std::string_view word) const {
  std::vector<PieceSpan> symbols;
  for (const PieceSpan& symbol : BestCut(word, trie_, kNone, unknown_score_, [&](int32_t id) {
         return spec_.pieces[static_cast<size_t>(id)].score;
       })) {
    Append(symbol, &symbols);
  }
  return symbols;
}

std::vector<PieceSpan> PipelineModel::Bpe(std::string_view word) const {
  std::vector<PieceSpan> symbols;
  for (size_t at = 0; at < word.size();) {
    const size_t begin = at;
    NextCodePoint(word, at);
    const std::string_view character = word.substr(begin, at - begin);
    const auto from = static_cast<int32_t>(begin);
    const auto to = static_cast<int32_t>(at);
    if (const auto found = ids_.find(character); found != ids_.end()) {
      symbols.push_back({found->second, from, to});
    } else if (spec_.byte_fallback && HasBytes(character)) {
      for (int32_t i = from; i < to; ++i) {
        const auto id = ids_.find(PieceOfByte(word[static_cast<size_t>(i)]));
        symbols.push_back({id->second, i, i + 1});
      }
    } else if (spec_.unknown) {
      Append({kNone, from, to}, &symbols);
    }
  }
  merges_.Apply(&symbols);
  return symbols;
}

bool PipelineModel::HasBytes(std::string_view text) const {
  return std::all_of(text.begin(), text.end(),
                     [&](char byte) { return ids_.contains(PieceOfByte(byte)); });
}

PieceText PipelineModel::Decode(std::span<const std::string_view> pieces, bool after_text,
                                bool is_prefix) const {
  const auto byte_of = [&](std::string_view piece) {
    return spec_.byte_fallback ? ByteOfPiece(piece) : -1;
  };
  const auto write = [&](std::string_view piece, std::string& text) {
    std::string surface(piece);
    if (text.empty() && !after_text && spec_.prepend != PipelineSpec::kNever &&
        surface.starts_with(kSpaceMark)) {
      surface.erase(0, kSpaceMark.size());
    }
    ReplaceSpaceMarks(surface);
    text += surface;
  };
  return JoinPieces(pieces, is_prefix, byte_of, write);
}

}  // namespace dragoman::engine
