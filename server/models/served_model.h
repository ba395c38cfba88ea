// One version of a served model, with its engine.
//
// Immutable. A call holds a ModelPtr and so keeps the version that it began with, even if the table
// (model_table.h) replaces or removes the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/clock.h"
#include "engine/base/file_record.h"

namespace dragoman::server {

struct ServedModel;
// Shared by the table and by every call of the model. A thread of the engine may release the last
// reference, so a thread of ModelTable destroys the model.
using ModelPtr = std::shared_ptr<const ServedModel>;

// The languages of an engine's pairs, each once, in the order of the pairs. This list may be much
// shorter than that of the pairs: NLLB-200 has 40,602 pairs of 202 languages.
struct ModelLanguages {
  std::vector<std::string> sources;  // "": any
  std::vector<std::string> targets;
};

ModelLanguages LanguagesOfPairs(const std::vector<engine::LanguagePair>& pairs);

struct ServedModel {
  std::string name;
  std::string directory;            // "" for a pivot
  std::string checksum;             // the model's files' (model_files.h); "" for a pivot
  engine::RecordedFiles files;      // the files that it was loaded from
  int version = 0;                  // set by ModelTable::Put, at least 1; 0 for a pivot
  engine::Nanos load_duration = 0;  // 0 for a pivot
  int64_t loaded_at = 0;            // Unix time, seconds
  // The two models that a pivot goes through, which outlive the engine; empty for other models.
  std::vector<ModelPtr> legs;
  // The observer of the engine, which outlives the engine; null for a pivot. All versions of the
  // model share it. Its metrics end with the last version.
  std::shared_ptr<engine::EngineObserver> observer;
  // Shared with tests, which may keep it.
  std::shared_ptr<engine::Engine> engine;
  ModelLanguages languages;  // the engine's languages; set by ModelTable
  std::vector<int> cuda;     // the GPUs that the engine is on; empty: the CPU

  bool is_pivot() const { return !legs.empty(); }
};

// Returns the model of this name; nullptr if there is none.
ModelPtr FindByName(const std::vector<ModelPtr>& models, std::string_view name);

}  // namespace dragoman::server
