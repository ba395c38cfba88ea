// The glossaries of the server in DeepL's form: with an id, two languages and a number of entries.
//
// In this server a glossary belongs to a model, in DeepL's API to a pair of languages. So each
// glossary is listed for every pair of its model, unless there are more than kMaxListedPairs. An id
// is a hash of the glossary's name, its model's name and the languages, so that all daemons with
// the same files have the same ids. A glossary's own name is also accepted as an id, for any pair
// of its model.
//
// Pure functions of the served models, thread-safe.
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

// The glossaries of a model with more pairs are not listed, because a model of 200 languages would
// list each of them 40,000 times.
inline constexpr size_t kMaxListedPairs = 16;

struct DeeplGlossary {
  std::string id;
  std::string name;
  std::string model;
  std::string source;  // "de"; "" if the id was a name
  std::string target;
  int64_t loaded_at = 0;  // when its model was loaded; Unix time in seconds
  std::shared_ptr<const engine::GlossaryTerms> terms;
};

std::vector<DeeplGlossary> ListGlossaries(const std::vector<ModelPtr>& models);
absl::StatusOr<DeeplGlossary> FindGlossary(const std::vector<ModelPtr>& models,
                                           std::string_view id);

// Returns the object of /v2/glossaries/ID.
nlohmann::json GlossaryObject(const DeeplGlossary& glossary);
// Returns lines of entries, "Hund\thound\nKatze\ttomcat", in pieces, because a glossary may have
// megabytes.
std::shared_ptr<BodyPieces> GlossaryTsv(const DeeplGlossary& glossary);
// Returns the answer of /v2/glossary-language-pairs: the pairs that have a glossary.
nlohmann::json GlossaryPairs(const std::vector<ModelPtr>& models);

}  // namespace dragoman::server
