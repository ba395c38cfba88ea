// The interface of the readers of a model's files, one for each layout, and the model that they
// load.
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

// The choices of the caller that loads a model.
struct LoadOptions {
  TokenizerChoice tokenizer = TokenizerChoice::kAuto;
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  virtual std::string_view layout() const = 0;
  // Reports whether the folder has this layout, by the names of its files. It may still be broken.
  virtual bool Recognises(const DiskFolder& folder) const = 0;
  // Loads the model. Returns
  // * NOT_FOUND for a missing file;
  // * INVALID_ARGUMENT for a broken file;
  // * UNIMPLEMENTED for a model that is well-formed but not supported;
  // * RESOURCE_EXHAUSTED, with the arithmetic, for data that does not fit in the memory of the
  //   folder's LoadContext;
  // * CANCELLED once the load is stopped.
  // The message names the file, the field or tensor, what was found and what was expected.
  virtual absl::StatusOr<LoadedModel> Load(const DiskFolder& folder,
                                           const LoadOptions& options) const = 0;
};

}  // namespace dragoman::engine
