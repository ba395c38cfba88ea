// A model loaded from a directory, whatever its layout: Hugging Face's, CTranslate2's, Marian's; or
// from a package of Argos Translate, a file.
//
// A LoadedModel owns all it needs: the directory may go away, though its files may not change before
// the weights are read. Loading is thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/load_context.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/model/languages.h"
#include "engine/model/lexical_shortlist.h"
#include "engine/model/model_folder.h"
#include "engine/model/model_spec.h"
#include "engine/model/vocabulary.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"
#include "engine/text/added_tokens.h"
#include "engine/text/subword_model.h"

namespace dragoman {

// What a tokenizer is made of. Ids of the source side are its own: with separate vocabularies they
// differ from those of ModelSpec::tokens, which are the target's.
struct TokenizerFacts {
  std::string source_spm;  // the bytes of the files
  std::string target_spm;
  // Where they are no models of SentencePiece: what they describe, of both sides. Shared with those
  // who tokenize.
  std::shared_ptr<const SubwordModel> model;
  // What is cut out of texts before, on both sides, and whose rules are followed.
  std::vector<AddedToken> added;
  TokenizerRules rules = TokenizerRules::kSlow;
  std::string source_path;  // where they were, for messages
  std::string target_path;
  int source_eos = 0;  // -1: the source's vocabulary has none, and ends_source is false
  int source_unk = 0;
  std::optional<int> source_bos;  // that every source begins with
  bool ends_source = true;        // EOS is the last token of a source
  std::vector<int> special;       // ids that are no text besides EOS, unk and pad, ascending
  // The same of the source's own vocabulary, with <pad>; not used where both sides have one.
  std::vector<int> source_special;
  int max_source_tokens =
      0;  // with EOS if there is one: the tokenizer's model_max_length, at most the positions
};

// A network of an ensemble besides the first.
struct LoadedNetwork {
  Program program;
  std::shared_ptr<const Weights> weights;
};

struct LoadedModel {
  std::string name;    // the directory's
  std::string layout;  // "huggingface", "ctranslate2", "marian", "argos"
  ModelSpec spec;
  Program program;
  // Of `program`, in the mapped files of the directory, which stay while this does; let go by whoever
  // has packed them. Shared by those who do.
  std::shared_ptr<const Weights> weights;
  Vocabulary source_vocabulary;
  std::optional<Vocabulary> own_target_vocabulary;  // empty: the source's is shared
  TokenizerFacts tokenizer;
  LanguageMap languages;
  std::vector<LoadedNetwork> others;  // that step together with `program` (ensemble_source.h)
  bool names_shortlist = false;       // the configuration does (lexical_shortlist.h)
  // What it is to be decoded with; nullptr: all words. No source reads it: it is asked for. Shared by
  // those who plan searches.
  std::shared_ptr<const LexicalShortlist> shortlist;
  std::vector<std::string> notes;  // what a log should say of the files: lines, each whole

  const Vocabulary& TargetVocabulary() const {
    return own_target_vocabulary ? *own_target_vocabulary : source_vocabulary;
  }
};

// What somebody who loads a model may ask for.
struct LoadOptions {
  TokenizerChoice tokenizer = TokenizerChoice::kAuto;
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  virtual std::string_view layout() const = 0;
  // Whether the folder is of this layout, by the names of its files; it may still be broken.
  virtual bool Recognises(const DiskFolder& folder) const = 0;
  // NOT_FOUND for a missing file, INVALID_ARGUMENT for a broken one, UNIMPLEMENTED for a model that
  // is well-formed and not supported. The message names the file, the field or tensor, what was
  // found and what was expected. RESOURCE_EXHAUSTED for what does not fit in the memory of the
  // folder's LoadContext, with the arithmetic; CANCELLED once the load is given up.
  virtual absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                           const LoadOptions& options) const = 0;
};

// Loads by the first known layout that recognises the directory, or the package, a file; errors as
// ModelSource::Load. `load` records which files it was made of; it outlives LoadedModel::weights.
absl::StatusOr<LoadedModel> LoadModel(const std::string& path, const LoadOptions& options = {},
                                      LoadContext* load = nullptr);

}  // namespace dragoman
