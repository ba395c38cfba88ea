// What each layout of a model's files is read by, and what it is read into.
//
// A LoadedModel owns all it needs: the directory may go away, though its files may not change before
// the weights are read. Loading is thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/model/formats/lexical_shortlist.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/spec/model_spec.h"
#include "engine/model/tokenizers/languages.h"
#include "engine/model/tokenizers/tokenizer_description.h"
#include "engine/model/tokenizers/vocabulary.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"

namespace dragoman {

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
  TokenizerDescription tokenizer;
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

}  // namespace dragoman
