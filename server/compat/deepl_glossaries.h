// The glossaries of the server as DeepL's clients see them: with an id, two languages and a number of
// entries.
//
// A glossary here belongs to a model, and DeepL's to a pair of languages: each glossary is listed
// for every pair of its model, unless those are more than kMaxListedPairs. An id is made of the
// names of both and of the languages, so that all daemons with the same files have the same one. A
// glossary's own name is taken for an id, too, for any pair of its model.
//
// Pure functions of what is served, thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/glossary_terms.h"
#include "server/models/served_model.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// A model of two hundred languages would list each glossary 40,000 times.
inline constexpr size_t kMaxListedPairs = 16;

struct DeeplGlossary {
  std::string id;
  std::string name;
  std::string model;
  std::string source;  // "de"; "" where the id was a name: any of the model's
  std::string target;
  int64_t loaded_at = 0;  // its model; Unix time, seconds
  std::shared_ptr<const engine::GlossaryTerms> terms;
};

std::vector<DeeplGlossary> ListGlossaries(const std::vector<ModelPtr>& models);
// NOT_FOUND names the id.
absl::StatusOr<DeeplGlossary> FindGlossary(const std::vector<ModelPtr>& models,
                                           std::string_view id);

// The object of /v2/glossaries/ID.
nlohmann::json GlossaryObject(const DeeplGlossary& glossary);
// "Hund\thound\nKatze\ttomcat", in pieces: a glossary may have megabytes.
std::shared_ptr<BodyPieces> GlossaryTsv(const DeeplGlossary& glossary);
// The answer of /v2/glossary-language-pairs: the pairs that have a glossary.
nlohmann::json GlossaryPairs(const std::vector<ModelPtr>& models);

}  // namespace dragoman::server
