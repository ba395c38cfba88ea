// Reads the vocabularies of CTranslate2's and Marian's layouts: a file for each side or one for
// both. The embedding has a row for each piece and one for the empty token.
//
// Thread-safe. Errors are those of ModelSource::Load; messages begin with the file.
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

// The vocabulary of one side, as its file has it.
struct VocabularySide {
  std::string file;
  std::vector<std::string> pieces;  // by id
  // The SentencePiece model that cuts the side's texts, and its file; empty for another `file`.
  std::string spm;
  std::string spm_file;
  std::optional<int> unk;    // of a SentencePiece model, which may give it any name
  std::vector<int> control;  // ids that are not text, </s> among them
};

// Returns the pieces of a vocabulary by id. The text is a YAML map of pieces and ids if `file` ends
// in ".yml", one piece a line if it ends in ".txt", else a JSON array. Ids must be 0 to size - 1,
// each once. Returns INVALID_ARGUMENT naming `file`, the piece and the fault.
absl::StatusOr<std::vector<std::string>> ParsePieces(std::string_view text, std::string_view file);

// Reads such a file, or a SentencePiece model if its name ends in ".spm".
absl::StatusOr<VocabularySide> ReadVocabularySide(const ModelFolder& folder,
                                                  const std::string& file);

// How a layout's vocabularies fit the embedding.
struct EmbeddingRule {
  std::string_view model_file;  // the file of the embedding, for messages
  int fewest = 0;               // pieces of a side; 0: one for each row of the embedding
  std::string_view unk = {};    // appended to a side that lacks it; "": none is
};

struct SideVocabularies {
  Vocabulary source;
  std::optional<Vocabulary> own_target;  // empty: the model has one embedding for both

  const Vocabulary& target() const { return own_target ? *own_target : source; }
};

// Makes the vocabularies and takes the pieces out of both sides. The last id of the target's
// vocabulary is the empty token. This id and ids after a side's pieces have no piece. The second of
// two equal pieces <extra_id_N> is dropped. Returns INVALID_ARGUMENT if the sides differ although
// the model has one embedding, or if a number of pieces does not fit `sizes`.
absl::StatusOr<SideVocabularies> MakeSideVocabularies(VocabularySide* source,
                                                      VocabularySide* target,
                                                      const EmbeddingSizes& sizes,
                                                      const EmbeddingRule& rule);

// Returns the id of a required piece. `role` is for the message: "eos_token of config.json".
absl::StatusOr<int> IdOfPiece(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece, std::string_view role = {});

}  // namespace dragoman::engine
