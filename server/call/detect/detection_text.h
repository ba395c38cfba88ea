// The part of an item that a detector looks at: the text that would be translated, without markup.
//
// Pure functions. The item may be any bytes.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::server {

// The text of an item: of HTML that of its paragraphs, with a space between them. HTML that a
// translation would refuse counts as text.
std::string TextToDetect(std::string_view item, bool html);

}  // namespace dragoman::server
