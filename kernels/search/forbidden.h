// Forbidden phrases (SEARCH.md d.5): an Aho-Corasick automaton reads the tokens of a hypothesis and
// also finds phrases that overlap. Pure functions over the caller's immutable tables, for host and
// device. A state is a node number; each hypothesis has one.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/row.h"

namespace dragoman::kernels {

// The automaton. Node 0 is the root. The edges of node s have the numbers edge_begin[s] to
// edge_begin[s + 1] - 1. Their tokens ascend.
struct ForbiddenAutomaton {
  const int32_t* edge_begin = nullptr;  // [nodes + 1]
  const int32_t* edge_token = nullptr;
  const int32_t* edge_node = nullptr;
  const uint8_t* edge_ends = nullptr;  // 1: this token would complete a phrase
  const int32_t* fail = nullptr;  // [nodes]: the node of the longest proper suffix that has a node
  int32_t nodes = 0;              // 0: nothing is forbidden
  IdList always;                  // the phrases of one token, which are forbidden in every state
};

// Returns the state after `token`.
DRAGOMAN_HD inline int32_t NextForbiddenState(const ForbiddenAutomaton& a, int32_t state,
                                              int32_t token) {
  if (a.nodes == 0) return 0;
  for (;;) {
    const IdList edges{a.edge_token + a.edge_begin[state],
                       a.edge_begin[state + 1] - a.edge_begin[state]};
    const int32_t at = FirstAtLeast(edges, token);
    if (at < edges.count && edges.ids[at] == token) return a.edge_node[a.edge_begin[state] + at];
    if (state == 0) return 0;
    state = a.fail[state];
  }
}

// Calls `use(begin, end)` for the edges begin .. end - 1 of `state` and of each node that its chain
// of `fail` links reaches, except the root. Tokens ascend within a call. Only these edges can
// complete a phrase of two or more tokens (`edge_ends`).
template <class Use>
DRAGOMAN_HD void ForEdgeRuns(const ForbiddenAutomaton& a, int32_t state, Use use) {
  if (a.nodes == 0) return;
  for (; state != 0; state = a.fail[state]) use(a.edge_begin[state], a.edge_begin[state + 1]);
}

// Calls `ban(token)`, possibly more than once for a token, for every token that would complete a
// phrase of two or more tokens.
template <class Ban>
DRAGOMAN_HD void ForForbiddenTokens(const ForbiddenAutomaton& a, int32_t state, Ban ban) {
  ForEdgeRuns(a, state, [&](int32_t begin, int32_t end) {
    for (int32_t e = begin; e < end; ++e) {
      if (a.edge_ends[e] != 0) ban(a.edge_token[e]);
    }
  });
}

}  // namespace dragoman::kernels
