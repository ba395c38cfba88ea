// google.cloud.translation.v3.TranslationService on top of our own service (google_v3.h).
//
// Thread-safe. Reactions never block.
#pragma once

#include "server/api/call_reactor.h"
#include "server/api/language_catalog.h"
#include "server/api/raw_service.h"

namespace dragoman::server {

class GoogleService final : public RawService {
 public:
  static constexpr char kName[] = "google.cloud.translation.v3.TranslationService";

  // `context` outlives the service.
  explicit GoogleService(const ServiceContext* context);

 private:
  const LanguageCatalog languages_;
};

}  // namespace dragoman::server
