// Which options of a request go together (SEARCH.md a.7).
//
// The server asks with what the bytes of a request show, to say everything that is wrong with them
// at once; the engine asks again with all settings in effect. A contradiction is one error that
// names both fields. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/field_error.h"

namespace dragoman::engine {

// Facts that the rules need besides the options.
struct OptionContext {
  const char* constraints = nullptr;  // ConstrainingField
  bool partials = false;
  // In effect; none where it is not known yet.
  std::optional<int> beam_size;
  std::optional<kernels::Finalisation> finalisation;
  std::optional<kernels::StopRule> stop_rule;
};

// The field of the job that makes constraints of its search; nullptr if there is none.
const char* ConstrainingField(const TranslationJob& job);

// The facts that the job alone settles: its own fields, and the finalisation and stop rule of the
// profile that it names, where they are constants.
OptionContext ContextOf(const TranslationJob& job);

std::vector<FieldError> CheckOptionsTogether(const DecodingOptions& options,
                                             const OptionContext& context);

// Whether a batch of so many rows has room for the beam that was asked for, or with sampling for the
// draws.
std::optional<FieldError> CheckWidth(const DecodingOptions& options, int max_rows);

// Errors for the fields that do not go with text/html.
std::vector<FieldError> CheckHtml(const TranslationJob& job);

}  // namespace dragoman::engine
