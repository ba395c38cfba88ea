// Resolves a job's languages, terms and search settings for one model, on the caller's thread,
// before anything is reserved or queued. Finds the errors for which the text need not be tokenized.
// The planner (job_planner.h) finds the others.
//
// Thread-safe, even while the glossaries are replaced. Borrows all arguments of the constructor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/model/layouts/model_source.h"
#include "engine/request/job_planner.h"
#include "engine/request/search_settings.h"
#include "engine/text/terms/glossaries.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// The size of a job. The capacity of the request queue has the same units.
struct JobSize {
  int64_t segments = 0;
  int64_t tokens = 0;
};

struct JobPlan final : Plan {
  TranslationJob job;
  SearchSettings settings;
  PlannerRequest request;
  JobSize size;  // the result of EstimateSize
};

class RequestResolver {
 public:
  // `sentinels` maps target languages to the stem of their sentinels (PlannerRequest::sentinel).
  RequestResolver(const LoadedModel* model, const Tokenizer* tokenizer,
                  const Glossaries* glossaries,
                  const std::map<std::string, std::string, std::less<>>* sentinels,
                  Profile default_profile, int max_rows)
      : model_(model),
        tokenizer_(tokenizer),
        glossaries_(glossaries),
        sentinels_(sentinels),
        default_profile_(default_profile),
        max_rows_(max_rows) {}

  // Implements Engine::Prepare, except that it draws no seed for a sampling search.
  absl::StatusOr<std::unique_ptr<JobPlan>> Prepare(TranslationJob job) const;

  // Returns the settings of a job without options.
  absl::StatusOr<SearchSettings> DefaultSettings() const;

 private:
  absl::StatusOr<std::shared_ptr<const RequestTerms>> TermsOf(const TranslationJob& job) const;
  SearchContext Context() const;

  const LoadedModel* const model_;
  const Tokenizer* const tokenizer_;
  const Glossaries* const glossaries_;
  const std::map<std::string, std::string, std::less<>>* const sentinels_;
  const Profile default_profile_;
  const int max_rows_;
};

// Estimates the size of a job, so that queue capacity can be reserved before its items are
// tokenized. Counts one token for each code point, one segment for each place where a sentence may
// begin, and more segments for long texts, because the model's limit may cut them. The estimate is
// rarely too small.
JobSize EstimateSize(const TranslationJob& job, const PlannerRequest& request);

}  // namespace dragoman::engine
