// The part of an item that a detector reads: the text to translate, without markup.
//
// Pure functions. The item may be any bytes.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::server {

// Returns the text of an item. For HTML, joins the text of its paragraphs with spaces. HTML that a
// translation would refuse is treated as plain text.
std::string TextToDetect(std::string_view item, bool html);

}  // namespace dragoman::server
