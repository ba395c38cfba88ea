// The interface of the readers of a model's files, one for each layout, and the loaded model.
//
// A LoadedModel owns all its data. The directory may be removed after loading, but its files may
// not change before the weights are read. Loading is thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/model/families/model_spec.h"
#include "engine/model/formats/lexical_shortlist.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/tokenizers/tokenizer_description.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"

namespace dragoman::engine {

// A network of an ensemble, other than the first.
struct LoadedNetwork {
  Program program;
  std::shared_ptr<const Weights> weights;
};

struct LoadedModel : ModelTokenizer {
  explicit LoadedModel(ModelTokenizer texts) : ModelTokenizer(std::move(texts)) {}

  std::string name;    // the directory's name
  std::string layout;  // "huggingface", "ctranslate2", "marian", "argos"
  ModelSpec spec;
  Program program;
  // The weights of `program`, in mapped files of the directory, which stay mapped as long as this
  // exists. Shared by the places that pack the weights and then release this.
  std::shared_ptr<const Weights> weights;
  std::vector<LoadedNetwork> others;  // step together with `program` (layouts/ensemble_source.h)
  bool names_shortlist = false;       // the configuration names a shortlist
  // The shortlist of words for decoding; nullptr: all words. Set by callers that want it, not by a
  // ModelSource. Shared by the threads that plan searches.
  std::shared_ptr<const LexicalShortlist> shortlist;
  std::vector<std::string> notes;  // lines about the files, for the log
};

struct LoadOptions {
  TokenizerChoice tokenizer = TokenizerChoice::kAuto;
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  virtual std::string_view layout() const = 0;
  // Reports whether the folder has this layout, by the names of its files. It may still be broken.
  virtual bool Recognises(const DiskFolder& folder) const = 0;
  // Loads the model. Errors name the file, the field or tensor, what was found and what was
  // expected:
  // * NOT_FOUND: a missing file;
  // * INVALID_ARGUMENT: a broken file;
  // * UNIMPLEMENTED: a well-formed model that is not supported;
  // * RESOURCE_EXHAUSTED, with the arithmetic: the memory of the folder's LoadContext is too small;
  // * CANCELLED: the load was stopped.
  virtual absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                           const LoadOptions& options) const = 0;
};

}  // namespace dragoman::engine
