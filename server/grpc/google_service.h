// google.cloud.translation.v3.TranslationService, for Google's clients, in terms of our own service:
// server/doors/google_v3.h says what each field means here.
//
// Thread-safe. Reactions never block.
#pragma once

#include "server/doors/language_catalog.h"
#include "server/grpc/raw_service.h"
#include "server/grpc/service_context.h"

namespace dragoman {

class GoogleService final : public RawService {
 public:
  static constexpr char kName[] = "google.cloud.translation.v3.TranslationService";

  // `context` outlives the service.
  explicit GoogleService(const ServiceContext* context);

 private:
  const LanguageCatalog languages_;
};

}  // namespace dragoman
