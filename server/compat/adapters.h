// All adapters of this server and the requests that are theirs: the one list to which a new dialect is
// added.
//
// Immutable after construction and thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "server/api/adapter.h"
#include "server/api/language_catalog.h"

namespace dragoman::server {

class Adapters {
 public:
  // The languages and the lists may be left out of `context`: they are kept here then. The rest
  // outlives this.
  explicit Adapters(const AdapterContext& context);
  Adapters(const Adapters&) = delete;
  Adapters& operator=(const Adapters&) = delete;

  // The routes point to adapters of this object. More special ones come first.
  const std::vector<AdapterRoute>& routes() const { return routes_; }

 private:
  // `routes` without their adapter.
  void Add(std::unique_ptr<Adapter> adapter, std::vector<AdapterRoute> routes);

  const LanguageCatalog languages_;
  ListAnswers lists_;
  std::vector<std::unique_ptr<Adapter>> adapters_;
  std::vector<AdapterRoute> routes_;
};

}  // namespace dragoman::server
