// All doors of this server and the requests that are theirs: the one list to which a new dialect is
// added.
//
// Immutable after construction and thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "server/api/door.h"
#include "server/api/language_catalog.h"

namespace dragoman {

class Doors {
 public:
  // The languages and the lists may be left out of `context`: they are kept here then. The rest
  // outlives this.
  explicit Doors(const DoorContext& context);
  Doors(const Doors&) = delete;
  Doors& operator=(const Doors&) = delete;

  // The routes point to doors of this object. More special ones come first.
  const std::vector<DoorRoute>& routes() const { return routes_; }

 private:
  // `routes` without their door.
  void Add(std::unique_ptr<Door> door, std::vector<DoorRoute> routes);

  const LanguageCatalog languages_;
  ListAnswers lists_;
  std::vector<std::unique_ptr<Door>> doors_;
  std::vector<DoorRoute> routes_;
};

}  // namespace dragoman
