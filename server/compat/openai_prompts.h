// The prompts in which translation front ends ask a chat model for a translation: one table.
//
// A prompt is a text to translate, alone or in one of these templates; anything else is refused and
// says so, because a translation model would translate the instruction, too. Letters match in any
// case, and white space of any length.
//
// Pure functions, thread-safe. Text is UTF-8.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/compat/openai_segments.h"

namespace dragoman::server {

// "{from}" and "{to}" are languages, "{text}" is what to translate.
struct PromptTemplate {
  std::string_view front_end;  // that sends it
  std::string_view system;     // "": none
  // "{text}": it is sent alone.
  std::string_view user;
};

std::span<const PromptTemplate> PromptTemplates();

// System messages that say only what the model is. They may stand before any of the templates that
// have none of their own, and before a text alone.
std::span<const std::string_view> PlainSystemMessages();

struct ChatMessage {
  std::string role;  // system, developer, user or assistant
  std::string content;
};

// A prompt, read.
struct Prompt {
  std::string text;
  std::string from;  // a language as the prompt has it: a name or a code; "" = none
  std::string to;
  // Terms that it asks for; "" as the second: the first stays as it is.
  std::vector<std::pair<std::string, std::string>> terms;
  std::optional<SegmentBatch> batch;  // in place of `text`
};

// Messages of a chat: a system message or none, and a user's. Earlier turns of user and assistant
// may stand between the two where the template's text is sent alone: a front end shows them as
// context, of which a translation model has no use. INVALID_ARGUMENT says what is not understood.
absl::StatusOr<Prompt> ReadChat(const std::vector<ChatMessage>& messages);

// A prompt of completions: a text, or a user's template with it.
absl::StatusOr<Prompt> ReadCompletionPrompt(std::string_view prompt);

}  // namespace dragoman::server
