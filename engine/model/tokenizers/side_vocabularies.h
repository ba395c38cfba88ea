// Reads the vocabularies of layouts that have a file for each side, or one for both, and an embedding with a
// row for each piece and one more for the empty token: CTranslate2's and Marian's.
//
// Thread-safe. Errors are those of ModelSource::Load; they begin with the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/tokenizers/model_tokens.h"
#include "engine/model/tokenizers/vocabulary.h"

namespace dragoman::engine {

// One side's vocabulary, as its file has it.
struct VocabularySide {
  std::string file;
  std::vector<std::string> pieces;  // by id
  // The SentencePiece model that cuts the side's texts, and its file; empty where `file` is another's.
  std::string spm;
  std::string spm_file;
  std::optional<int> unk;    // of a SentencePiece model, which may call it what it likes
  std::vector<int> control;  // its ids that are not text, </s> among them
};

// The pieces of a vocabulary by id: a YAML map of pieces and ids if `file` ends in ".yml", one piece on
// each line if it ends in ".txt", else a JSON array. Ids must be 0 to size - 1, each once.
// INVALID_ARGUMENT names `file`, the piece and what is wrong.
absl::StatusOr<std::vector<std::string>> ParsePieces(std::string_view text, std::string_view file);

// Reads such a file, or a SentencePiece model if it ends in ".spm".
absl::StatusOr<VocabularySide> ReadVocabularySide(const ModelFolder& folder,
                                                  const std::string& file);

// How a layout's vocabularies fit the embedding.
struct EmbeddingRule {
  std::string_view model_file;  // has the embedding; for messages
  int fewest = 0;               // pieces of a side; 0: as many as the embedding has rows
  std::string_view unk = {};    // is appended to a side that lacks it; "": nothing is
};

struct SideVocabularies {
  Vocabulary source;
  std::optional<Vocabulary> own_target;  // empty: the model has one embedding for both

  const Vocabulary& target() const { return own_target ? *own_target : source; }
};

// The last id of the target's vocabulary is the empty token, which has no piece; nor have the ids after a
// side's pieces. Of two pieces <extra_id_N> the first counts. INVALID_ARGUMENT where the sides differ
// though the model has one embedding, and for a number of pieces that does not fit `sizes`. Takes the
// pieces out of both.
absl::StatusOr<SideVocabularies> MakeSideVocabularies(VocabularySide* source,
                                                      VocabularySide* target,
                                                      const EmbeddingSizes& sizes,
                                                      const EmbeddingRule& rule);

// The id of a piece that must be there. `role` is for the message: "eos_token of config.json".
absl::StatusOr<int> IdOfPiece(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece, std::string_view role = {});

}  // namespace dragoman::engine
