#
#if // ### #if needs a condition
#endif
#if 1 1 // ### 1 is one too many
#endif
#if (1 // ### a \) is missing
#endif
#if 1 ? 2 // ### a : is missing
#endif
#if 1 / 0 // ### division by zero
#endif
#if 1 << 64 // ### a shift by less than 0
#endif
#if 1.5 // ### a condition takes integers only
#endif
#if "x" // ### has no value in a condition
#endif
#if 1 + // ### this condition ends too soon
#endif
#if * 2 // ### \* stands here for nothing
#endif
#if 1, 2 // ### , is one too many
#endif
#if 'ab' // ### 'ab' is not a character
#endif
#if defined // ### defined needs the name
#endif
#if defined(x // ### defined\(x needs a \)
#endif
#if __has_include // ### __has_include needs its question
#endif
---
#ifdef // ### #ifdef needs the name
#endif
#ifndef 3 // ### #ifndef needs the name
#endif
#ifdef x y // ### warning nothing should stand after the name
#endif z // ### warning nothing should stand after #endif
#else // ### #else without #if
#elif 1 // ### #elif without #if
#endif // ### #endif without #if
#if 0
#else
#else // ### #else after #else
#endif
#if 1 // ### this #if has no #endif
#ifdef q // ### this #ifdef has no #endif
---
#error no  way // ### error: #error no way
#warning take care, it's // ### warning #warning take care, it's
#if 0
#error not read
#nonsense
"
#endif
#nonsense // ### #nonsense is not a directive
#include // ### #include needs "file" or <file>
#include <no.h> // ### there is no header "no.h"
#include "metal_stdlib" x // ### warning nothing should stand after #include
#include_next <a> // ### not supported: #include_next
#line // ### #line needs a number
#line x // ### #line needs a number
#line 99999999999 // ### #line needs a number in decimal
#line 0 // ### #line needs a number from 1
# 0 // ### #line needs a number from 1
#line 1 x // ### the file name in #line needs quotes
---
#pragma METAL fp math_mode(safe) // the place for contract is below
#pragma METAL fp math_mode(exact) // ### math_mode in #pragma METAL fp is safe, relaxed, fast, not exact
#pragma METAL fp reassociate(on) // ### #pragma METAL fp has no option reassociate; it has contract, math_mode
#pragma METAL fp // ### #pragma METAL fp needs an option: contract, math_mode
#pragma METAL fp contract // ### write contract\(off\|on\|fast\)
#pragma METAL fp contract(off // ### write contract\(off\|on\|fast\)
#pragma clang fp contract(maybe) // ### contract in #pragma clang fp is off, on, fast, not maybe
#pragma clang fp reassociate(fast) // ### reassociate in #pragma clang fp is on, off, not fast
#pragma clang fp math_mode(safe) // ### #pragma clang fp has no option math_mode
#pragma clang fp exceptions(strict) // ### not supported: #pragma clang fp exceptions
#pragma STDC FP_CONTRACT MAYBE // ### write #pragma STDC FP_CONTRACT ON or OFF
#pragma STDC FP_CONTRACT DEFAULT // ### not supported: #pragma STDC FP_CONTRACT DEFAULT
#pragma STDC FENV_ACCESS ON // ### not supported: #pragma STDC FENV_ACCESS ON
#pragma STDC FENV_ACCESS OFF
#pragma STDC FENV_ROUND FE_UPWARD // ### not supported: #pragma STDC FENV_ROUND
#pragma STDC SOMETHING // ### warning unknown #pragma STDC SOMETHING
#pragma // ### warning an empty #pragma
#pragma omp parallel // ### warning unknown #pragma omp parallel is ignored
#pragma METAL internals : enable
#pragma METAL other // ### warning unknown #pragma METAL other
#pragma pack(1) // ### not supported: #pragma pack
_Pragma(x) // ### write _Pragma
_Pragma("clang fp contract(no)") // ### contract in #pragma clang fp is off, on, fast, not no
#pragma pop_macro("x") // ### warning pop_macro of "x" without
