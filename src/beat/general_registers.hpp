// SPDX-License-Identifier: Apache-2.0
// For functions that run where compilers expect no call. Such a function changes no vector or x87 register,
// and contains no code of sanitizers. It may call only functions of this kind.
#pragma once

#if defined(__x86_64__)
#define SENNIT_GENERAL_REGISTERS                                                                             \
  __attribute__((target("general-regs-only"), no_sanitize("address"), no_sanitize("thread"),                 \
                 no_sanitize("undefined")))
#else
#define SENNIT_GENERAL_REGISTERS
#endif
