#include <ostream>

#include "client/command.h"

namespace dragoman {

int HealthCommand(const Io& io, const Arguments& arguments) {
  ClientOptions options;
  std::string service;
  double timeout = 5;
  FlagTable flags;
  AddServerFlags(&flags, &options, io);
  flags.String("service", "NAME", &service,
               "name of a service or model to ask about (default: the whole\nserver)");
  flags.Number("timeout", "S", 0.001, 86400, &timeout,
               "seconds to wait for the answer (default: 5)");
  std::vector<std::string> positional;
  int exit_status = kExitOk;
  if (!ParseCommand(io, "health [flags]",
                    "Asks the server's health service once. Prints SERVING and exits with 0, or "
                    "says what is\nwrong and exits with 1.",
                    arguments, 0, &flags, &positional, &exit_status)) {
    return exit_status;
  }
  const auto client = TranslationClient::Create(options);
  if (!client.ok()) return UsageError(io, "health", std::string(client.status().message()));
  const auto healthy = (*client)->Healthy(service, Seconds(timeout));
  if (!healthy.ok()) return Fail(io, "health", healthy.status());
  io.out << (*healthy ? "SERVING\n" : "NOT_SERVING\n");
  return *healthy ? kExitOk : kExitFailed;
}

}  // namespace dragoman
