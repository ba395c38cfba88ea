// Checks that no two options of a request exclude each other (SEARCH.md a.7).
//
// The server calls CheckOptionsTogether with the facts that the request alone determines, to report
// all errors of a request together. The engine calls it again when the settings of profile and
// model are known. Two options that exclude each other give one error that names both fields. Pure
// functions.
#pragma once

#include <optional>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/field_error.h"

namespace dragoman::engine {

// Facts that the rules need in addition to the options.
struct OptionContext {
  const char* constraints = nullptr;  // the result of ConstrainingField
  bool partials = false;
  // The settings in effect; nullopt if not known yet.
  std::optional<int> beam_size;
  std::optional<kernels::Finalisation> finalisation;
  std::optional<kernels::StopRule> stop_rule;
};

// Returns the name of the first field of the job that demands certain text in the translation, such
// as "terms"; nullptr if there is none.
const char* ConstrainingField(const TranslationJob& job);

// Returns the facts that the job alone determines. If the job names a profile, they include the
// profile's constants for finalisation and stop rule.
OptionContext ContextOf(const TranslationJob& job);

std::vector<FieldError> CheckOptionsTogether(const DecodingOptions& options,
                                             const OptionContext& context);

// Checks that a batch of `max_rows` rows has room for the requested beam or number of draws.
std::optional<FieldError> CheckWidth(const DecodingOptions& options, int max_rows);

// Returns errors for the fields that a job with markup must not have; none for plain text.
std::vector<FieldError> CheckMarkup(const TranslationJob& job);

}  // namespace dragoman::engine
