// The methods of both services, by the names that metrics, logs and spans have for them.
#pragma once

namespace dragoman {

enum class RpcMethod {
  kTranslate,
  kStreamTranslate,
  kDetectLanguage,
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

// Pure.
const char* RpcMethodName(RpcMethod method);

}  // namespace dragoman
