// nvidia.riva.nmt.RivaTranslation on top of our own service (riva.h).
//
// Thread-safe. Reactions never block.
#pragma once

#include "server/api/call_reactor.h"
#include "server/api/raw_service.h"

namespace dragoman::server {

class RivaService final : public RawService {
 public:
  static constexpr char kName[] = "nvidia.riva.nmt.RivaTranslation";

  // `context` outlives the service.
  explicit RivaService(const ServiceContext* context);
};

}  // namespace dragoman::server
