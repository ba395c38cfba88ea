// Models around engines that a test owns.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/api/engine.h"
#include "server/models/served_model.h"

namespace dragoman::server {

// The model has the engine's name. `engine` must outlive it (see ModelTable::WaitEnded).
inline ServedModel Borrowed(engine::Engine* engine) {
  ServedModel model;
  model.name = engine->info().name;
  model.directory = "/models/" + model.name;
  model.checksum = "c0ffee";
  model.engine = std::shared_ptr<engine::Engine>(engine, [](engine::Engine*) {});
  model.languages = LanguagesOfPairs(engine->info().pairs);
  return model;
}

}  // namespace dragoman::server
