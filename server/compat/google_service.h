// google.cloud.translation.v3.TranslationService, for Google's clients, in terms of our own service:
// server/compat/google_v3.h says what each field means here.
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
