#include "server/base/error_text.h"

#include <cstring>

namespace dragoman {

std::string ErrorText(int error) {
  char buffer[128];
  return strerror_r(error, buffer, sizeof(buffer));
}

}  // namespace dragoman
