// All doors of this server and the requests that are theirs: the one list to which a new dialect is
// added.
//
// Immutable after construction and thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "server/doors/door.h"

namespace dragoman {

class Doors {
 public:
  explicit Doors(const DoorContext& context);

  // The routes point to doors of this object. More special ones come first.
  const std::vector<DoorRoute>& routes() const { return routes_; }

 private:
  void Add(std::unique_ptr<Door> door, std::vector<DoorRoute> routes);

  std::vector<std::unique_ptr<Door>> doors_;
  std::vector<DoorRoute> routes_;
};

}  // namespace dragoman
