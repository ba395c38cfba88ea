#include "server/metrics/api.h"

namespace dragoman {

const char* ApiName(Api api) {
  switch (api) {
    case Api::kDragoman:
      return "dragoman";
    case Api::kGoogleV3:
      return "google_v3";
    case Api::kGoogleV2:
      return "google_v2";
    case Api::kRiva:
      return "riva";
    case Api::kLibreTranslate:
      return "libretranslate";
    case Api::kDeepl:
      return "deepl";
    case Api::kOpenAi:
      return "openai";
    case Api::kOpusMt:
      return "opus_mt";
    case Api::kOpenNmt:
      return "opennmt";
    case Api::kMarian:
      return "marian";
    case Api::kPlugins:
      return "plugins";
  }
  return "?";
}

const char* RpcMethodName(RpcMethod method) {
  switch (method) {
    case RpcMethod::kTranslate:
      return "Translate";
    case RpcMethod::kStreamTranslate:
      return "StreamTranslate";
    case RpcMethod::kListLanguages:
      return "ListLanguages";
    case RpcMethod::kListModels:
      return "ListModels";
    case RpcMethod::kGetServerInfo:
      return "GetServerInfo";
    case RpcMethod::kLoadModel:
      return "LoadModel";
    case RpcMethod::kUnloadModel:
      return "UnloadModel";
    case RpcMethod::kReloadModel:
      return "ReloadModel";
    case RpcMethod::kDrain:
      return "Drain";
    case RpcMethod::kSetLogLevel:
      return "SetLogLevel";
    case RpcMethod::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace dragoman
