#include "engine/model/tokenizers/fairseq_languages.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace dragoman::engine {
namespace {

bool IsLower(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// Reports whether the piece looks like a language token of NLLB-200: "deu_Latn".
bool IsNllbCode(std::string_view piece) {
  return piece.size() == 8 && IsLower(piece.substr(0, 3)) && piece[3] == '_' && piece[4] >= 'A' &&
         piece[4] <= 'Z' && IsLower(piece.substr(5));
}

// Reports whether the piece is a language token of mBART: "de_DE".
bool IsMbartCode(std::string_view piece) {
  return std::find(std::begin(kMbart50Languages), std::end(kMbart50Languages), piece) !=
         std::end(kMbart50Languages);
}

// Reports whether the model is an mBART-25. If no tokenizer class is named, the model is an
// mBART-25 if it has no start token and at most 25 languages. The number of languages is needed
// because CTranslate2's converter may also write no start token for an mBART-50.
bool IsMbart25(const std::vector<LanguageTag>& languages, const TokenizerConfig& fields,
               bool has_start) {
  const std::string_view name = fields.tokenizer_class;
  if (!AreOfMbart(languages) || name.starts_with("MBart50Tokenizer")) return false;
  if (name.starts_with("MBartTokenizer")) return true;
  return !has_start && languages.size() <= kMbart25Languages.size();
}

}  // namespace

std::vector<LanguageTag> FairseqLanguageTags(const Vocabulary& vocabulary) {
  std::vector<LanguageTag> tags;
  for (int id = 0; id < vocabulary.size(); ++id) {
    const std::string_view piece = vocabulary.PieceOf(id);
    std::string_view code = piece;
    if (piece.size() > 4 && piece.starts_with("__") && piece.ends_with("__")) {
      code = piece.substr(2, piece.size() - 4);
      if (!IsLower(code) || code.size() > 3) continue;
    } else if (!IsNllbCode(piece) && !IsMbartCode(piece)) {
      continue;
    }
    if (ParseLanguageCode(code)) tags.push_back({.code = std::string(code), .id = id});
  }
  return tags;
}

bool AreOfMbart(const std::vector<LanguageTag>& languages) {
  return !languages.empty() && IsMbartCode(languages.front().code);
}

LanguageTokenPlacement PlacementOfLanguageTokens(const std::vector<LanguageTag>& languages,
                                                 const TokenizerConfig& fields, bool has_start) {
  if (fields.tokenizer_class == "SMALL100Tokenizer") return LanguageTokenPlacement::kTargetInSource;
  const bool is_legacy = fields.legacy_behaviour && IsNllbCode(languages.front().code);
  if (!is_legacy && !IsMbart25(languages, fields, has_start)) return LanguageTokenPlacement::kBoth;
  return has_start ? LanguageTokenPlacement::kEndAndFirst : LanguageTokenPlacement::kEndAndStart;
}

}  // namespace dragoman::engine
