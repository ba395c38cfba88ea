// A Markdown table on the standard output, and numbers as its cells.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <iostream>
#include <string>

namespace dragoman::bench {

inline std::string Cell(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
inline std::string Cell(int64_t value) { return std::to_string(value); }
inline std::string Percent(double share) { return Cell(100.0 * share, 1) + " %"; }

inline void Row(std::initializer_list<std::string> cells) {
  for (const std::string& cell : cells) std::cout << "| " << cell << " ";
  std::cout << "|" << std::endl;  // NOLINT(performance-avoid-endl): rows come minutes apart
}
inline void Header(std::initializer_list<std::string> cells) {
  std::cout << "\n";
  Row(cells);
  for (size_t i = 0; i < cells.size(); ++i) std::cout << "|--";
  std::cout << "|" << std::endl;  // NOLINT(performance-avoid-endl)
}

}  // namespace dragoman::bench
