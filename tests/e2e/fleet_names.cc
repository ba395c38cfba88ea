// Preloaded into a process, gives the host "fleet.test" three addresses: 127.0.0.1 to 127.0.0.3.
#include <dlfcn.h>
#include <netdb.h>

#include <cstring>
#include <initializer_list>

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (host == nullptr || std::strcmp(host, "fleet.test") != 0) {
    return real(host, service, hints, result);
  }
  addrinfo** end = result;
  for (const char* number : {"127.0.0.3", "127.0.0.1", "127.0.0.2"}) {
    const int error = real(number, service, hints, end);
    if (error != 0) return error;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return 0;
}
