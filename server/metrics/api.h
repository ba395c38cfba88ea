// The interfaces in which clients call and the methods of Dragoman's own, by the names that metrics
// (labels `api` and `method`), logs and spans have for them. Pure.
#pragma once

#include <cstdint>

namespace dragoman {

enum class Api : uint8_t {
  kDragoman,        // dragoman.v1, over gRPC or as REST
  kGoogleV3,        // Cloud Translation v3, over gRPC or as REST
  kGoogleV2,        // Cloud Translation v2 ("basic")
  kRiva,            // NVIDIA Riva NMT
  kLibreTranslate,  // LibreTranslate, and the servers of Firefox's models that share its path
  kDeepl,           // DeepL v2
  kOpenAi,          // chat completions and completions
  kOpusMt,          // Opus-MT's server
  kOpenNmt,         // OpenNMT-py's server, NMT-Wizard, MTUOC
  kMarian,          // marian-server, over WebSocket
  kPlugins,         // browser plug-ins: Immersive Translate, KISS Translator and others
};

const char* ApiName(Api api);

// The methods of both services.
enum class RpcMethod {
  kTranslate,
  kStreamTranslate,
  kListLanguages,
  kListModels,
  kGetServerInfo,
  kLoadModel,
  kUnloadModel,
  kReloadModel,
  kDrain,
  kSetLogLevel,
  kUnknown,
};

const char* RpcMethodName(RpcMethod method);

}  // namespace dragoman
