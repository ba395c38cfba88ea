// Dialects that share the path /translate: of NeMo Curator and Nemotron, nllb-serve, NMT-Wizard,
// MTUOC and ModernMT, and what OmegaT's plug-ins for a server of one's own ask for. They come from
// corpus tools and from CAT tools.
#pragma once

#include "server/doors/json_dialect.h"

namespace dragoman {

// {"texts": [...], "src_lang", "tgt_lang"} -> {"translations": [...]}.
JsonDialect CuratorDialect();
// {"source": [...], "src_lang", "tgt_lang"} -> the same with "translation".
JsonDialect NllbServeDialect();
// {"src": [{"text"}]} -> {"tgt": [[{"text", "score"?}]]}. It has no languages: those of a model that has
// only one pair.
JsonDialect NmtWizardDialect();
// {"id"?, "src"} -> {"id", "src", "tgt", "system_name", ...}, likewise.
JsonDialect MtuocDialect();
// GET ?q=..&source=..&target=.. -> {"status": 200, "data": {"translation"}}.
JsonDialect ModernMtDialect();
// GET ?text=..&source=..&target=.. -> {"translation"}.
JsonDialect OmegaTDialect();

}  // namespace dragoman
