// Defines the settings of each profile that do not depend on the model, as in the tables of
// SEARCH.md a.7. engine/request/search_settings.cc adds the settings that come from the model.
//
// Pure function.
#pragma once

#include <limits>
#include <optional>

#include "engine/api/decoding_options.h"

namespace dragoman::engine {

// A setting that is nullopt comes from the model.
struct ProfileConstants {
  kernels::Finalisation finalisation = kernels::Finalisation::kImmediate;
  kernels::LengthPenalty penalty = kernels::LengthPenalty::kPower;
  std::optional<kernels::StopRule> stop_rule = kernels::StopRule::kHeuristic;
  std::optional<kernels::ForcedEos> forced_eos = kernels::ForcedEos::kNone;
  std::optional<int> beam_size;
  std::optional<float> length_penalty = 1.0F;
  std::optional<int> min_output_tokens = 0;
  int max_output_tokens = std::numeric_limits<int>::max();
  std::optional<int> no_repeat_ngram = 0;
  std::optional<float> repetition_penalty = 1.0F;
};

constexpr ProfileConstants ConstantsOf(Profile profile) {
  ProfileConstants c;
  switch (profile) {
    case Profile::kHf:
      c.stop_rule.reset();
      c.forced_eos.reset();
      c.length_penalty.reset();
      c.min_output_tokens.reset();
      c.no_repeat_ngram.reset();
      c.repetition_penalty.reset();
      break;
    case Profile::kCt2:
      c.stop_rule = kernels::StopRule::kFirstK;
      c.beam_size = 2;
      c.min_output_tokens = 1;
      c.max_output_tokens = 256;
      break;
    case Profile::kMarian:
      c.stop_rule = kernels::StopRule::kAllBeams;
      c.beam_size = 12;
      c.length_penalty = 0.0F;
      break;
    case Profile::kPaper:
      c.finalisation = kernels::Finalisation::kOnBeam;
      c.forced_eos = kernels::ForcedEos::kModel;
      break;
    case Profile::kArticle:
      c.finalisation = kernels::Finalisation::kKeep;
      c.penalty = kernels::LengthPenalty::kGnmt;
      c.length_penalty = 0.0F;
      break;
  }
  return c;
}

}  // namespace dragoman::engine
