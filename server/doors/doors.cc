#include "server/doors/doors.h"

#include <utility>

namespace dragoman {

Doors::Doors(const DoorContext& given) : languages_(given.calls->models) {
  DoorContext context = given;
  if (context.languages == nullptr) context.languages = &languages_;
  // Each dialect: Add(std::make_unique<ItsDoor>(context), {{"POST", "/path"}, ...}).
}

void Doors::Add(std::unique_ptr<Door> door, std::vector<DoorRoute> routes) {
  for (DoorRoute& route : routes) {
    route.door = door.get();
    routes_.push_back(route);
  }
  doors_.push_back(std::move(door));
}

}  // namespace dragoman
