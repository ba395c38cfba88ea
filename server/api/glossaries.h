// The glossaries of models, for the dialects that list them.
//
// Pure functions of the served models, thread-safe.
#pragma once

#include <memory>
#include <string_view>

#include "engine/api/glossary_terms.h"
#include "server/models/served_model.h"

namespace dragoman::server {

// Returns the terms of a model's glossary; nullptr if the model has none of this name.
inline std::shared_ptr<const engine::GlossaryTerms> TermsOf(const ServedModel& model,
                                                            std::string_view name) {
  const auto* const source = dynamic_cast<const engine::GlossarySource*>(model.engine.get());
  return source == nullptr ? nullptr : source->FindGlossary(name);
}

}  // namespace dragoman::server
