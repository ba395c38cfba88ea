#include "server/observe/rpc_method.h"

namespace dragoman {

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

}  // namespace dragoman
