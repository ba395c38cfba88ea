// Names by which OpenAI's clients select a model together with its languages. Each language pair of
// a model has a name of its own.
//
// If a model has one pair, that pair's name is the model's name ("de-en"). Otherwise it is
// "MODEL/SOURCE/TARGET" ("nllb/de/en"; the source is "auto" if the model accepts any). The name of
// a model with several pairs is also accepted alone, if the prompt names the languages.
//
// Pure functions of the served models, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/api/language_catalog.h"
#include "server/models/model_table.h"

namespace dragoman::server {

struct NamedPair {
  std::string id;  // the name that clients send as `model`
  std::string model;
  std::string source;   // "" = any, or not chosen
  std::string target;   // "" = not chosen
  int64_t created = 0;  // when the model was loaded, Unix time in seconds
};

// Returns the names of all pairs. For a model with more than a thousand pairs, returns only the
// model's name, without languages.
std::vector<NamedPair> ListOpenAiModels(const std::vector<ModelPtr>& models);

// Returns the pair that `id` names. NOT_FOUND lists some names that exist.
absl::StatusOr<NamedPair> FindOpenAiModel(const std::vector<ModelPtr>& models, std::string_view id);

// Adds the languages of a prompt to `pair`. `from` and `to` are names or codes; "" if the prompt
// names none. `names` has the languages of the pair's model. INVALID_ARGUMENT if the languages are
// not the model's or contradict the pair's, or if the model has several targets and none is named.
absl::StatusOr<NamedPair> WithLanguages(const ModelNames& names, NamedPair pair,
                                        const std::string& from, const std::string& to);

}  // namespace dragoman::server
