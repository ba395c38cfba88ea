// Languages in DeepL's form: "DE". Targets have variants: English has "EN-US" and "EN-GB".
//
// Pure functions, thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "server/api/language_catalog.h"

namespace dragoman::server {

// Returns DeepL's code of a source language: "DE" for "de-DE" and "deu_Latn"; "" for "".
std::string DeeplSourceCode(std::string_view code);

// Return the answers of /v2/languages: [{"language": "DE", "name": "German"}]. Targets also have
// "supports_formality", which is always false.
nlohmann::json DeeplSources(const ServedLanguages& served);
nlohmann::json DeeplTargets(const ServedLanguages& served);

// Returns the answer of /v3/languages: sources ("en") and targets ("en-US") in one list, each with
// "usable_as_source", "usable_as_target" and "features".
nlohmann::json DeeplLanguages(const ServedLanguages& served, bool detects);

}  // namespace dragoman::server
