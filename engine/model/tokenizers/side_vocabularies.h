// Reads the vocabularies of CTranslate2's and Marian's model directories. There is a file for each
// side (source and target), or one file for both. An embedding has a row for each piece. The
// target's vocabulary has one more id, the empty token (NetworkTraits::empty_token).
//
// Thread-safe. Errors are those of ModelLayout::load; messages begin with the file.
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

// The beginning of the tokens that T5's tokenizer adds.
inline constexpr std::string_view kExtraId = "<extra_id_";

// The vocabulary of one side, source or target, as its file has it.
struct VocabularySide {
  std::string file;
  std::vector<std::string> pieces;  // by id
  // The content and the name of `file` if it is a SentencePiece model, else "".
  std::string spm;
  std::string spm_file;
  std::optional<int> unk;    // the id of <unk> in a SentencePiece model, which may give it any name
  std::vector<int> control;  // ids of other tokens that are not text, such as </s>
};

// Returns the pieces of a vocabulary by id. If `file` ends in ".yml", the text is a YAML map of
// pieces and ids. If it ends in ".txt", each line of the text is a piece. Otherwise the text is a
// JSON array of pieces. Each id from 0 to the number of pieces minus 1 must occur once. If the text
// is invalid, returns INVALID_ARGUMENT, which names `file`, the piece and the fault.
absl::StatusOr<std::vector<std::string>> ParsePieces(std::string_view text, std::string_view file);

// Reads a file of pieces (ParsePieces), or a SentencePiece model if the name ends in ".spm".
absl::StatusOr<VocabularySide> ReadVocabularySide(const ModelFolder& folder,
                                                  const std::string& file);

// A layout's rules for the number of pieces in a vocabulary.
struct EmbeddingRule {
  std::string_view model_file;  // the file that has the embedding, for messages
  // The minimum number of pieces of a side; 0: as many as the embedding has rows.
  int fewest = 0;
  std::string_view unk = {};  // the piece to append to a side that lacks it; "": append none
};

struct SideVocabularies {
  Vocabulary source;
  std::optional<Vocabulary> own_target;  // empty if both sides share `source`

  const Vocabulary& target() const { return own_target ? *own_target : source; }
};

// Makes the vocabularies. Moves the pieces out of both sides. A side's vocabulary has as many ids
// as `sizes` says; ids after its pieces have no piece. The last id of the target's vocabulary is
// the empty token. If a piece <extra_id_N> occurs twice, the second one is dropped. Returns
// INVALID_ARGUMENT if the sides differ although the model has one embedding, or if a number of
// pieces does not fit `sizes`.
absl::StatusOr<SideVocabularies> MakeSideVocabularies(VocabularySide* source,
                                                      VocabularySide* target,
                                                      const EmbeddingSizes& sizes,
                                                      const EmbeddingRule& rule);

// Returns the id of a piece, or an error if the vocabulary lacks it. `role` says in the message
// where the piece is named, such as "eos_token of config.json".
absl::StatusOr<int> IdOfPiece(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece, std::string_view role = {});

}  // namespace dragoman::engine
