#include "server/observe/api.h"

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

}  // namespace dragoman
