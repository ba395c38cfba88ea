#include "engine/text/tokenizer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/sentencepiece/sentence_piece.h"

namespace dragoman::engine {
namespace {

// The source side or the target side of the tokenizer: the ids of its pieces, and the special ids,
// which a text never gets.
struct Side {
  const PieceTable& table;
  int eos;
  int unk;
  std::optional<int> pad;
  const std::vector<int>& more;
};

int IdOf(const Side& side, const std::string& piece) {
  // The model may return ">>fra<<" or "</s>" as a piece: a user-defined piece, or a run of unknown
  // characters. In a text, such a piece becomes <unk>, never the tag or special token of that name.
  const bool is_tag = piece.starts_with(">>") && piece.ends_with("<<") && piece.size() > 4;
  const int id = is_tag ? side.unk : side.table.IdOf(piece).value_or(side.unk);
  const bool is_special = id == side.eos || id == side.pad ||
                          std::binary_search(side.more.begin(), side.more.end(), id);
  return is_special ? side.unk : id;
}

EncodedText EncodeWith(const SubwordModel& model, const Side& side, std::string_view text,
                       TextStart start) {
  EncodedText encoded;
  for (const SubwordToken& token : model.Encode(text, start)) {
    encoded.ids.push_back(IdOf(side, token.piece));
    encoded.ranges.push_back(token.range);
  }
  encoded.text_end = encoded.ids.size();
  return encoded;
}

// Replaces every space mark (U+2581) by a space and adjusts the ranges.
void ReplaceMarks(PieceText& joined) {
  if (joined.text.find(kSpaceMark) == std::string::npos) return;
  std::vector<int64_t> moved(joined.text.size() + 1);
  int64_t to = 0;
  for (size_t at = 0; at < joined.text.size(); ++to) {
    const bool is_mark = std::string_view(joined.text).substr(at).starts_with(kSpaceMark);
    for (size_t i = is_mark ? kSpaceMark.size() : 1; i > 0; --i) moved[at++] = to;
  }
  moved.back() = to;
  for (TextRange& range : joined.ranges) {
    range = {moved[static_cast<size_t>(range.begin)], moved[static_cast<size_t>(range.end)]};
  }
  ReplaceSpaceMarks(joined.text);
}

// Strips white space at the ends of the text and of every range.
void StripEnds(DecodedText& decoded) {
  const std::string_view stripped = StripWhiteSpace(decoded.text);
  const int64_t from = stripped.data() - decoded.text.data();
  const auto size = static_cast<int64_t>(stripped.size());
  for (TextRange& range : decoded.ranges) {
    range = {std::clamp<int64_t>(range.begin - from, 0, size),
             std::clamp<int64_t>(range.end - from, 0, size)};
    const std::string_view own = range.In(stripped);
    const std::string_view visible = StripWhiteSpace(own);
    range.begin += visible.data() - own.data();
    range.end = range.begin + static_cast<int64_t>(visible.size());
  }
  decoded.text = std::string(stripped);
}

bool IsInWord(char32_t c) {
  const auto character = static_cast<UChar32>(c);
  return u_isalnum(character) != 0 || (U_GET_GC_MASK(character) & U_GC_M_MASK) != 0;
}

}  // namespace

void PutBefore(std::span<const int> tokens, EncodedText* encoded) {
  encoded->ids.insert(encoded->ids.begin(), tokens.begin(), tokens.end());
  encoded->ranges.insert(encoded->ranges.begin(), tokens.size(), TextRange{0, 0});
  encoded->text_begin += tokens.size();
  encoded->text_end += tokens.size();
}

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::Create(const TokenizerFiles& files,
                                                             const PieceTable* source_table,
                                                             const PieceTable* target_table,
                                                             SpecialTokens special) {
  std::shared_ptr<const SubwordModel> source = files.model;
  std::shared_ptr<const SubwordModel> target =
      files.target_model != nullptr ? files.target_model : files.model;
  if (files.model == nullptr) {
    auto of_source = SentencePiece::Create(files.source_spm, files.source_path);
    if (!of_source.ok()) return of_source.status();
    auto of_target = SentencePiece::Create(files.target_spm, files.target_path);
    if (!of_target.ok()) return of_target.status();
    source = *std::move(of_source);
    target = *std::move(of_target);
  }
  if (!files.added.empty()) {
    for (auto* model : {&source, &target}) {
      *model = std::make_shared<AddedTokenModel>(std::move(*model), files.added, files.rules);
    }
  }
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(source), std::move(target),
                                                  source_table, target_table, std::move(special)));
}

EncodedText Tokenizer::EncodeSource(std::string_view text, SourceTags tags) const {
  const bool has_own = special_.source_more.has_value();
  const int eos = special_.source_eos.value_or(special_.eos);
  const Side source{*source_table_, eos, special_.source_unk.value_or(special_.unk),
                    has_own ? std::nullopt : special_.pad,
                    has_own ? *special_.source_more : special_.more};
  EncodedText encoded =
      EncodeWith(*source_, source, text, tags.follows_text ? TextStart::kWord : TextStart::kBegin);
  std::vector<int> before;
  if (special_.source_bos.has_value()) before.push_back(*special_.source_bos);
  if (tags.first.has_value()) before.push_back(*tags.first);
  PutBefore(before, &encoded);
  if (special_.ends_source) encoded.ids.push_back(eos);
  if (tags.last.has_value()) encoded.ids.push_back(*tags.last);
  const auto end = static_cast<int64_t>(text.size());
  encoded.ranges.resize(encoded.ids.size(), {end, end});
  return encoded;
}

std::vector<int> Tokenizer::EncodePrompt(std::string_view prompt) const {
  const std::string_view stripped = StripWhiteSpace(prompt);
  prompt = prompt.substr(0, static_cast<size_t>(stripped.data() - prompt.data()) + stripped.size());
  std::vector<int> ids;
  for (const SubwordToken& token : source_->EncodePrompt(prompt)) {
    ids.push_back(
        source_table_->IdOf(token.piece).value_or(special_.source_unk.value_or(special_.unk)));
  }
  return ids;
}

EncodedText Tokenizer::EncodeTarget(std::string_view text) const {
  return EncodeWith(*target_,
                    {*target_table_, special_.eos, special_.unk, special_.pad, special_.more}, text,
                    TextStart::kBegin);
}

EncodedPhrase Tokenizer::EncodePhrase(std::string_view text, bool word_start) const {
  EncodedPhrase phrase;
  const std::vector<SubwordToken> tokens =
      target_->Encode(text, word_start ? TextStart::kWord : TextStart::kInside);
  const Side target{*target_table_, special_.eos, special_.unk, special_.pad, special_.more};
  for (const SubwordToken& token : tokens) phrase.ids.push_back(IdOf(target, token.piece));
  if (tokens.empty()) return phrase;
  const std::string_view mark = target_->word_mark();
  phrase.space_before = mark.empty() ? word_start : tokens.front().piece.starts_with(mark);
  // If each piece is a word of its own (no mark), Decode adds a space before the next piece.
  phrase.space_after = !mark.empty() && tokens.back().piece.ends_with(mark);
  return phrase;
}

DecodedText Tokenizer::Text(std::span<const int> ids, std::span<const VerbatimTokens> verbatim,
                            bool is_prefix) const {
  DecodedText whole;
  whole.ranges.resize(ids.size());
  std::vector<std::string_view> pieces;  // pieces not yet written to whole.text
  std::vector<size_t> owners;            // owners[k]: the position in `ids` of pieces[k]
  const auto write_pieces = [&](bool is_open) {
    const bool after_text = !whole.text.empty();
    PieceText joined = target_->Decode(pieces, after_text, is_open);
    // Decode leaves the marks in pieces that the target's model does not know.
    if (target_->word_mark() == kSpaceMark) ReplaceMarks(joined);
    const auto base = static_cast<int64_t>(whole.text.size());
    for (size_t k = 0; k < owners.size(); ++k) {
      whole.ranges[owners[k]] = {base + joined.ranges[k].begin, base + joined.ranges[k].end};
    }
    whole.text += joined.text;
    pieces.clear();
    owners.clear();
  };
  std::vector<bool> has_text(ids.size());
  for (size_t i = 0; i < ids.size();) {
    if (!verbatim.empty() && verbatim.front().begin == i) {
      const VerbatimTokens& given = verbatim.front();
      write_pieces(false);
      if (given.space_before && !whole.text.empty()) whole.text += ' ';
      const auto begin = static_cast<int64_t>(whole.text.size());
      whole.text += given.text;
      whole.ranges[i] = {begin, static_cast<int64_t>(whole.text.size())};
      has_text[i] = true;
      if (given.space_after) whole.text += ' ';
      i = given.end;
      verbatim = verbatim.subspan(1);
      continue;
    }
    const std::string_view piece =
        IsSpecial(ids[i]) ? std::string_view() : target_table_->PieceOf(ids[i]);
    if (!piece.empty()) {
      pieces.push_back(piece);
      owners.push_back(i);
      has_text[i] = true;
    }
    ++i;
  }
  write_pieces(is_prefix);
  for (size_t i = 1; i < ids.size(); ++i) {
    if (!has_text[i]) whole.ranges[i] = {whole.ranges[i - 1].end, whole.ranges[i - 1].end};
  }
  StripEnds(whole);
  return whole;
}

bool Tokenizer::MarksWordBegin() const {
  if (target_->word_mark().empty()) return false;
  return !EncodePhrase("a", true).space_after;
}

TokenEdges Tokenizer::EdgesOf(int id) const {
  const std::string_view piece = IsSpecial(id) ? std::string_view() : target_table_->PieceOf(id);
  if (piece.empty()) return {};
  const std::string text = target_->Decode({&piece, 1}, true, false).text;
  if (text.empty()) return {};
  return {IsInWord(CodePointAt(text, 0)), IsInWord(CodePointBefore(text, text.size()))};
}

bool Tokenizer::IsSpecial(int id) const {
  return id == special_.eos || id == special_.unk || id == special_.pad ||
         std::binary_search(special_.more.begin(), special_.more.end(), id);
}

}  // namespace dragoman::engine
