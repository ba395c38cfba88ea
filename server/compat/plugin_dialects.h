// The dialects in which browser extensions ask a server of their user's: Immersive Translate (/imme), KISS
// Translator (/kiss), those that speak DeepLX (/deeplx, and /translate as DeepLX has it), and those that
// ask Google's page (/google/translate_a/single); and the dialect of NeMo Curator and Nemotron.
#pragma once

#include "server/compat/json_dialect.h"

namespace dragoman::server {

// {"source_lang", "target_lang", "text_list": [...]} ->
// {"translations": [{"detected_source_lang", "text"}]}.
JsonDialect ImmersiveDialect();
// {"from", "to", "text"} -> {"text", "src", "from", "to"}; with "texts": [...] ->
// {"translations": [{"text", "src"}]}.
JsonDialect KissDialect();
// {"text", "source_lang", "target_lang"} -> {"code": 200, "data": "...", ...}.
JsonDialect DeeplxDialect();
// GET ?sl=..&tl=..&q=.. -> [[["translation", "text", null, null, 1]], null, "de"], as Google's
// own page asks and MTranServer answers; with dj=1 {"sentences": [{"trans", "orig"}], "src": "de"}.
// Of the parts that `dt` names there is only the translation.
JsonDialect GooglePageDialect();

// NeMo Curator and Nemotron: {"texts": [...], "src_lang", "tgt_lang"} -> {"translations": [...]}.
JsonDialect CuratorDialect();

}  // namespace dragoman::server
