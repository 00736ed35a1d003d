1q // ### the suffix of an integer literal
1f // ### needs a point or an exponent before f
08 // ### an octal literal
0x // ### no digits after the prefix
0b2 // ### no digits after the prefix
1e // ### the exponent has no digits
1.0L // ### not supported: 1.0L: Metal has no long double
1ull // ### not supported: 1ull: Metal has no long long
0x1.8 // ### needs an exponent
1.5x // ### the suffix of a floating-point literal
1..2 // ### the suffix of a floating-point literal
18446744073709551616 // ### does not fit in 64 bits
1'u // ### a ' stands only between digits
L"x" // ### not supported: a literal with a prefix
'' // ### '' holds no character
x # y // ### # stands here for nothing
"abc // ### has no closing quote
---
x @ y // ### the character '@' \(U\+0040\) has no meaning
— // ### the character '—' \(U\+2014\)
`x // ### the character '`'
\ x // ### the character
  /* open // ### this comment does not end
