// The names by which OpenAI's clients choose a model and its languages: a list of them has one for
// each model and pair.
//
// A model of one pair goes by its own name ("de-en"). Others have "NAME/SOURCE/TARGET"
// ("nllb/de/en"; the source is "auto" where the model takes any). The bare name of a model of
// several pairs is understood as well where the prompt names the languages.
//
// Pure functions of what is served; thread-safe.
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
  std::string id;  // of OpenAI's model
  std::string model;
  std::string source;   // "" = any, or not chosen
  std::string target;   // "" = not chosen
  int64_t created = 0;  // when the model was loaded, Unix time in seconds
};

// All of them; of a model with more than a thousand pairs only its own name.
std::vector<NamedPair> ListOpenAiModels(const std::vector<ModelPtr>& models);

// The one that `id` names. NOT_FOUND lists a few that there are.
absl::StatusOr<NamedPair> FindOpenAiModel(const std::vector<ModelPtr>& models, std::string_view id);

// The languages of a model, with those that a prompt names: `from` and `to` are names or codes, ""
// where it names none; `names` are those of the pair's model. INVALID_ARGUMENT where they are not the
// model's, contradict the pair's, or the model has several targets and none is named.
absl::StatusOr<NamedPair> WithLanguages(const ModelNames& names, NamedPair pair,
                                        const std::string& from, const std::string& to);

}  // namespace dragoman::server
