#include "engine/request/word_edges.h"

namespace dragoman {

std::unique_ptr<const WordEdgeTable> MakeWordEdges(const Tokenizer& tokenizer, int32_t vocabulary) {
  if (!tokenizer.MarksWordBegin()) return nullptr;
  auto table = std::make_unique<WordEdgeTable>(vocabulary);
  for (int32_t token = 0; token < vocabulary; ++token) {
    const TokenEdges edges = tokenizer.EdgesOf(token);
    if (edges.begins_in_word) table->MarkContinues(token);
    if (edges.ends_in_word) table->MarkOpen(token);
  }
  return table;
}

}  // namespace dragoman
