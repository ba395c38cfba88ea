#include "engine/text/tokenizer.h"

#include <utility>

#include "engine/text/sentence_piece.h"
#include "engine/text/utf8.h"

namespace dragoman {
namespace {

EncodedText EncodeWith(const SentencePiece& model, const PieceTable& table, int eos, int unk,
                       std::optional<int> pad, std::string_view text) {
  EncodedText encoded;
  for (const SentencePieceToken& token : model.Encode(text)) {
    // A user-defined piece or a run of unknown characters could read ">>fra<<" or "</s>": from text
    // it is unknown, never the tag or special token of that name.
    const bool is_tag =
        token.piece.starts_with(">>") && token.piece.ends_with("<<") && token.piece.size() > 4;
    int id = is_tag ? unk : table.IdOf(token.piece).value_or(unk);
    if (id == eos || id == pad) id = unk;
    encoded.ids.push_back(id);
    encoded.ranges.push_back(token.range);
  }
  return encoded;
}

}  // namespace

struct Tokenizer::Models {
  std::unique_ptr<SentencePiece> source;
  std::unique_ptr<SentencePiece> target;
};

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::Create(const TokenizerFiles& files,
                                                             const PieceTable* source_table,
                                                             const PieceTable* target_table,
                                                             SpecialTokens special) {
  auto models = std::make_unique<Models>();
  auto source = SentencePiece::Create(files.source_spm, files.source_name);
  if (!source.ok()) return source.status();
  auto target = SentencePiece::Create(files.target_spm, files.target_name);
  if (!target.ok()) return target.status();
  models->source = *std::move(source);
  models->target = *std::move(target);
  return std::unique_ptr<Tokenizer>(
      new Tokenizer(std::move(models), source_table, target_table, special));
}

Tokenizer::Tokenizer(std::unique_ptr<Models> models, const PieceTable* source,
                     const PieceTable* target, SpecialTokens special)
    : models_(std::move(models)), source_table_(source), target_table_(target), special_(special) {}

Tokenizer::~Tokenizer() = default;

EncodedText Tokenizer::EncodeSource(std::string_view text, std::optional<int> language_tag) const {
  const int eos = special_.source_eos.value_or(special_.eos);
  EncodedText encoded = EncodeWith(*models_->source, *source_table_, eos,
                                   special_.source_unk.value_or(special_.unk), special_.pad, text);
  if (language_tag.has_value()) {
    encoded.ids.insert(encoded.ids.begin(), *language_tag);
    encoded.ranges.insert(encoded.ranges.begin(), TextRange{0, 0});
  }
  const auto end = static_cast<int64_t>(text.size());
  encoded.ids.push_back(eos);
  encoded.ranges.push_back({end, end});
  return encoded;
}

EncodedText Tokenizer::EncodeTarget(std::string_view text) const {
  return EncodeWith(*models_->target, *target_table_, special_.eos, special_.unk, special_.pad,
                    text);
}

std::string Tokenizer::Text(std::span<const int> ids, bool is_prefix) const {
  std::vector<std::string_view> pieces;
  pieces.reserve(ids.size());
  for (const int id : ids) {
    if (IsSpecial(id)) continue;
    const std::string_view piece = target_table_->PieceOf(id);
    if (!piece.empty()) pieces.push_back(piece);
  }
  std::string joined =
      is_prefix ? models_->target->DecodePrefix(pieces) : models_->target->Decode(pieces);
  ReplaceSpaceMarks(joined);  // in pieces that the target's SentencePiece does not know
  return std::string(StripWhiteSpace(joined));
}

bool Tokenizer::IsSpecial(int id) const {
  return id == special_.eos || id == special_.unk || id == special_.pad;
}

}  // namespace dragoman
