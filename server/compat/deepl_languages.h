// Languages as DeepL writes them: "DE"; of targets with their variants, "EN-US" and "EN-GB" where a
// model has English.
//
// Pure functions, thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "server/api/language_catalog.h"

namespace dragoman::server {

// "DE" for "de-DE" and "deu_Latn"; "" for "".
std::string DeeplSourceCode(std::string_view code);

// The answers of /v2/languages: [{"language": "DE", "name": "German"}], of targets with
// "supports_formality" as well, which no model here does.
nlohmann::json DeeplSources(const ServedLanguages& served);
nlohmann::json DeeplTargets(const ServedLanguages& served);

// The answer of /v3/languages: sources ("en") and targets ("en-US") in one list, each with
// "usable_as_source", "usable_as_target" and "features".
nlohmann::json DeeplLanguages(const ServedLanguages& served, bool detects);

}  // namespace dragoman::server
