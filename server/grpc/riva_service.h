// nvidia.riva.nmt.RivaTranslation, for Riva's clients, in terms of our own service:
// server/doors/riva.h says what each field means here.
//
// Thread-safe. Reactions never block.
#pragma once

#include "server/grpc/raw_service.h"
#include "server/grpc/service_context.h"

namespace dragoman {

class RivaService final : public RawService {
 public:
  static constexpr char kName[] = "nvidia.riva.nmt.RivaTranslation";

  // `context` outlives the service.
  explicit RivaService(const ServiceContext* context);
};

}  // namespace dragoman
