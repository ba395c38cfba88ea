#include "tests/gpu/ptx/calls.h"

#include <execinfo.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "tests/gpu/ptx/cublas_lt.h"
#include "tests/gpu/ptx/handles.h"

namespace dragoman::ptx {
namespace {

// The number of return addresses that identify a place in the program, including those of the
// runtime.
constexpr int kAddresses = 12;

uint64_t PlaceOfCall() {
  std::array<void*, kAddresses> addresses{};
  const int found = backtrace(addresses.data(), kAddresses);
  uint64_t hash = 1469598103934665603U;  // FNV-1a
  for (int i = 0; i < found; ++i) {
    hash = (hash ^ reinterpret_cast<uint64_t>(addresses[static_cast<size_t>(i)])) * 1099511628211U;
  }
  return hash;
}

uint32_t Thread() {
  static std::atomic<uint32_t> next = 0;
  thread_local const uint32_t mine = next++;
  return mine;
}

// Whether CUDA prohibits the call while the calling thread captures.
bool IsUnsafe(CallKind kind) {
  return kind == CallKind::kAllocate || kind == CallKind::kRelease || kind == CallKind::kWait;
}

bool IsLeftOut(CallKind kind) {
  return kind == CallKind::kSetAttribute || kind == CallKind::kSelect || kind == CallKind::kMake ||
         kind == CallKind::kDestroy;
}

const char* What(CallKind kind) {
  switch (kind) {
    case CallKind::kAllocate:
      return "an allocation";
    case CallKind::kRelease:
      return "freeing memory";
    case CallKind::kWait:
      return "a wait or a query";
    case CallKind::kSetAttribute:
      return "setting an attribute of a kernel";
    case CallKind::kSelect:
      return "selecting a device";
    case CallKind::kMake:
      return "making a stream, an event or a graph";
    case CallKind::kDestroy:
      return "destroying a stream, an event or a graph";
    default:
      return "a call";
  }
}

bool Frees(CallKind kind) { return kind == CallKind::kRelease || kind == CallKind::kDestroy; }

// Returns the handles that a call names. The default stream has no handle.
std::vector<std::pair<HandleKind, const void*>> HandlesOf(const Call& call) {
  std::vector<std::pair<HandleKind, const void*>> handles;
  const auto add = [&](HandleKind kind, const auto& handle) {
    if (handle.has_value()) handles.emplace_back(kind, *handle);
  };
  if (call.stream.value_or(nullptr) != nullptr) add(HandleKind::kStream, call.stream);
  add(HandleKind::kEvent, call.event);
  add(HandleKind::kEvent, call.other_event);
  add(HandleKind::kGraph, call.graph);
  add(HandleKind::kExecutable, call.executable);
  return handles;
}

std::string WithCommas(uint64_t number) {
  constexpr size_t kGroup = 3;
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % kGroup == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace

Calls& Calls::Get() {
  static Calls* const calls = new Calls;  // never destroyed, like the device
  return *calls;
}

void Calls::Before(Hook hook) {
  const std::lock_guard lock(Device::Get().mutex());
  hook_ = hook ? std::make_shared<const Hook>(std::move(hook)) : nullptr;
  has_hook_ = hook_ != nullptr;
}

void Calls::RunHook(const Call& call) {
  thread_local bool within = false;
  if (within || !has_hook_) return;
  std::shared_ptr<const Hook> hook;
  {
    const std::lock_guard lock(Device::Get().mutex());
    hook = hook_;
  }
  if (hook == nullptr) return;
  within = true;
  (*hook)(call);
  within = false;
}

Calls::Verdict Calls::Admit(const Call& call) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  const int current = Device::Current();
  ++counts_[call.function];
  ++total_;
  if (records_) Keep(call, current);
  if (HasStaleHandle(call)) {
    return {
        call.kind == CallKind::kRelease ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle,
        false};
  }
  CheckDevice(call, current);
  if (!FitsCaptures(call, current)) return {cudaErrorStreamCaptureUnsupported, false};
  const int asked = call.device >= 0 && call.device < device.count() ? call.device : current;
  const bool ends_capture =
      call.kind == CallKind::kCapture && call.stream.has_value() && Capturing() != nullptr;
  const bool acts = Frees(call.kind) || ends_capture;
  if (IsPlanned(call)) {
    failed_ = std::string(call.function) + (Capturing() != nullptr ? ", in a capture" : "");
    const PlannedError planned = *std::exchange(planned_, std::nullopt);
    if (planned.lasting) device.Break(asked, planned.error);
    // A wait that returns an error has waited all the same.
    return {planned.error, acts || call.kind == CallKind::kWait};
  }
  if (call.needs_device && device.lasting_error(asked) != cudaSuccess) {
    return {device.lasting_error(asked), acts || call.kind == CallKind::kSelect};
  }
  return {};
}

bool Calls::IsPlanned(const Call& call) {
  if (!call.may_fail) return false;
  if (watches_places_) places_.push_back(PlaceOfCall());
  if (!planned_.has_value() || (!planned_->function.empty() && planned_->function != call.function))
    return false;
  return --until_planned_ == 0;
}

void Calls::Find(FindingKind kind, const Call& call, const std::string& what) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = call.function;
  finding.what = what;
  Device::Get().report().Add(finding);
}

bool Calls::HasStaleHandle(const Call& call) {
  const Handles& handles = Device::Get().handles();
  bool stale = false;
  for (const auto& [kind, handle] : HandlesOf(call)) {
    if (handles.Find(kind, handle) != nullptr) continue;
    stale = true;
    const bool again = call.kind == CallKind::kDestroy;
    Find(FindingKind::kStaleHandle, call,
         std::string(HandleName(kind)) + (again ? " is destroyed" : " is used") +
             " that was destroyed before, or never made");
  }
  if (call.kind == CallKind::kRelease && call.memory != nullptr) {
    const auto at = reinterpret_cast<uint64_t>(call.memory);
    const Piece* const piece = Device::Get().memory().Find(at);
    if (piece == nullptr || piece->address() != at) {
      stale = true;
      Find(FindingKind::kStaleHandle, call,
           "memory is freed that was freed before, or never allocated; " +
               Device::Get().memory().Nearest(at));
    }
  }
  return stale;
}

void Calls::CheckDevice(const Call& call, int current) {
  Device& device = Device::Get();
  const auto check = [&](const std::string& what, int owner) {
    if (owner < 0 || owner == current) return;
    Find(FindingKind::kWrongDevice, call,
         what + " of device " + std::to_string(owner) + " while device " + std::to_string(current) +
             " is the thread's current one");
  };
  for (const auto& [kind, handle] : HandlesOf(call)) {
    const Handle* const found = device.handles().Find(kind, handle);
    if (found != nullptr) check(HandleName(kind), found->device);
  }
  for (const void* const memory : {call.memory, call.other_memory}) {
    const Piece* const piece = device.memory().Find(reinterpret_cast<uint64_t>(memory));
    if (piece != nullptr) check("memory", piece->device);
  }
  if (call.device >= 0 && call.kind == CallKind::kWork) check("a handle", call.device);
}

bool Calls::FitsCaptures(const Call& call, int current) const {
  CapturedGraph* const mine = Capturing();
  bool fits = true;
  if (mine != nullptr && IsUnsafe(call.kind)) {
    Find(FindingKind::kCapture, call,
         std::string(What(call.kind)) + " while the thread captures, which CUDA prohibits");
    mine->is_lost = true;
    fits = false;
  } else if (mine != nullptr && IsLeftOut(call.kind)) {
    Find(FindingKind::kCapture, call,
         std::string(What(call.kind)) +
             " while the thread captures, which launchers leave to the time before");
  }
  for (CapturedGraph* const other : captured_) {
    if (other == mine && !call.of_whole_device) continue;
    const bool on_stream = call.stream.has_value() && NumberOf(*call.stream) == other->stream &&
                           other != mine && call.kind != CallKind::kAsk;
    const bool on_device = call.of_whole_device && other->device == current;
    const bool everywhere =
        other != mine && other->mode == cudaStreamCaptureModeGlobal && IsUnsafe(call.kind);
    if (!fits || !(on_stream || on_device || everywhere)) continue;
    Find(FindingKind::kCapture, call,
         on_device ? "a wait for a device while one of its streams is captured"
         : on_stream
             ? "a call for a stream that another thread captures"
             : std::string(What(call.kind)) + " while another thread captures in the mode global");
    other->is_lost = true;
    fits = false;
  }
  return fits;
}

void Calls::Keep(const Call& call, int current) {
  RecordedCall kept;
  kept.number = total_;
  kept.function = call.function;
  kept.kind = call.kind;
  kept.thread = Thread();
  kept.device = current;
  kept.captures = Capturing() != nullptr;
  kept.bytes = call.bytes;
  if (call.stream.has_value()) {
    kept.stream = NumberOf(*call.stream);
    kept.stream_is_captured = std::any_of(captured_.begin(), captured_.end(), [&](const auto* of) {
      return of->stream == kept.stream;
    });
  }
  if (call.grid != nullptr) kept.grid = *call.grid;
  recorded_.push_back(kept);
}

std::map<std::string_view, uint64_t> Calls::counts() const {
  const std::lock_guard lock(Device::Get().mutex());
  return counts_;
}

uint64_t Calls::total() const {
  const std::lock_guard lock(Device::Get().mutex());
  return total_;
}

std::string Calls::Text() const {
  std::string text;
  uint64_t total = 0;
  for (const auto& [function, count] : counts()) {
    total += count;
    text += (text.empty() ? "" : ", ") + WithCommas(count) + " " + std::string(function);
  }
  return WithCommas(total) + " calls" + (text.empty() ? "" : ": ") + text;
}

void Calls::Record(bool on) {
  const std::lock_guard lock(Device::Get().mutex());
  records_ = on;
  if (on) recorded_.clear();
}

std::vector<RecordedCall> Calls::recorded() const {
  const std::lock_guard lock(Device::Get().mutex());
  return recorded_;
}

void Calls::WatchPlaces(bool on) {
  const std::lock_guard lock(Device::Get().mutex());
  watches_places_ = on;
  if (on) places_.clear();
}

std::vector<uint64_t> Calls::places() const {
  const std::lock_guard lock(Device::Get().mutex());
  return places_;
}

void Calls::Plan(const PlannedError& error) {
  const std::lock_guard lock(Device::Get().mutex());
  planned_ = error;
  until_planned_ = error.at;
  failed_.clear();
}

std::string Calls::StopPlanned() {
  const std::lock_guard lock(Device::Get().mutex());
  planned_.reset();
  return std::exchange(failed_, "");
}

std::vector<std::pair<std::string, std::string>> Calls::Left() {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  std::vector<std::pair<std::string, std::string>> all;
  const auto add = [&](const char* makes, int64_t count, const std::string& what) {
    if (count != 0) all.emplace_back(makes, std::to_string(count) + " " + what);
  };
  for (int number = 0; number < device.count(); ++number) {
    add("cudaMalloc", static_cast<int64_t>(device.memory().allocations(number)),
        "allocations of device " + std::to_string(number) + ", in all " +
            std::to_string(device.memory().allocated_bytes(number)) + " bytes");
  }
  add("cudaHostAlloc", static_cast<int64_t>(device.memory().allocations(Piece::kAnyDevice)),
      "pieces of the host's memory");
  for (const auto& [kind, makes] : {std::pair{HandleKind::kStream, "cudaStreamCreate"},
                                    {HandleKind::kEvent, "cudaEventCreate"},
                                    {HandleKind::kGraph, "cudaStreamEndCapture"},
                                    {HandleKind::kExecutable, "cudaGraphInstantiate"}}) {
    add(makes, device.handles().count(kind), HandleName(kind) + std::string("s"));
  }
  add("cublasLtCreate", LiveLtObjects(), "handles and descriptors of cuBLASLt");
  return all;
}

void Calls::CheckFreed() {
  const auto all = Left();
  const std::lock_guard lock(Device::Get().mutex());
  for (const auto& [makes, what] : all) {
    Find(FindingKind::kNotFreed, {.function = makes.c_str()}, what);
  }
}

}  // namespace dragoman::ptx
