// The short form of a language code, which most dialects use: "de" for "deu_Latn" and "DE", "zh-Hant"
// for "zho_Hant", "pt-BR" for "pt_br". A script is left out where it is the language's usual one.
//
// Pure function, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace dragoman {

std::string ShortTag(std::string_view code);

}  // namespace dragoman
