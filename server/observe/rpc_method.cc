#include "server/observe/rpc_method.h"

#include <cstddef>
#include <iterator>

namespace dragoman::server {
namespace {

// The names, in the order of RpcMethod.
constexpr const char* kMethodNames[] = {
    "Translate",      "StreamTranslate", "Score",         "StreamScore", "DetectLanguage",
    "ListLanguages",  "ListModels",      "GetServerInfo", "CreateJob",   "AppendToJob",
    "GetJob",         "ListJobs",        "ReadJob",       "DeleteJob",   "RunJob",
    "ListGlossaries", "GetGlossary",     "Query",         "LoadModel",   "UnloadModel",
    "ReloadModel",    "ReloadAll",       "Drain",         "SetLogLevel", "unknown"};
static_assert(std::size(kMethodNames) == static_cast<size_t>(RpcMethod::kUnknown) + 1);

// The names, in the order of Api.
constexpr const char* kApiNames[] = {"dragoman",       "google_v3",   "google_v2", "riva",
                                     "libretranslate", "deepl",       "openai",    "marian",
                                     "plugins",        "mtranserver", "curator"};
static_assert(std::size(kApiNames) == static_cast<size_t>(Api::kCurator) + 1);

}  // namespace

const char* RpcMethodName(RpcMethod method) { return kMethodNames[static_cast<size_t>(method)]; }

const char* ApiName(Api api) { return kApiNames[static_cast<size_t>(api)]; }

}  // namespace dragoman::server
