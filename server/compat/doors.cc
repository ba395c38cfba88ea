#include "server/compat/doors.h"

#include <utility>

#include "server/api/page.h"
#include "server/api/rest.h"
#include "server/compat/deepl.h"
#include "server/compat/google_rest.h"
#include "server/compat/google_v2.h"
#include "server/compat/libretranslate.h"
#include "server/compat/marian.h"
#include "server/compat/mtranserver.h"
#include "server/compat/openai.h"
#include "server/compat/plugin_dialects.h"
#include "server/compat/translate_path.h"

namespace dragoman {

Doors::Doors(const DoorContext& given) : languages_(given.calls) {
  DoorContext context = given;
  if (context.languages == nullptr) context.languages = &languages_;
  if (context.lists == nullptr) context.lists = &lists_;
  // Each dialect: Add(std::make_unique<ItsDoor>(context), {{"POST", "/path"}, ...}).
  Add(std::make_unique<TranslatePathDoor>(context), TranslatePathDoor::Routes());
  Add(std::make_unique<LibreTranslateDoor>(context), LibreTranslateDoor::Routes());
  Add(std::make_unique<DeeplDoor>(context), DeeplDoor::Routes());
  Add(std::make_unique<MarianDoor>(), MarianDoor::Routes());
  Add(std::make_unique<MTranServerProbesDoor>(context), MTranServerProbesDoor::Routes());
  const auto add = [&](std::string_view method, std::string_view path, const JsonDialect& dialect) {
    Add(std::make_unique<JsonDialectDoor>(context, dialect), JsonDialectDoor::Routes(method, path));
  };
  add("POST", "/translate/batch", MTranServerBatchDialect());
  add("POST", "/imme", ImmersiveDialect());
  add("POST", "/kiss", KissDialect());
  add("POST", "/deeplx", DeeplxDialect());
  add("GET", "/google/translate_a/single", GooglePageDialect());
  Add(std::make_unique<GoogleV2Door>(context), GoogleV2Door::Routes());
  Add(std::make_unique<GoogleRestDoor>(context), GoogleRestDoor::Routes());
  Add(std::make_unique<OpenAiDoor>(context), OpenAiDoor::Routes());
  Add(MakeRestDoor(context), RestRoutes());
  if (context.has_page) Add(MakePageDoor(context.grpc_port), PageRoutes());
}

void Doors::Add(std::unique_ptr<Door> door, std::vector<DoorRoute> routes) {
  for (DoorRoute& route : routes) {
    route.door = door.get();
    routes_.push_back(route);
  }
  doors_.push_back(std::move(door));
}

}  // namespace dragoman
