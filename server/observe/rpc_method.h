// Names for metrics, logs and spans: those of our services' methods, of similar calls over other
// interfaces, and of the interfaces. Pure functions.
#pragma once

#include <cstdint>

namespace dragoman::server {

enum class RpcMethod {
  kTranslate,
  kStreamTranslate,
  kScore,
  kStreamScore,
  kDetectLanguage,
  kListLanguages,
  kListModels,
  kGetServerInfo,
  kCreateJob,
  kAppendToJob,
  kGetJob,
  kListJobs,
  kReadJob,
  kDeleteJob,
  kRunJob,  // a part of a job, which the server asks of itself
  // Only over other interfaces:
  kListGlossaries,
  kGetGlossary,
  kQuery,  // any other answer without a translation: a page, a probe, a quota
  // Administration:
  kLoadModel,
  kUnloadModel,
  kReloadModel,
  kReloadAll,
  kDrain,
  kSetLogLevel,
  kUnknown,
};

const char* RpcMethodName(RpcMethod method);

// The interfaces that clients use; the label `api` of metrics.
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

const char* ApiName(Api api);

}  // namespace dragoman::server
