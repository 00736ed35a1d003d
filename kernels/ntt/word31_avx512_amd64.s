#include "textflag.h"

// The layers of word31_layer.go with AVX-512 F: 16 words of 32 bits in a register. The ranges are those of the twin in Go, word for word.
//
// Throughout, Z31 holds q in every word, K1 selects the even words, and Z4 to Z7 are scratch. A register of factors holds w, another Shoup's s
// of it.

// TIMES2: y = y·w - ⌊y·s/2^32⌋·q, in [0, 2q), for any y; and z likewise with v and r. Of s, the even words are for the even words of y, and
// those of odds for the odd ones, in the places of the even ones; where neighbours have the same factor, odds is s.
// A product of 64 bits takes the even words alone; those of the odd ones are made beside them, and the upper halves of both joined.
// Here and below, two of a kind run side by side, since each waits for most of what it does.
#define TIMES2(y, w, s, odds, z, v, r, oddr) \
	VMOVSHDUP y, Z4;          \ // odd words
	VMOVSHDUP z, Z6;          \
	VPMULUDQ  s, y, Z5;       \ // upper half: ⌊y·s/2^32⌋ of the even words
	VPMULUDQ  r, z, Z7;       \
	VPMULUDQ  odds, Z4, Z4;   \ // upper half: that of the odd words, where it belongs
	VPMULUDQ  oddr, Z6, Z6;   \
	VPMULLD   w, y, y;        \
	VPMULLD   v, z, z;        \
	VMOVSHDUP Z5, K1, Z4;     \ // the others brought to the even words
	VMOVSHDUP Z7, K1, Z6;     \
	VPMULLD   Z31, Z4, Z4;    \
	VPMULLD   Z31, Z6, Z6;    \
	VPSUBD    Z4, y, y;       \
	VPSUBD    Z6, z, z

// REDUCE2: x and u in [0, 2q) to [0, q).
#define REDUCE2(x, u) \
	VPSUBD  Z31, x, Z4; \
	VPSUBD  Z31, u, Z6; \
	VPMINUD Z4, x, x;   \
	VPMINUD Z6, u, u

// FORWARD2: (x, y) = (x + w·y, x - w·y) and (u, z) = (u + v·z, u - v·z): [0, 2q) to [0, 2q).
#define FORWARD2(x, y, w, s, odds, u, z, v, r, oddr) \
	REDUCE2(x, u); \
	TIMES2(y, w, s, odds, z, v, r, oddr); \
	REDUCE2(y, z);       \
	VPADDD Z31, x, Z4;   \
	VPADDD Z31, u, Z6;   \
	VPADDD y, x, x;      \
	VPADDD z, u, u;      \
	VPSUBD y, Z4, y;     \
	VPSUBD z, Z6, z

// FORWARDLAST2: FORWARD2 with results in [0, q).
#define FORWARDLAST2(x, y, w, s, odds, u, z, v, r, oddr) \
	FORWARD2(x, y, w, s, odds, u, z, v, r, oddr); \
	REDUCE2(x, u); \
	REDUCE2(y, z)

// INVERSE2: (x, y) = (x + y, (x - y)·w) and (u, z) = (u + z, (u - z)·v): [0, q) to [0, q).
#define INVERSE2(x, y, w, s, odds, u, z, v, r, oddr) \
	VPADDD Z31, x, Z4; \
	VPADDD Z31, u, Z6; \
	VPADDD y, x, x;    \
	VPADDD z, u, u;    \
	VPSUBD y, Z4, y;   \
	VPSUBD z, Z6, z;   \
	REDUCE2(x, u);     \
	TIMES2(y, w, s, odds, z, v, r, oddr); \
	REDUCE2(y, z)

// CONSTANTS: q and the mask of even words. Clobbers AX.
#define CONSTANTS(q) \
	VPBROADCASTD q, Z31; \
	MOVL  $0x5555, AX;   \
	KMOVW AX, K1

// FACTOR: the word at place of the tables in every word of w and s.
#define FACTOR(wp, sp, w, s) \
	VPBROADCASTD wp, w; \
	VPBROADCASTD sp, s

// func word31DownFirst512(x, w, s *uint32, n int, q uint32)
// The layer of forward with one node, n >= 64.
TEXT ·word31DownFirst512(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ n+24(FP), DX
	CONSTANTS(q+32(FP))
	FACTOR(4(R8), 4(R9), Z16, Z17)
	SHRQ $1, DX           // words of a half
	LEAQ (DI)(DX*4), SI

loop:
	VMOVDQU32 (DI), Z0
	VMOVDQU32 (SI), Z1
	VMOVDQU32 64(DI), Z2
	VMOVDQU32 64(SI), Z3
	FORWARD2(Z0, Z1, Z16, Z17, Z17, Z2, Z3, Z16, Z17, Z17)
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, (SI)
	VMOVDQU32 Z2, 64(DI)
	VMOVDQU32 Z3, 64(SI)
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $32, DX
	JNZ  loop
	VZEROUPPER
	RET

// func word31UpLast512(x, w, s *uint32, n int, q uint32)
// The layer of inverse with one node, n >= 64.
TEXT ·word31UpLast512(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ n+24(FP), DX
	CONSTANTS(q+32(FP))
	FACTOR(4(R8), 4(R9), Z16, Z17)
	SHRQ $1, DX           // words of a half
	LEAQ (DI)(DX*4), SI

loop:
	VMOVDQU32 (DI), Z0
	VMOVDQU32 (SI), Z1
	VMOVDQU32 64(DI), Z2
	VMOVDQU32 64(SI), Z3
	INVERSE2(Z0, Z1, Z16, Z17, Z17, Z2, Z3, Z16, Z17, Z17)
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, (SI)
	VMOVDQU32 Z2, 64(DI)
	VMOVDQU32 Z3, 64(SI)
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $32, DX
	JNZ  loop
	VZEROUPPER
	RET

// PASS sets up a pass of two layers with m and 2m nodes, from x in DI, w in R11, s in R12, n in AX and m in BX, whose blocks are quarters of
// n/(4m) >= 16 words: DI is the block, R10 the bytes of a quarter and R13 of three, R8 and R9 the factors of the layer of m nodes, R11 and R12
// those of 2m nodes, BX the blocks left. Clobbers CX.
#define PASS \
	LEAQ (R11)(BX*4), R8;    \
	LEAQ (R12)(BX*4), R9;    \
	LEAQ (R11)(BX*8), R11;   \
	LEAQ (R12)(BX*8), R12;   \
	BSFQ BX, CX;             \
	SHRQ CX, AX;             \ // words of a block are bytes of a quarter
	MOVQ AX, R10;            \
	LEAQ (R10)(R10*2), R13

// BLOCK loads the factors of the next block: Z16, Z17 of the layer of m nodes, Z18 to Z21 of that of 2m nodes; R14 counts its words.
#define BLOCK \
	FACTOR((R8), (R9), Z16, Z17);      \
	FACTOR((R11), (R12), Z18, Z19);    \
	FACTOR(4(R11), 4(R12), Z20, Z21);  \
	ADDQ $4, R8;  \
	ADDQ $4, R9;  \
	ADDQ $8, R11; \
	ADDQ $8, R12; \
	MOVQ R10, R14

#define LOADQUARTERS \
	VMOVDQU32 (DI), Z0;          \
	VMOVDQU32 (DI)(R10*1), Z1;   \
	VMOVDQU32 (DI)(R10*2), Z2;   \
	VMOVDQU32 (DI)(R13*1), Z3

#define STOREQUARTERS \
	VMOVDQU32 Z0, (DI);          \
	VMOVDQU32 Z1, (DI)(R10*1);   \
	VMOVDQU32 Z2, (DI)(R10*2);   \
	VMOVDQU32 Z3, (DI)(R13*1)

// func word31DownPass512(x, w, s *uint32, n, m int, q uint32)
// The layers of forward with m and 2m nodes, n >= 64m.
TEXT ·word31DownPass512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ s+16(FP), R12
	MOVQ n+24(FP), AX
	MOVQ m+32(FP), BX
	PASS
	CONSTANTS(q+40(FP))

block:
	BLOCK

loop:
	LOADQUARTERS
	FORWARD2(Z0, Z2, Z16, Z17, Z17, Z1, Z3, Z16, Z17, Z17)
	FORWARD2(Z0, Z1, Z18, Z19, Z19, Z2, Z3, Z20, Z21, Z21)
	STOREQUARTERS
	ADDQ $64, DI
	SUBQ $64, R14
	JNZ  loop
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// func word31UpPass512(x, w, s *uint32, n, m int, q uint32)
// The layers of inverse with 2m and m nodes, n >= 64m.
TEXT ·word31UpPass512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ s+16(FP), R12
	MOVQ n+24(FP), AX
	MOVQ m+32(FP), BX
	PASS
	CONSTANTS(q+40(FP))

block:
	BLOCK

loop:
	LOADQUARTERS
	INVERSE2(Z0, Z1, Z18, Z19, Z19, Z2, Z3, Z20, Z21, Z21)
	INVERSE2(Z0, Z2, Z16, Z17, Z17, Z1, Z3, Z16, Z17, Z17)
	STOREQUARTERS
	ADDQ $64, DI
	SUBQ $64, R14
	JNZ  loop
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// The last five layers have blocks of 32, 16, 8, 4 and 2 words. They run on two registers: 32 words that need no others. Before each layer
// the words change places, so that lower halves of blocks are in Z0 and upper ones in the same places of Z1. Written as the numbers of the
// words, four (128 bits) a group, Z0 | Z1 are
//
//	A    0 1 2 3    4 5 6 7     8 9 10 11    12 13 14 15   | 16 … 31                                                layer of 32
//	B    0 1 2 3    4 5 6 7     16 17 18 19  20 21 22 23   | 8 …  12 …  24 …  28 …                                  layer of 16
//	C    0 1 2 3    16 17 18 19 8 9 10 11    24 25 26 27   | 4 …  20 …  12 …  28 …                                  layer of 8
//	D    0 1 4 5    16 17 20 21 8 9 12 13    24 25 28 29   | 2 3 6 7  18 19 22 23  10 11 14 15  26 27 30 31         layer of 4
//	E    0 4 2 6    16 20 18 22 8 12 10 14   24 28 26 30   | 1 5 3 7  17 21 19 23  9 13 11 15   25 29 27 31         layer of 2
//
// Inverse, they go back from E to A; only the layer of 16 has an order of its own,
//
//	B'   0 1 2 3    16 17 18 19 4 5 6 7      20 21 22 23   | 8 …  24 …  12 …  28 …
//
// The factors of blocks lie side by side in the tables, and VPERMD brings each to the places of its block's words.

// Blocks of 16 in B: block 0 in places 0 to 7, block 1 in 8 to 15.
DATA word31Blocks16<>+0(SB)/8, $0x0000000000000000
DATA word31Blocks16<>+8(SB)/8, $0x0000000000000000
DATA word31Blocks16<>+16(SB)/8, $0x0000000000000000
DATA word31Blocks16<>+24(SB)/8, $0x0000000000000000
DATA word31Blocks16<>+32(SB)/8, $0x0000000100000001
DATA word31Blocks16<>+40(SB)/8, $0x0000000100000001
DATA word31Blocks16<>+48(SB)/8, $0x0000000100000001
DATA word31Blocks16<>+56(SB)/8, $0x0000000100000001
GLOBL word31Blocks16<>(SB), RODATA|NOPTR, $64

// Blocks of 16 in B': 0 1 0 1, four places each.
DATA word31Blocks16Up<>+0(SB)/8, $0x0000000000000000
DATA word31Blocks16Up<>+8(SB)/8, $0x0000000000000000
DATA word31Blocks16Up<>+16(SB)/8, $0x0000000100000001
DATA word31Blocks16Up<>+24(SB)/8, $0x0000000100000001
DATA word31Blocks16Up<>+32(SB)/8, $0x0000000000000000
DATA word31Blocks16Up<>+40(SB)/8, $0x0000000000000000
DATA word31Blocks16Up<>+48(SB)/8, $0x0000000100000001
DATA word31Blocks16Up<>+56(SB)/8, $0x0000000100000001
GLOBL word31Blocks16Up<>(SB), RODATA|NOPTR, $64

// Blocks of 8 in C: 0 2 1 3, four places each.
DATA word31Blocks8<>+0(SB)/8, $0x0000000000000000
DATA word31Blocks8<>+8(SB)/8, $0x0000000000000000
DATA word31Blocks8<>+16(SB)/8, $0x0000000200000002
DATA word31Blocks8<>+24(SB)/8, $0x0000000200000002
DATA word31Blocks8<>+32(SB)/8, $0x0000000100000001
DATA word31Blocks8<>+40(SB)/8, $0x0000000100000001
DATA word31Blocks8<>+48(SB)/8, $0x0000000300000003
DATA word31Blocks8<>+56(SB)/8, $0x0000000300000003
GLOBL word31Blocks8<>(SB), RODATA|NOPTR, $64

// Blocks of 4 in D: 0 1 4 5 2 3 6 7, two places each.
DATA word31Blocks4<>+0(SB)/8, $0x0000000000000000
DATA word31Blocks4<>+8(SB)/8, $0x0000000100000001
DATA word31Blocks4<>+16(SB)/8, $0x0000000400000004
DATA word31Blocks4<>+24(SB)/8, $0x0000000500000005
DATA word31Blocks4<>+32(SB)/8, $0x0000000200000002
DATA word31Blocks4<>+40(SB)/8, $0x0000000300000003
DATA word31Blocks4<>+48(SB)/8, $0x0000000600000006
DATA word31Blocks4<>+56(SB)/8, $0x0000000700000007
GLOBL word31Blocks4<>(SB), RODATA|NOPTR, $64

// Blocks of 2 in E: 0 2 1 3, 8 10 9 11, 4 6 5 7, 12 14 13 15.
DATA word31Blocks2<>+0(SB)/8, $0x0000000200000000
DATA word31Blocks2<>+8(SB)/8, $0x0000000300000001
DATA word31Blocks2<>+16(SB)/8, $0x0000000a00000008
DATA word31Blocks2<>+24(SB)/8, $0x0000000b00000009
DATA word31Blocks2<>+32(SB)/8, $0x0000000600000004
DATA word31Blocks2<>+40(SB)/8, $0x0000000700000005
DATA word31Blocks2<>+48(SB)/8, $0x0000000e0000000c
DATA word31Blocks2<>+56(SB)/8, $0x0000000f0000000d
GLOBL word31Blocks2<>(SB), RODATA|NOPTR, $64

// A to E: the words of Z0 in E; those of Z1 are one more. VPERMT2D counts 0 to 15 in its first register and 16 to 31 in its second.
DATA word31FromA<>+0(SB)/8, $0x0000000400000000
DATA word31FromA<>+8(SB)/8, $0x0000000600000002
DATA word31FromA<>+16(SB)/8, $0x0000001400000010
DATA word31FromA<>+24(SB)/8, $0x0000001600000012
DATA word31FromA<>+32(SB)/8, $0x0000000c00000008
DATA word31FromA<>+40(SB)/8, $0x0000000e0000000a
DATA word31FromA<>+48(SB)/8, $0x0000001c00000018
DATA word31FromA<>+56(SB)/8, $0x0000001e0000001a
GLOBL word31FromA<>(SB), RODATA|NOPTR, $64

// E to A: where in E the words 0 to 15 are. Words 16 to 31 are four places further.
// Even words 0 2 4 6 are at 0 2 1 3, and 8 10 12 14 at 8 10 9 11; odd ones 16 places further.
DATA word31ToA<>+0(SB)/8, $0x0000001000000000
DATA word31ToA<>+8(SB)/8, $0x0000001200000002
DATA word31ToA<>+16(SB)/8, $0x0000001100000001
DATA word31ToA<>+24(SB)/8, $0x0000001300000003
DATA word31ToA<>+32(SB)/8, $0x0000001800000008
DATA word31ToA<>+40(SB)/8, $0x0000001a0000000a
DATA word31ToA<>+48(SB)/8, $0x0000001900000009
DATA word31ToA<>+56(SB)/8, $0x0000001b0000000b
GLOBL word31ToA<>(SB), RODATA|NOPTR, $64

// TAIL sets up the last five layers from x in DI, w in AX, s in R13 and n in BX. DI is the next 32 words, BX counts them; R8 to R12 are the
// factors w of the layers with blocks of 32, 16, 8, 4 and 2 words, and R13 bytes further are those of s. Z24 to Z27 are the places of factors.
#define TAIL(blocks16) \
	SUBQ AX, R13;           \
	LEAQ (AX)(BX*2), R12;   \ // place n/2
	LEAQ (AX)(BX*1), R11;   \ // place n/4
	SHRQ $3, BX;            \
	LEAQ (AX)(BX*4), R10;   \ // place n/8
	LEAQ (AX)(BX*2), R9;    \ // place n/16
	LEAQ (AX)(BX*1), R8;    \ // place n/32
	SHRQ $2, BX;            \
	VMOVDQU32 blocks16<>(SB), Z24;      \
	VMOVDQU32 word31Blocks8<>(SB), Z25; \
	VMOVDQU32 word31Blocks4<>(SB), Z26; \
	VMOVDQU32 word31Blocks2<>(SB), Z27

// FACTORS32, 16, 8, 4 and 2 load the factors of a layer whose blocks have so many words, and step on: w and s of the next 32 words to Z10 and
// Z11, and of the 32 words after them to Z12 and Z13.
#define FACTORS32 \
	FACTOR((R8), (R8)(R13*1), Z10, Z11);   \
	FACTOR(4(R8), 4(R8)(R13*1), Z12, Z13); \
	ADDQ $8, R8

#define FACTORS16 \
	VPBROADCASTQ (R9), Z10;         \
	VPBROADCASTQ (R9)(R13*1), Z11;  \
	VPBROADCASTQ 8(R9), Z12;        \
	VPBROADCASTQ 8(R9)(R13*1), Z13; \
	VPERMD Z10, Z24, Z10; \
	VPERMD Z11, Z24, Z11; \
	VPERMD Z12, Z24, Z12; \
	VPERMD Z13, Z24, Z13; \
	ADDQ $16, R9

#define FACTORS8 \
	VBROADCASTI32X4 (R10), Z10;          \
	VBROADCASTI32X4 (R10)(R13*1), Z11;   \
	VBROADCASTI32X4 16(R10), Z12;        \
	VBROADCASTI32X4 16(R10)(R13*1), Z13; \
	VPERMD Z10, Z25, Z10; \
	VPERMD Z11, Z25, Z11; \
	VPERMD Z12, Z25, Z12; \
	VPERMD Z13, Z25, Z13; \
	ADDQ $32, R10

#define FACTORS4 \
	VMOVDQU32 (R11), Y10;          \
	VMOVDQU32 (R11)(R13*1), Y11;   \
	VMOVDQU32 32(R11), Y12;        \
	VMOVDQU32 32(R11)(R13*1), Y13; \
	VPERMD Z10, Z26, Z10; \
	VPERMD Z11, Z26, Z11; \
	VPERMD Z12, Z26, Z12; \
	VPERMD Z13, Z26, Z13; \
	ADDQ $64, R11

// Of blocks of 2, neighbours have factors of their own: Z14 and Z15 are the odd words of Z11 and Z13.
#define FACTORS2 \
	VPERMD (R12), Z27, Z10;          \
	VPERMD (R12)(R13*1), Z27, Z11;   \
	VPERMD 64(R12), Z27, Z12;        \
	VPERMD 64(R12)(R13*1), Z27, Z13; \
	VPSRLQ $32, Z11, Z14; \
	VPSRLQ $32, Z13, Z15; \
	ADDQ $128, R12

// func word31DownTail512(x, w, s *uint32, n int, q uint32)
// The last five layers of forward and the reduction, n >= 64.
TEXT ·word31DownTail512(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ s+16(FP), R13
	MOVQ n+24(FP), BX
	TAIL(word31Blocks16)
	CONSTANTS(q+32(FP))
	VMOVDQU32 word31ToA<>(SB), Z28
	MOVL $4, AX
	VPBROADCASTD AX, Z29
	VPADDD Z28, Z29, Z29

loop:
	VMOVDQU32  (DI), Z0
	VMOVDQU32  64(DI), Z1
	VMOVDQU32  128(DI), Z2
	VMOVDQU32  192(DI), Z3
	FACTORS32
	FORWARD2(Z0, Z1, Z10, Z11, Z11, Z2, Z3, Z12, Z13, Z13)
	VSHUFI64X2 $0x44, Z1, Z0, Z16          // A to B
	VSHUFI64X2 $0xEE, Z1, Z0, Z17
	VSHUFI64X2 $0x44, Z3, Z2, Z18
	VSHUFI64X2 $0xEE, Z3, Z2, Z19
	FACTORS16
	FORWARD2(Z16, Z17, Z10, Z11, Z11, Z18, Z19, Z12, Z13, Z13)
	VSHUFI64X2 $0x88, Z17, Z16, Z0         // B to C
	VSHUFI64X2 $0xDD, Z17, Z16, Z1
	VSHUFI64X2 $0x88, Z19, Z18, Z2
	VSHUFI64X2 $0xDD, Z19, Z18, Z3
	FACTORS8
	FORWARD2(Z0, Z1, Z10, Z11, Z11, Z2, Z3, Z12, Z13, Z13)
	VPUNPCKLQDQ Z1, Z0, Z16                // C to D
	VPUNPCKHQDQ Z1, Z0, Z17
	VPUNPCKLQDQ Z3, Z2, Z18
	VPUNPCKHQDQ Z3, Z2, Z19
	FACTORS4
	FORWARD2(Z16, Z17, Z10, Z11, Z11, Z18, Z19, Z12, Z13, Z13)
	VSHUFPS $0x88, Z17, Z16, Z0            // D to E
	VSHUFPS $0xDD, Z17, Z16, Z1
	VSHUFPS $0x88, Z19, Z18, Z2
	VSHUFPS $0xDD, Z19, Z18, Z3
	FACTORS2
	FORWARDLAST2(Z0, Z1, Z10, Z11, Z14, Z2, Z3, Z12, Z13, Z15)
	VMOVDQA32 Z0, Z16                      // E to A
	VMOVDQA32 Z2, Z18
	VPERMT2D  Z1, Z28, Z0
	VPERMT2D  Z1, Z29, Z16
	VPERMT2D  Z3, Z28, Z2
	VPERMT2D  Z3, Z29, Z18
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z16, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z18, 192(DI)
	ADDQ $256, DI
	SUBQ $2, BX
	JNZ  loop
	VZEROUPPER
	RET

// func word31UpTail512(x, w, s *uint32, n int, q uint32)
// The first five layers of inverse, n >= 64.
TEXT ·word31UpTail512(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ s+16(FP), R13
	MOVQ n+24(FP), BX
	TAIL(word31Blocks16Up)
	CONSTANTS(q+32(FP))
	VMOVDQU32 word31FromA<>(SB), Z28
	MOVL $1, AX
	VPBROADCASTD AX, Z29
	VPADDD Z28, Z29, Z29

loop:
	VMOVDQU32  (DI), Z0
	VMOVDQU32  64(DI), Z1
	VMOVDQU32  128(DI), Z2
	VMOVDQU32  192(DI), Z3
	VMOVDQA32  Z0, Z16                     // A to E
	VMOVDQA32  Z2, Z18
	VPERMT2D   Z1, Z28, Z16
	VPERMT2D   Z1, Z29, Z0
	VPERMT2D   Z3, Z28, Z18
	VPERMT2D   Z3, Z29, Z2
	FACTORS2
	INVERSE2(Z16, Z0, Z10, Z11, Z14, Z18, Z2, Z12, Z13, Z15)
	VPUNPCKLDQ Z0, Z16, Z17                // E to D
	VPUNPCKHDQ Z0, Z16, Z1
	VPUNPCKLDQ Z2, Z18, Z19
	VPUNPCKHDQ Z2, Z18, Z3
	FACTORS4
	INVERSE2(Z17, Z1, Z10, Z11, Z11, Z19, Z3, Z12, Z13, Z13)
	VPUNPCKLQDQ Z1, Z17, Z16               // D to C
	VPUNPCKHQDQ Z1, Z17, Z0
	VPUNPCKLQDQ Z3, Z19, Z18
	VPUNPCKHQDQ Z3, Z19, Z2
	FACTORS8
	INVERSE2(Z16, Z0, Z10, Z11, Z11, Z18, Z2, Z12, Z13, Z13)
	VSHUFI64X2 $0x44, Z0, Z16, Z17         // C to B'
	VSHUFI64X2 $0xEE, Z0, Z16, Z1
	VSHUFI64X2 $0x44, Z2, Z18, Z19
	VSHUFI64X2 $0xEE, Z2, Z18, Z3
	FACTORS16
	INVERSE2(Z17, Z1, Z10, Z11, Z11, Z19, Z3, Z12, Z13, Z13)
	VSHUFI64X2 $0x88, Z1, Z17, Z16         // B' to A
	VSHUFI64X2 $0xDD, Z1, Z17, Z0
	VSHUFI64X2 $0x88, Z3, Z19, Z18
	VSHUFI64X2 $0xDD, Z3, Z19, Z2
	FACTORS32
	INVERSE2(Z16, Z0, Z10, Z11, Z11, Z18, Z2, Z12, Z13, Z13)
	VMOVDQU32 Z16, (DI)
	VMOVDQU32 Z0, 64(DI)
	VMOVDQU32 Z18, 128(DI)
	VMOVDQU32 Z2, 192(DI)
	ADDQ $256, DI
	SUBQ $2, BX
	JNZ  loop
	VZEROUPPER
	RET

// func word31Scale512(x *uint32, n int, w, s, q uint32)
// x·w modulo q, in [0, q), for any words; n a multiple of 32, not 0.
TEXT ·word31Scale512(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), BX
	CONSTANTS(q+24(FP))
	FACTOR(w+16(FP), s+20(FP), Z16, Z17)

loop:
	VMOVDQU32 (DI), Z0
	VMOVDQU32 64(DI), Z1
	TIMES2(Z0, Z16, Z17, Z17, Z1, Z16, Z17, Z17)
	REDUCE2(Z0, Z1)
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 64(DI)
	ADDQ $128, DI
	SUBQ $32, BX
	JNZ  loop
	VZEROUPPER
	RET
