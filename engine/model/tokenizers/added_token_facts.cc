#include "engine/model/tokenizers/added_token_facts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "engine/base/concat.h"

namespace dragoman {

absl::Status PlaceAddedToken(int id, const AddedToken& token, std::string_view file, int rows,
                             std::vector<std::string>* pieces) {
  const auto at = static_cast<size_t>(id);
  const std::string shown = token.text.substr(0, 64);
  if (at < pieces->size() && (*pieces)[at] == token.text) return absl::OkStatus();
  if (at < pieces->size() && !(*pieces)[at].empty()) {
    return absl::UnimplementedError(Concat(file, " has '", shown, "' with id ", id,
                                           ", which is the id of '", (*pieces)[at].substr(0, 64),
                                           "'; supported: ids that no other piece has"));
  }
  if (id >= rows) {
    return absl::InvalidArgumentError(Concat("config.json: field 'vocab_size' is ", rows,
                                             ", expected more than ", id, ", the id of '", shown,
                                             "'"));
  }
  if (at >= pieces->size()) pieces->resize(at + 1);
  (*pieces)[at] = token.text;
  return absl::OkStatus();
}

void SetAddedTokens(const std::vector<TokenizerJson::Added>& json, const AddedTokenMap& added,
                    const std::vector<AddedToken>& listed, const Vocabulary& vocabulary,
                    const SpecialIds& tokens, bool has_prompts, TokenizerDescription* facts) {
  // Later ones change earlier ones of their text.
  std::vector<AddedToken> all;
  std::unordered_map<std::string_view, size_t> places;  // views into the arguments
  const auto set = [&](const AddedToken& token, bool changes) {
    if (!vocabulary.IdOf(token.text)) return;
    const auto [place, is_new] = places.emplace(token.text, all.size());
    if (is_new) {
      all.push_back(token);
    } else if (changes) {
      all[place->second] = token;
    } else {
      all[place->second].special = true;
    }
  };
  for (const TokenizerJson::Added& one : json) set(one.token, true);
  for (const auto& [id, token] : added) set(token, true);
  for (const AddedToken& token : listed) set(token, false);
  bool cuts_texts = false;
  for (AddedToken& token : all) {
    const int id = *vocabulary.IdOf(token.text);
    const bool is_special = id == tokens.eos || id == tokens.unk || id == tokens.pad ||
                            std::binary_search(facts->special.begin(), facts->special.end(), id);
    token.special = token.special || is_special;
    cuts_texts = cuts_texts || !token.special;
  }
  if (cuts_texts || has_prompts) facts->added = std::move(all);
}

void NoteSpecialTokens(const std::vector<std::string>& pieces, std::string_view file,
                       std::vector<std::string>* notes) {
  constexpr size_t kNamed = 5;
  if (pieces.empty()) return;
  std::string note = Concat(file, " has added ", pieces.size(),
                            pieces.size() == 1 ? " special token" : " special tokens",
                            ", which are never read from a text nor written to one: ");
  for (size_t i = 0; i < std::min(kNamed, pieces.size()); ++i) {
    note += Concat(i == 0 ? "" : ", ", pieces[i].substr(0, 64));
  }
  if (pieces.size() > kNamed) note += ", ...";
  notes->push_back(std::move(note));
}

}  // namespace dragoman
