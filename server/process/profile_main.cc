// dragoman_profile: times the operations of a model's decoding step, on the CPU or on one GPU, and
// prints a table. It has the settings of dragomand, so that it times the configuration that serves.
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/api/devices.h"
#include "engine/profile/profile_steps.h"
#include "server/base/allocator.h"
#include "server/base/quoted.h"
#include "server/base/steady_clock.h"
#include "server/process/cpu_topology.h"
#include "server/process/engine_settings.h"
#include "server/settings/config.h"

namespace dragoman::server {
namespace {

constexpr int kUsualSteps = 20;

constexpr char kHelp[] =
    "dragoman_profile: the time of a decoding step, operation by operation\n\n"
    "  dragoman_profile --model DIR [--steps N] [flags of dragomand]\n\n"
    "  --steps N   steps that are timed (20)\n\n"
    "A full batch is timed: --max-rows and, on the CPU, --threads-per-worker say of what size.\n"
    "The other flags, as --device and --compute-type: dragomand --help all.\n";

struct Command {
  int steps = kUsualSteps;
  CommandLine settings;
};

// Removes --steps from `args` and returns its value, if it is there.
absl::StatusOr<std::optional<std::string>> TakeSteps(std::vector<std::string>* args) {
  std::optional<std::string> text;
  std::vector<std::string> others;
  for (size_t i = 0; i < args->size(); ++i) {
    const std::string& arg = (*args)[i];
    if (arg.starts_with("--steps=")) {
      text = arg.substr(arg.find('=') + 1);
    } else if (arg != "--steps") {
      others.push_back(arg);
    } else if (i + 1 < args->size()) {
      text = (*args)[++i];
    } else {
      return absl::InvalidArgumentError("--steps: found no value, expected one");
    }
  }
  *args = std::move(others);
  return text;
}

absl::StatusOr<Command> ParseProfileCommand(std::vector<std::string> args) {
  Command command;
  const absl::StatusOr<std::optional<std::string>> steps = TakeSteps(&args);
  if (!steps.ok()) return steps.status();
  if (steps->has_value() && (!absl::SimpleAtoi(**steps, &command.steps) || command.steps < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--steps: found ", Quoted(**steps), ", expected a whole number from 1"));
  }
  absl::StatusOr<CommandLine> settings = ParseCommandLine(args);
  if (!settings.ok()) return settings.status();
  command.settings = *std::move(settings);
  return command;
}

absl::StatusOr<std::string> Profile(const ModelSettings& model, int steps) {
  const bool may_be_cuda = model.devices.automatic || !model.devices.cuda.empty();
  const absl::StatusOr<engine::DeviceChoice> devices =
      engine::ChooseDevices(model.devices, may_be_cuda ? engine::ProbeCuda() : engine::CudaProbe{});
  if (!devices.ok()) return devices.status();
  ModelShare share;
  share.cpus = share.text_cpus = CpuBudget();
  share.cpus_per_cache = ReadCpuTopology("", AllowedCpus()).PerCache();
  share.device_memory_fraction = model.device_memory_fraction;
  const SteadyClock clock;
  return engine::ProfileSteps(model.model_directory, MakeEngineConfig(model, share, *devices),
                              steps, &clock);
}

int Main(const std::vector<std::string>& args) {
  const auto refuse = [](const absl::Status& status, int exit_status) {
    std::fprintf(stderr, "dragoman_profile: %s\n", std::string(status.message()).c_str());
    return exit_status;
  };
  const absl::StatusOr<Command> command = ParseProfileCommand(args);
  if (!command.ok()) return refuse(command.status(), 2);
  if (command->settings.mode == CommandMode::kHelp) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (command->settings.mode != CommandMode::kServe) {
    return refuse(absl::InvalidArgumentError("found a flag of dragomand alone, expected settings"),
                  2);
  }
  ConfigureAllocator();
  const absl::StatusOr<std::string> table =
      Profile(command->settings.config.models.front(), command->steps);
  if (!table.ok()) return refuse(table.status(), 1);
  std::fputs(table->c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace dragoman::server

int main(int argc, char** argv) {
  try {
    return dragoman::server::Main(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dragoman_profile: memory or a thread is not available (%s)\n",
                 error.what());
    return 1;
  }
}
