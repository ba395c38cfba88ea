// The dialect in which NeMo Curator and Nemotron ask a server of machine translation.
#pragma once

#include "server/compat/json_dialect.h"

namespace dragoman {

// {"texts": [...], "src_lang", "tgt_lang"} -> {"translations": [...]}.
JsonDialect CuratorDialect();

}  // namespace dragoman
