#include "server/compat/adapters.h"

#include <utility>

#include "server/api/jobs_rest.h"
#include "server/api/page.h"
#include "server/api/rest.h"
#include "server/compat/deepl.h"
#include "server/compat/google_rest.h"
#include "server/compat/libretranslate.h"
#include "server/compat/marian.h"
#include "server/compat/openai.h"
#include "server/compat/plugin_dialects.h"
#include "server/compat/translate_path.h"

namespace dragoman::server {

Adapters::Adapters(const AdapterContext& given) : languages_(given.calls) {
  AdapterContext context = given;
  if (context.languages == nullptr) context.languages = &languages_;
  if (context.lists == nullptr) context.lists = &lists_;
  // Each dialect: Add(std::make_unique<ItsAdapter>(context), {{"POST", "/path"}, ...}).
  Add(std::make_unique<TranslatePathAdapter>(context), TranslatePathAdapter::Routes());
  Add(std::make_unique<LibreTranslateAdapter>(context), LibreTranslateAdapter::Routes());
  Add(std::make_unique<DeeplAdapter>(context), DeeplAdapter::Routes());
  Add(std::make_unique<MarianAdapter>(), MarianAdapter::Routes());
  Add(std::make_unique<MTranServerProbesAdapter>(context), MTranServerProbesAdapter::Routes());
  const auto add = [&](std::string_view method, std::string_view path, const JsonDialect& dialect) {
    Add(std::make_unique<JsonDialectAdapter>(dialect), JsonDialectAdapter::Routes(method, path));
  };
  add("POST", "/translate/batch", MTranServerBatchDialect());
  add("POST", "/imme", ImmersiveDialect());
  add("POST", "/kiss", KissDialect());
  add("POST", "/deeplx", DeeplxDialect());
  add("GET", "/google/translate_a/single", GooglePageDialect());
  Add(std::make_unique<GoogleV2Adapter>(context), GoogleV2Adapter::Routes());
  Add(std::make_unique<GoogleRestAdapter>(context), GoogleRestAdapter::Routes());
  Add(std::make_unique<OpenAiAdapter>(context), OpenAiAdapter::Routes());
  Add(MakeRestAdapter(context), RestRoutes());
  Add(MakeJobsAdapter(context), JobsRoutes());
  if (context.has_page) Add(MakePageAdapter(context.grpc_port), PageRoutes());
}

void Adapters::Add(std::unique_ptr<Adapter> adapter, std::vector<AdapterRoute> routes) {
  for (AdapterRoute& route : routes) {
    route.adapter = adapter.get();
    routes_.push_back(route);
  }
  adapters_.push_back(std::move(adapter));
}

}  // namespace dragoman::server
