// The dialects in which browser plug-ins ask a server of one's own: Immersive Translate (/imme), KISS Translator
// (/kiss), the selection translator hcfy (/hcfy), and what speaks DeepLX (/deeplx).
#pragma once

#include "server/doors/json_dialect.h"

namespace dragoman {

// {"source_lang", "target_lang", "text_list": [...]} ->
// {"translations": [{"detected_source_lang", "text"}]}.
JsonDialect ImmersiveDialect();
// {"from", "to", "text"} -> {"text", "src", "from", "to"}; with "texts": [...] ->
// {"translations": [{"text", "src"}]}.
JsonDialect KissDialect();
// {"name", "text", "destination": [...], "source"?} -> {"text", "from", "to", "result": [...]}.
// Languages are codes or their names in Chinese, and come back as they were asked for. Where the
// text is in the first destination's language, the second is taken.
JsonDialect HcfyDialect();
// {"text", "source_lang", "target_lang"} -> {"code": 200, "data": "...", ...}.
JsonDialect DeeplxDialect();
// GET or POST ?sl=..&tl=..&q=.. -> [[["translation", "text", null, null, 1]], null, "de"], as Google's
// own page asks and MTranServer answers; with dj=1 {"sentences": [{"trans", "orig"}], "src": "de"}.
// Of the parts that `dt` names there is only the translation.
JsonDialect GooglePageDialect();

}  // namespace dragoman
