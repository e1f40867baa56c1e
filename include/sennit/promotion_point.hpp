#pragma once
#define SENNIT_PROMOTION_POINT(...) SENNIT_PROMOTION_POINT_AT(SENNIT_PROMOTION_POINT_JOIN(sennit_beat_, __COUNTER__), __VA_ARGS__)
#define SENNIT_PROMOTION_POINT_JOIN(a, b) SENNIT_PROMOTION_POINT_JOIN_(a, b)
#define SENNIT_PROMOTION_POINT_JOIN_(a, b) a##b
#define SENNIT_PROMOTION_POINT_AT(label, ...) \
  { asm inline goto("# sennit_promotion_point %l0" : : : : label); if (false) { label: [[unlikely]] { __VA_ARGS__; } } } static_cast<void>(0)
