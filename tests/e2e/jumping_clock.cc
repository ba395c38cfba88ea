// A library for LD_PRELOAD that shifts the wall clock of a process. The shift is the int64 number
// of nanoseconds that the file named by the environment variable JUMPING_CLOCK holds at the moment.
// Monotonic clocks are unchanged.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

const volatile int64_t* Offset() {
  static const volatile int64_t* const offset = [] {
    static const int64_t none = 0;
    const char* path = std::getenv("JUMPING_CLOCK");
    const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return static_cast<const volatile int64_t*>(&none);
    void* memory = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    return memory == MAP_FAILED ? static_cast<const volatile int64_t*>(&none)
                                : static_cast<const volatile int64_t*>(memory);
  }();
  return offset;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t id, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, id, time);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    const int64_t now = int64_t{time->tv_sec} * 1'000'000'000 + time->tv_nsec + *Offset();
    time->tv_sec = now / 1'000'000'000;
    time->tv_nsec = now % 1'000'000'000;
  }
  return static_cast<int>(result);
}

int gettimeofday(timeval* __restrict value, void* __restrict /*zone*/) noexcept {
  timespec time{};
  const int result = clock_gettime(CLOCK_REALTIME, &time);
  value->tv_sec = time.tv_sec;
  value->tv_usec = time.tv_nsec / 1000;
  return result;
}

time_t time(time_t* out) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}

}  // extern "C"
