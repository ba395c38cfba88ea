// Tells simplified from traditional Chinese by the characters that only one of them has, as ICU's
// transliterations between the two have them.
//
// A counter is for one thread; the characters are found once, at the first use.
#pragma once

#include <string>

namespace dragoman::server {

class HanCounter {
 public:
  void Add(char32_t character);
  // "Hans" or "Hant", whichever has more; "Hani" where neither has, or ICU lacks the
  // transliterations.
  std::string Script() const;

 private:
  int simplified_ = 0;
  int traditional_ = 0;
};

}  // namespace dragoman::server
