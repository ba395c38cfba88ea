#include "server/observe/rpc_method.h"

namespace dragoman::server {

const char* RpcMethodName(RpcMethod method) {
  switch (method) {
    case RpcMethod::kTranslate:
      return "Translate";
    case RpcMethod::kStreamTranslate:
      return "StreamTranslate";
    case RpcMethod::kDetectLanguage:
      return "DetectLanguage";
    case RpcMethod::kListLanguages:
      return "ListLanguages";
    case RpcMethod::kListModels:
      return "ListModels";
    case RpcMethod::kGetServerInfo:
      return "GetServerInfo";
    case RpcMethod::kListGlossaries:
      return "ListGlossaries";
    case RpcMethod::kGetGlossary:
      return "GetGlossary";
    case RpcMethod::kQuery:
      return "Query";
    case RpcMethod::kLoadModel:
      return "LoadModel";
    case RpcMethod::kUnloadModel:
      return "UnloadModel";
    case RpcMethod::kReloadModel:
      return "ReloadModel";
    case RpcMethod::kReloadAll:
      return "ReloadAll";
    case RpcMethod::kDrain:
      return "Drain";
    case RpcMethod::kSetLogLevel:
      return "SetLogLevel";
    case RpcMethod::kUnknown:
      return "unknown";
  }
  return "unknown";
}

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
    case Api::kMarian:
      return "marian";
    case Api::kPlugins:
      return "plugins";
    case Api::kMTranServer:
      return "mtranserver";
    case Api::kCurator:
      return "curator";
  }
  return "?";
}

}  // namespace dragoman::server
