// A model that is served: one version of it, with its engine.
//
// Immutable after it was made, so any thread may read. A call holds it as a ModelPtr and so keeps
// the version that it began with, whatever the table (model_table.h) does meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/clock.h"
#include "engine/base/file_record.h"

namespace dragoman::server {

struct ServedModel;
// Shared by the table and by every call of the model. The last to let go may be a thread of the
// engine itself: the engine ends elsewhere, see ModelTable.
using ModelPtr = std::shared_ptr<const ServedModel>;

// The languages of an engine's pairs, each once, in their order: NLLB-200 has 40,602 pairs of 202.
struct ModelLanguages {
  std::vector<std::string> sources;  // "": any
  std::vector<std::string> targets;
};

ModelLanguages LanguagesOfPairs(const std::vector<engine::LanguagePair>& pairs);

struct ServedModel {
  std::string name;
  std::string directory;            // "" for a pivot
  std::string checksum;             // of its files, see model_files.h; "" for a pivot
  engine::RecordedFiles files;      // from which it was made
  int version = 0;                  // counted from 1 for each name; a pivot has none
  engine::Nanos load_duration = 0;  // 0 for a pivot
  int64_t loaded_at = 0;            // Unix time, seconds
  // The two models that a pivot goes through, which outlive the engine; empty for other models.
  std::vector<ModelPtr> legs;
  // The engine reports to it, and it outlives the engine; null for a pivot. Shared because all
  // versions of the model have the same, and any of them may go last: its metrics go with that one.
  std::shared_ptr<engine::EngineObserver> observer;
  // Shared because a test may keep it.
  std::shared_ptr<engine::Engine> engine;
  ModelLanguages languages;  // of the engine; ModelTable fills it in
  std::vector<int> cuda;     // the GPUs that the engine is on; empty: the CPU

  bool is_pivot() const { return !legs.empty(); }
};

}  // namespace dragoman::server
