// The methods of our services, and what other interfaces are asked that is like them, by the names
// that metrics, logs and spans have for them.
#pragma once

namespace dragoman {

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

}  // namespace dragoman
