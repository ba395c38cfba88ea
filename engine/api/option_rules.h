// Checks which options of a request go together (SEARCH.md a.7).
//
// The server checks the request alone, to report all its errors together. The engine checks again
// with all settings in effect. A contradiction is one error that names both fields. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/field_error.h"

namespace dragoman::engine {

// Facts that the rules need in addition to the options.
struct OptionContext {
  const char* constraints = nullptr;  // ConstrainingField
  bool partials = false;
  // The settings in effect; nullopt if not known yet.
  std::optional<int> beam_size;
  std::optional<kernels::Finalisation> finalisation;
  std::optional<kernels::StopRule> stop_rule;
};

// Returns the name of the job's field that constrains its search; nullptr if there is none.
const char* ConstrainingField(const TranslationJob& job);

// Returns the facts that the job alone determines: its own fields, and the finalisation and stop
// rule of the profile that it names if they are constants.
OptionContext ContextOf(const TranslationJob& job);

std::vector<FieldError> CheckOptionsTogether(const DecodingOptions& options,
                                             const OptionContext& context);

// Checks that a batch of `max_rows` rows has room for the requested beam or number of draws.
std::optional<FieldError> CheckWidth(const DecodingOptions& options, int max_rows);

// Returns errors for the fields that do not go with text/html.
std::vector<FieldError> CheckHtml(const TranslationJob& job);

}  // namespace dragoman::engine
