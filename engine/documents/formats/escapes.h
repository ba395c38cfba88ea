// Backslash escapes, as C, JSON, Java and YAML have them, and other helpers of the readers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::engine {

// Returns the parts of the text between separators. They may be empty.
std::vector<std::string_view> SplitAt(std::string_view text, char separator);

// Returns the text of a string of C or Java: \n, \t, \", \\, octal (C), \uXXXX (Java). Any other
// character after a backslash stands for itself.
std::string DecodeC(std::string_view bytes);
std::string DecodeJava(std::string_view bytes);

// Returns the text as the content of a string of C: with \n, \t, \r, \" and \\.
std::string EncodeC(std::string_view text);
// Reports whether the text has characters besides \n and \t that YAML has only as escapes.
bool HasControls(std::string_view text);
// Returns the text as a string of JSON and of YAML, with its quotes.
std::string EncodeJson(std::string_view text);

}  // namespace dragoman::engine
