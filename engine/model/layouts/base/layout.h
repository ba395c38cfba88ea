// Defines LoadedModel, a model in memory, and ModelLayout, the record of a file layout
// (model_source.h). Each layout has such a record.
//
// A LoadedModel owns all its data. The directory may be removed after loading. But the files of the
// weights are still mapped, so they must not be overwritten before the weights are read. Loading is
// thread-safe.
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

// A network of an ensemble. The first network is in LoadedModel itself.
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
  // The weights of `program`. They are in the model's files, which stay mapped as long as this
  // object exists. Shared, because several backends pack the weights. Each backend releases the
  // object after packing.
  std::shared_ptr<const Weights> weights;
  // The further networks of an ensemble (layouts/ensemble_source.h).
  std::vector<LoadedNetwork> others;
  bool names_shortlist = false;  // whether the model's configuration names a shortlist
  // The shortlist that limits the output's words (formats/lexical_shortlist.h); nullptr: all words.
  // LoadModel leaves it nullptr, and the caller may set it. Shared by the threads that plan
  // searches.
  std::shared_ptr<const LexicalShortlist> shortlist;
  std::vector<std::string> notes;  // lines for the log about the files
};

struct ModelLayout {
  std::string_view name;
  // Reports whether the folder has this layout. Looks at the names of the files, so the files may
  // still be invalid.
  bool (*recognises)(const DiskFolder& folder);
  // Loads the model. LoadModel sets LoadedModel::layout, and also LoadedModel::name if it is empty,
  // and puts the path in front of messages that do not begin with it. Errors name the file, the
  // field or tensor, what was found and what was expected:
  // * NOT_FOUND: a missing file;
  // * INVALID_ARGUMENT: a broken file;
  // * UNIMPLEMENTED: a well-formed model that is not supported;
  // * RESOURCE_EXHAUSTED: the memory limit of the folder's LoadContext is too small; the message
  // shows the computation;
  // * CANCELLED: the load was cancelled.
  absl::StatusOr<LoadedModel> (*load)(const DiskFolder& folder, TokenizerChoice tokenizer);
};

}  // namespace dragoman::engine
