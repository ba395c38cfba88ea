// Resolves what a job asks for against one model, in the caller's thread, before anything is
// reserved or queued: its languages, terms and search settings. What its bytes show to be wrong is
// refused here; what only tokens show is found by the planner (job_planner.h).
//
// Thread-safety: const and thread-safe; glossaries may be replaced meanwhile. Borrows all it is
// given.
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

struct ResolvedRequest {
  SearchSettings settings;
  PlannerRequest request;
};

// The queue's measures.
struct JobSize {
  int64_t segments = 0;
  int64_t tokens = 0;
};

class RequestResolver {
 public:
  // `sentinels` are stems by target language (PlannerRequest::sentinel).
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

  // This is Engine::ResolveLanguages.
  absl::StatusOr<std::shared_ptr<const ResolvedLanguages>> ResolveLanguages(
      std::string_view source, std::string_view target) const;

  // INVALID_ARGUMENT, with a FieldError for what is wrong; NOT_FOUND for languages or a glossary
  // that are not there. A search that samples has the seed of the job, if it names one.
  absl::StatusOr<ResolvedRequest> Resolve(const TranslationJob& job) const;

  // The settings of a job that asks for nothing.
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

// An estimate from the bytes of a job's items, to reserve before they are tokenised: a token for
// each code point, a segment for each that a sentence can begin with, and some for texts that are
// too long for the model and are cut. Rarely too small.
JobSize EstimateSize(const TranslationJob& job, const PlannerRequest& request);

}  // namespace dragoman::engine
