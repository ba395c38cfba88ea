// The methods of our services, and what other interfaces are asked that is like them, by the names
// that metrics, logs and spans have for them.
#pragma once

#include <cstdint>

namespace dragoman::server {

enum class RpcMethod {
  kTranslate,
  kStreamTranslate,
  kDetectLanguage,
  kListLanguages,
  kListModels,
  kGetServerInfo,
  // Other interfaces':
  kListGlossaries,
  kGetGlossary,
  kQuery,  // answers that need no translation and are none of these: a page, a probe, a quota
  // Administration:
  kLoadModel,
  kUnloadModel,
  kReloadModel,
  kReloadAll,
  kDrain,
  kSetLogLevel,
  kUnknown,
};

// Pure.
const char* RpcMethodName(RpcMethod method);

// The interfaces in which clients call, by the names that metrics (label `api`), logs and spans have
// for them.
enum class Api : uint8_t {
  kDragoman,  // dragoman.v1, over gRPC or as REST
  kGoogleV3,  // Cloud Translation v3, over gRPC or as REST
  kGoogleV2,  // Cloud Translation v2 ("basic")
  kRiva,      // NVIDIA Riva NMT
  kLibreTranslate,
  kDeepl,        // DeepL v2
  kOpenAi,       // chat completions and completions
  kMarian,       // marian-server, over WebSocket
  kPlugins,      // browser plug-ins: Immersive Translate, KISS Translator and others
  kMTranServer,  // MTranServer, a server of Firefox's models
  kCurator,      // NeMo Curator, Nemotron
};

// Pure.
const char* ApiName(Api api);

}  // namespace dragoman::server
