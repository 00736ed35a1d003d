#define // ### #define needs the name of a macro
#define 3 // ### 3 cannot name a macro
#define defined // ### defined has a meaning of its own
#define and // ### and cannot name a macro
#define __VA_ARGS__ 1 // ### __VA_ARGS__ has a meaning
#define f(a // ### a \) is missing in the parameters of macro f
#define f(a, // ### a \) is missing
#define f(a b) // ### a , or \) is missing
#define f(a,a) // ### a cannot stand \(again\)
#define f(...,a) // ### a , or \) is missing
#define f(1) // ### a name is missing
#define f(x) ## x // ### ## stands between two tokens
#define f(x) x ## // ### ## stands between two tokens
#define f(x) #y // ### # stands only before a parameter
#define f(x) __VA_ARGS__ // ### __VA_ARGS__ stands only in
#define f(...) __VA_OPT__(x) // ### not supported: __VA_OPT__
#define ok 1
---
#define one 1
#define one 1
#define one 2 // ### warning macro one is defined again
#define plus+ // ### warning write a space
#define __LINE__ 3 // ### warning __LINE__ is defined again
#undef __FILE__ // ### warning #undef of __FILE__
#undef nothing
#undef // ### #undef needs the name
#undef one one // ### warning nothing should stand after
#define f(x,y) x
f(1) // ### macro f takes 2 arguments, not 1
f(1,2,3) // ### macro f takes 2 arguments, not 3
f(1 // ### arguments of macro f do not end
---
#define cat(a,b) a##b
cat(+,x) // ### ## makes no token of \+ and x
cat(/,/) // ### ## makes no token of / and /
#define str(x) #x
str(\) // ### # makes no string
__DATE__ // ### not supported: __DATE__
#define big(n) 1 ## n
big(9q) // ### the suffix of an integer literal is u, l or ul, not q
