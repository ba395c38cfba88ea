// Finds the parts of a text that a translation should contain unchanged: placeholders of software,
// addresses, code and emoji.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <string_view>
#include <vector>

#include "engine/text/text_range.h"

namespace dragoman::engine {

// Returns the placeholders of a text, in order and without overlap. The kinds are:
//
//   URLs and domains     https://example.com/a?b=c, www.example.net/faq, example.org
//   e-mail addresses     jane.doe@mail.example.org
//   handles, hashtags    @jane_doe, #MondayMood
//   braces               {0}, {name}, {{ user.name }}, ${HOME}, %{count}
//   printf               %s, %1$d, %5.2f, %(name)s, %@
//   other variables      #TAG#, $USER$, $HOME, %PATH%, __VAR__
//   tags                 <x id="1"/>, <b>, </g>
//   code                 `ls -l`, get_user_name(), --max-rows, user_name
//   paths and files      /etc/hosts, ~/notes.txt, C:\Users, src/main.cc, config.yml
//   emoji                U+1F680 and sequences, :rocket:
//
// A full stop, comma or bracket that ends the sentence around an address is not part of it. Braces
// with a space and without a second brace are text. Takes time linear in the text.
std::vector<TextRange> FindPlaceholders(std::string_view text);

}  // namespace dragoman::engine
