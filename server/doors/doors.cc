#include "server/doors/doors.h"

#include <utility>

#include "server/doors/google_rest.h"
#include "server/doors/google_v2.h"
#include "server/doors/openai.h"

namespace dragoman {

Doors::Doors(const DoorContext& given) : languages_(given.calls->models) {
  DoorContext context = given;
  if (context.languages == nullptr) context.languages = &languages_;
  // Each dialect: Add(std::make_unique<ItsDoor>(context), {{"POST", "/path"}, ...}).
  Add(std::make_unique<GoogleV2Door>(context), GoogleV2Door::Routes());
  Add(std::make_unique<GoogleRestDoor>(context), GoogleRestDoor::Routes());
  Add(std::make_unique<OpenAiDoor>(context), OpenAiDoor::Routes());
}

void Doors::Add(std::unique_ptr<Door> door, std::vector<DoorRoute> routes) {
  for (DoorRoute& route : routes) {
    route.door = door.get();
    routes_.push_back(route);
  }
  doors_.push_back(std::move(door));
}

}  // namespace dragoman
