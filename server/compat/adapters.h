// All adapters of this server and their routes. A new dialect is added only here.
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
  // `context` outlives the object. If its `languages` or `lists` is nullptr, this object makes its
  // own for the adapters.
  explicit Adapters(const AdapterContext& context);
  Adapters(const Adapters&) = delete;
  Adapters& operator=(const Adapters&) = delete;

  // The routes point to adapters of this object. More specific routes come first.
  const std::vector<AdapterRoute>& routes() const { return routes_; }

 private:
  // Sets the adapter of each of `routes`, and adds them to routes_.
  void Add(std::unique_ptr<Adapter> adapter, std::vector<AdapterRoute> routes);

  const LanguageCatalog languages_;
  ListAnswers lists_;
  std::vector<std::unique_ptr<Adapter>> adapters_;
  std::vector<AdapterRoute> routes_;
};

}  // namespace dragoman::server
