// Builds instructions for the tables of forms. A lane executes such an instruction by itself. A
// function of the operands computes its result.
#pragma once

#include <cstdint>

#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/warp.h"

namespace dragoman::ptx {

template <class T>
constexpr Width WidthFor() {
  return sizeof(T) == 8 ? Width::k64 : sizeof(T) == 4 ? Width::k32 : Width::k16;
}

// d = f(a), with types that match the registers' widths.
template <class To, class From, auto f>
void Unary(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  const uint32_t* const a = warp.At(i.a);
  ForLanes(lanes, [=](int l) { Put<To>(d, l, static_cast<To>(f(Get<From>(a, l)))); });
}

// d = f(a, b).
template <class To, class A, class B, auto f>
void Binary(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  const uint32_t* const a = warp.At(i.a);
  const uint32_t* const b = warp.At(i.b);
  ForLanes(lanes, [=](int l) { Put<To>(d, l, static_cast<To>(f(Get<A>(a, l), Get<B>(b, l)))); });
}

// d = f(a, b, c), c of the type of d.
template <class To, class From, auto f>
void Ternary(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  const uint32_t* const a = warp.At(i.a);
  const uint32_t* const b = warp.At(i.b);
  const uint32_t* const c = warp.At(i.c);
  ForLanes(lanes, [=](int l) {
    Put<To>(d, l, static_cast<To>(f(Get<From>(a, l), Get<From>(b, l), Get<To>(c, l))));
  });
}

// d = f(a, b) for a predicate d.
template <class T, auto f>
void Compare(Warp& warp, const Instruction& i, uint32_t lanes) {
  const uint32_t* const a = warp.At(i.a);
  const uint32_t* const b = warp.At(i.b);
  uint32_t holds[kLanes] = {};
  ForLanes(lanes, [&](int l) { holds[l] = f(Get<T>(a, l), Get<T>(b, l)) ? 1 : 0; });
  uint32_t mask = 0;
  for (int l = 0; l < kLanes; ++l) mask |= holds[l] << l;
  uint32_t& d = warp.Predicate(i.d);
  d = (d & ~lanes) | (mask & lanes);
}

// d = c ? a : b.
template <class T>
void Select(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t* const d = warp.At(i.d);
  const uint32_t* const a = warp.At(i.a);
  const uint32_t* const b = warp.At(i.b);
  const uint32_t c = warp.Predicate(i.c);
  ForLanes(lanes, [=](int l) { Put<T>(d, l, (c >> l & 1U) != 0 ? Get<T>(a, l) : Get<T>(b, l)); });
}

template <class To, class From, auto f>
Form UnaryForm() {
  return {&Unary<To, From, f>, {WidthFor<To>(), WidthFor<From>()}, false};
}
template <class T, auto f>
Form BinaryForm() {
  return {&Binary<T, T, T, f>, {WidthFor<T>(), WidthFor<T>(), WidthFor<T>()}, false};
}
template <class T, auto f>
Form CompareForm() {
  return {&Compare<T, f>, {Width::kPredicate, WidthFor<T>(), WidthFor<T>()}, false};
}

}  // namespace dragoman::ptx
