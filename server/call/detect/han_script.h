// Distinguishes simplified from traditional Chinese by the characters that only one of them uses,
// according to ICU's transliterations between the two.
//
// Not thread-safe. The table of characters is built once, at the first use.
#pragma once

#include <string>

namespace dragoman::server {

class HanCounter {
 public:
  void Add(char32_t character);
  // Returns "Hans" or "Hant", whichever has more characters; "Hani" for a tie or if ICU lacks the
  // tables.
  std::string Script() const;

 private:
  int simplified_ = 0;
  int traditional_ = 0;
};

}  // namespace dragoman::server
