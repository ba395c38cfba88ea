#include "engine/model/formats/mapped_file.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "engine/base/concat.h"
#include "engine/model/formats/opened_file.h"

namespace dragoman::engine {
namespace {

// The address range of a mapping, for the handler of SIGBUS. `begin` is 0 if the entry is free, and
// 1 while a thread fills it in.
struct Guard {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> is_lost{false};
};

// The array has a fixed size, because the signal handler cannot take a lock. It has room for four
// models of 256 files each.
constexpr size_t kMaxMappings = 1024;
constinit std::array<Guard, kMaxMappings> guards;
struct sigaction before;

void OnSigbus(int signal, siginfo_t* info, void* context) {
  const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
  for (Guard& guard : guards) {
    const uintptr_t begin = guard.begin.load();
    if (begin <= 1 || at < begin || at >= guard.end.load()) continue;
    guard.is_lost.store(true);
    // Calls the system directly, because a sanitizer's mmap is not safe in a signal handler.
    const long zeros = syscall(SYS_mmap, begin, guard.end.load() - begin, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros == static_cast<long>(begin)) return;
  }
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(signal);
  }
  sigaction(SIGBUS, &before, nullptr);  // the access is repeated and ends the process
}

void InstallHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = OnSigbus;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
  });
}

Guard* TakeGuard() {
  InstallHandler();
  for (Guard& guard : guards) {
    uintptr_t is_free = 0;
    if (guard.begin.compare_exchange_strong(is_free, 1)) return &guard;
  }
  return nullptr;
}

}  // namespace

struct MappedFile::State {
  State(OpenedFile opened, LoadMemory::Hold held)
      : memory(std::move(held)), file(std::move(opened)) {}
  ~State() {
    if (guard != nullptr) guard->begin.store(0);
    if (size > 0) munmap(data, size);
  }

  LoadMemory::Hold memory;  // released after the file
  OpenedFile file;
  void* data = nullptr;
  size_t size = 0;  // 0: nothing is mapped
  Guard* guard = nullptr;
};

MappedFile::MappedFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
MappedFile::~MappedFile() = default;
MappedFile::MappedFile(MappedFile&&) noexcept = default;

std::span<const uint8_t> MappedFile::bytes() const {
  return {static_cast<const uint8_t*>(state_->data), state_->size};
}

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path, size_t max_bytes) {
  absl::StatusOr<OpenedFile> file = OpenedFile::Open(path, max_bytes);
  if (!file.ok()) return file.status();
  return Of(*std::move(file));
}

absl::StatusOr<MappedFile> MappedFile::Of(OpenedFile file, LoadMemory::Hold memory) {
  const std::string path = file.path();
  const size_t size = file.size();
  auto state = std::make_unique<State>(std::move(file), std::move(memory));
  if (size == 0) return MappedFile(std::move(state));
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, state->file.fd(), 0);
  if (data == MAP_FAILED && errno == ENOMEM) {
    return absl::ResourceExhaustedError(
        Concat(path, ": no address space for its ", size, " bytes"));
  }
  if (data == MAP_FAILED)
    return state->file.Invalid(Concat("cannot be mapped: ", std::strerror(errno)));
  state->data = data;
  state->size = size;
  state->guard = TakeGuard();
  if (state->guard == nullptr) {
    return absl::ResourceExhaustedError(
        Concat(path, ": more than ", kMaxMappings, " files of models are open"));
  }
  Guard& guard = *state->guard;
  guard.is_lost.store(false);
  guard.end.store(reinterpret_cast<uintptr_t>(data) + size);
  guard.begin.store(reinterpret_cast<uintptr_t>(data));
  constexpr size_t kLongestPointer = 1024;
  const std::span<const uint8_t> first(static_cast<const uint8_t*>(data),
                                       std::min(size, kLongestPointer));
  if (absl::Status status = state->file.CheckNoPointer(first); !status.ok()) return status;
  return MappedFile(std::move(state));
}

void MappedFile::Drop(std::span<const uint8_t> part) const {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  // Also drops the pages that are only partly inside `part`. They are read again when they are
  // needed.
  const uintptr_t begin = reinterpret_cast<uintptr_t>(part.data()) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(part.data()) + part.size();
  if (part.empty() || state_->guard->is_lost.load()) return;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

absl::Status MappedFile::Check() const {
  if (absl::Status status = state_->file.CheckUnchanged(); !status.ok()) return status;
  if (state_->guard != nullptr && state_->guard->is_lost.load()) {
    return state_->file.Invalid(
        "cannot be read: the device failed, or the file was cut short for a time");
  }
  return absl::OkStatus();
}

}  // namespace dragoman::engine
