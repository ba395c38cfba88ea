// The prompts with which translation front ends ask a chat model for a translation.
//
// A prompt is a text to translate, alone or in one of these templates. Other prompts are refused
// with an error, because a translation model would also translate the instruction. The case of
// letters and the length of white space do not matter.
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

// "{from}" and "{to}" are languages, "{text}" is the text to translate.
struct PromptTemplate {
  std::string_view front_end;
  std::string_view system;  // "": none
  // "{text}" if the message is only the text.
  std::string_view user;
};

std::span<const PromptTemplate> PromptTemplates();

// System messages that only describe the model. They are allowed with templates that have no system
// message of their own.
std::span<const std::string_view> PlainSystemMessages();

struct ChatMessage {
  std::string role;  // system, developer, user or assistant
  std::string content;
};

// A parsed prompt.
struct Prompt {
  std::string text;
  std::string from;  // a name or a code, as in the prompt; "" = none
  std::string to;
  // Requested terms. If the second is "", the first stays unchanged.
  std::vector<std::pair<std::string, std::string>> terms;
  std::optional<SegmentBatch> batch;  // instead of `text`
};

// Parses the messages of a chat: at most one system message, then the user's. A template with a
// system message also allows earlier turns of user and assistant, which are ignored.
// INVALID_ARGUMENT names what was not understood.
absl::StatusOr<Prompt> ReadChat(const std::vector<ChatMessage>& messages);

// Parses a prompt of completions: a text, alone or in a template without a system message.
absl::StatusOr<Prompt> ReadCompletionPrompt(std::string_view prompt);

}  // namespace dragoman::server
