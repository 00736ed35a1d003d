#include "textflag.h"

// The layers of goldilocks_layer.go with AVX-512 F: 8 words of 64 bits in a register, all in [0, q), q = 2^64 - 2^32 + 1.
//
// Throughout, Z31 holds q in every word, Z30 holds 2^32 - 1, K1 selects the odd halves of words, and Z4 to Z11, K2 and K3 are scratch. A factor w
// is beside its upper half, w>>32.

// SUBTRACT: d = a - b modulo q, for a and b in [0, q]: where it borrows, subtracting 2^32 - 1 is adding q. d may be a or b.
#define SUBTRACT(a, b, d, k) \
	VPCMPUQ $1, b, a, k; \ // a < b
	VPSUBQ  b, a, d;     \
	VPSUBQ  Z30, d, k, d

// TIMES2: y = y·w modulo q, in [0, q), for any y; and z likewise with v. wh and vh are the upper halves of w and v.
// Four products of halves make y·w = l + 2^64·(a + 2^32·b); l - b - (q - (2^32-1)·a) is goldilocksTimes' sum, whose comment tells why it is in
// range.
#define TIMES2(y, w, wh, z, v, vh) \
	VMOVSHDUP y, Z4;           \
	VMOVSHDUP z, Z8;           \
	VPMULUDQ  w, y, Z5;        \ // lower·lower
	VPMULUDQ  v, z, Z9;        \
	VPMULUDQ  w, Z4, Z7;       \ // upper·lower
	VPMULUDQ  v, Z8, Z11;      \
	VPMULUDQ  wh, y, Z6;       \ // lower·upper
	VPMULUDQ  vh, z, Z10;      \
	VPMULUDQ  wh, Z4, Z4;      \ // upper·upper
	VPMULUDQ  vh, Z8, Z8;      \
	VPSRLQ    $32, Z5, y;      \
	VPSRLQ    $32, Z9, z;      \
	VPADDQ    y, Z7, Z7;       \ // below 2^64: (2^32-1)² + 2^32 - 1
	VPADDQ    z, Z11, Z11;     \
	VPANDQ    Z30, Z7, y;      \
	VPANDQ    Z30, Z11, z;     \
	VPADDQ    y, Z6, Z6;       \ // as before
	VPADDQ    z, Z10, Z10;     \
	VPSRLQ    $32, Z7, Z7;     \
	VPSRLQ    $32, Z11, Z11;   \
	VPADDQ    Z7, Z4, Z4;      \
	VPADDQ    Z11, Z8, Z8;     \
	VMOVSLDUP Z6, K1, Z5;      \ // l
	VMOVSLDUP Z10, K1, Z9;     \
	VPSRLQ    $32, Z6, Z6;     \
	VPSRLQ    $32, Z10, Z10;   \
	VPADDQ    Z6, Z4, Z4;      \ // a + 2^32·b
	VPADDQ    Z10, Z8, Z8;     \
	VPSRLQ    $32, Z4, Z6;     \ // b
	VPSRLQ    $32, Z8, Z10;    \
	VPMULUDQ  Z30, Z4, Z7;     \ // (2^32-1)·a
	VPMULUDQ  Z30, Z8, Z11;    \
	SUBTRACT(Z5, Z6, Z5, K2);  \
	SUBTRACT(Z9, Z10, Z9, K3); \
	VPSUBQ    Z7, Z31, Z7;     \
	VPSUBQ    Z11, Z31, Z11;   \
	SUBTRACT(Z5, Z7, y, K2);   \
	SUBTRACT(Z9, Z11, z, K3)

// SUM2: (x, y) = (x + y, x - y) and (u, z) = (u + z, u - z).
#define SUM2(x, y, u, z) \
	VPSUBQ y, Z31, Z4;     \
	VPSUBQ z, Z31, Z8;     \
	SUBTRACT(x, y, y, K2); \
	SUBTRACT(u, z, z, K3); \
	SUBTRACT(x, Z4, x, K2); \
	SUBTRACT(u, Z8, u, K3)

// FORWARD2: (x, y) = (x + w·y, x - w·y) and (u, z) = (u + v·z, u - v·z).
#define FORWARD2(x, y, w, wh, u, z, v, vh) \
	TIMES2(y, w, wh, z, v, vh); \
	SUM2(x, y, u, z)

// INVERSE2: (x, y) = (x + y, (x - y)·w) and (u, z) = (u + z, (u - z)·v).
#define INVERSE2(x, y, w, wh, u, z, v, vh) \
	SUM2(x, y, u, z); \
	TIMES2(y, w, wh, z, v, vh)

// CONSTANTS: q, 2^32 - 1 and the mask. Clobbers AX.
#define CONSTANTS \
	MOVQ $0xFFFFFFFF00000001, AX; \
	VPBROADCASTQ AX, Z31;         \
	MOVL $0xFFFFFFFF, AX;         \
	VPBROADCASTQ AX, Z30;         \
	MOVL $0xAAAA, AX;             \
	KMOVW AX, K1

// FACTOR: the factor at wp in every word of w, and its upper half.
#define FACTOR(wp, w, wh) \
	VPBROADCASTQ wp, w; \
	VPSRLQ $32, w, wh

// func goldilocksDownFirst512(x, w *uint64, n int)
// The layer of forward with one node, n >= 32.
TEXT ·goldilocksDownFirst512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ n+16(FP), DX
	CONSTANTS
	FACTOR(8(R8), Z16, Z17)
	SHRQ $1, DX           // words of a half
	LEAQ (DI)(DX*8), SI

loop:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (SI), Z1
	VMOVDQU64 64(DI), Z2
	VMOVDQU64 64(SI), Z3
	FORWARD2(Z0, Z1, Z16, Z17, Z2, Z3, Z16, Z17)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (SI)
	VMOVDQU64 Z2, 64(DI)
	VMOVDQU64 Z3, 64(SI)
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $16, DX
	JNZ  loop
	VZEROUPPER
	RET

// func goldilocksUpLast512(x, w *uint64, n int)
// The layer of inverse with one node, n >= 32.
TEXT ·goldilocksUpLast512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ n+16(FP), DX
	CONSTANTS
	FACTOR(8(R8), Z16, Z17)
	SHRQ $1, DX           // words of a half
	LEAQ (DI)(DX*8), SI

loop:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (SI), Z1
	VMOVDQU64 64(DI), Z2
	VMOVDQU64 64(SI), Z3
	INVERSE2(Z0, Z1, Z16, Z17, Z2, Z3, Z16, Z17)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (SI)
	VMOVDQU64 Z2, 64(DI)
	VMOVDQU64 Z3, 64(SI)
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $16, DX
	JNZ  loop
	VZEROUPPER
	RET

// PASS sets up a pass of two layers with m and 2m nodes, from x in DI, w in R11, n in AX and m in BX, whose blocks are quarters of
// n/(4m) >= 8 words: DI is the block, R10 the bytes of a quarter and R13 of three, R8 the factors of the layer of m nodes, R11 those of 2m nodes,
// BX the blocks left. Clobbers CX.
#define PASS \
	LEAQ (R11)(BX*8), R8;   \
	LEAQ (R8)(BX*8), R11;   \
	BSFQ BX, CX;            \
	SHRQ CX, AX;            \
	LEAQ (AX)(AX*1), R10;   \ // words of a block, twice, are bytes of a quarter
	LEAQ (R10)(R10*2), R13

// BLOCK loads the factors of the next block: Z16, Z17 of the layer of m nodes, Z18 to Z21 of that of 2m nodes; R14 counts its bytes.
#define BLOCK \
	FACTOR((R8), Z16, Z17);   \
	FACTOR((R11), Z18, Z19);  \
	FACTOR(8(R11), Z20, Z21); \
	ADDQ $8, R8;   \
	ADDQ $16, R11; \
	MOVQ R10, R14

// func goldilocksDownPass512(x, w *uint64, n, m int)
// The layers of forward with m and 2m nodes, n >= 32m.
TEXT ·goldilocksDownPass512(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ n+16(FP), AX
	MOVQ m+24(FP), BX
	PASS
	CONSTANTS

block:
	BLOCK

loop:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(R10*1), Z1
	VMOVDQU64 (DI)(R10*2), Z2
	VMOVDQU64 (DI)(R13*1), Z3
	FORWARD2(Z0, Z2, Z16, Z17, Z1, Z3, Z16, Z17)
	FORWARD2(Z0, Z1, Z18, Z19, Z2, Z3, Z20, Z21)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (DI)(R10*1)
	VMOVDQU64 Z2, (DI)(R10*2)
	VMOVDQU64 Z3, (DI)(R13*1)
	ADDQ $64, DI
	SUBQ $64, R14
	JNZ  loop
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// func goldilocksUpPass512(x, w *uint64, n, m int)
// The layers of inverse with 2m and m nodes, n >= 32m.
TEXT ·goldilocksUpPass512(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ n+16(FP), AX
	MOVQ m+24(FP), BX
	PASS
	CONSTANTS

block:
	BLOCK

loop:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(R10*1), Z1
	VMOVDQU64 (DI)(R10*2), Z2
	VMOVDQU64 (DI)(R13*1), Z3
	INVERSE2(Z0, Z1, Z18, Z19, Z2, Z3, Z20, Z21)
	INVERSE2(Z0, Z2, Z16, Z17, Z1, Z3, Z16, Z17)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (DI)(R10*1)
	VMOVDQU64 Z2, (DI)(R10*2)
	VMOVDQU64 Z3, (DI)(R13*1)
	ADDQ $64, DI
	SUBQ $64, R14
	JNZ  loop
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// The last four layers have blocks of 16, 8, 4 and 2 words. They run on two registers: 16 words that need no others. Before each layer the words
// change places, so that lower halves of blocks are in one register and upper ones in the same places of the other. Written as the numbers of
// the words, two (128 bits) a group, the two registers are
//
//	A    0 1   2 3    4 5   6 7      | 8 9   10 11  12 13  14 15     layer of 16
//	B    0 1   2 3    8 9   10 11    | 4 5   6 7    12 13  14 15     layer of 8
//	C    0 1   8 9    4 5   12 13    | 2 3   10 11  6 7    14 15     layer of 4
//	D    0 2   8 10   4 6   12 14    | 1 3   9 11   5 7    13 15     layer of 2
//
// Inverse, they go back from D to A; only the layer of 8 has an order of its own,
//
//	B'   0 1   8 9    2 3   10 11    | 4 5   12 13  6 7    14 15
//
// The factors of blocks lie side by side in the table, and VPERMQ brings each to the places of its block's words.

// Blocks of 8 in B.
DATA goldilocksBlocks8<>+0(SB)/8, $0
DATA goldilocksBlocks8<>+8(SB)/8, $0
DATA goldilocksBlocks8<>+16(SB)/8, $0
DATA goldilocksBlocks8<>+24(SB)/8, $0
DATA goldilocksBlocks8<>+32(SB)/8, $1
DATA goldilocksBlocks8<>+40(SB)/8, $1
DATA goldilocksBlocks8<>+48(SB)/8, $1
DATA goldilocksBlocks8<>+56(SB)/8, $1
GLOBL goldilocksBlocks8<>(SB), RODATA|NOPTR, $64

// Blocks of 8 in B'.
DATA goldilocksBlocks8Up<>+0(SB)/8, $0
DATA goldilocksBlocks8Up<>+8(SB)/8, $0
DATA goldilocksBlocks8Up<>+16(SB)/8, $1
DATA goldilocksBlocks8Up<>+24(SB)/8, $1
DATA goldilocksBlocks8Up<>+32(SB)/8, $0
DATA goldilocksBlocks8Up<>+40(SB)/8, $0
DATA goldilocksBlocks8Up<>+48(SB)/8, $1
DATA goldilocksBlocks8Up<>+56(SB)/8, $1
GLOBL goldilocksBlocks8Up<>(SB), RODATA|NOPTR, $64

// Blocks of 4 in C.
DATA goldilocksBlocks4<>+0(SB)/8, $0
DATA goldilocksBlocks4<>+8(SB)/8, $0
DATA goldilocksBlocks4<>+16(SB)/8, $2
DATA goldilocksBlocks4<>+24(SB)/8, $2
DATA goldilocksBlocks4<>+32(SB)/8, $1
DATA goldilocksBlocks4<>+40(SB)/8, $1
DATA goldilocksBlocks4<>+48(SB)/8, $3
DATA goldilocksBlocks4<>+56(SB)/8, $3
GLOBL goldilocksBlocks4<>(SB), RODATA|NOPTR, $64

// Blocks of 2 in D.
DATA goldilocksBlocks2<>+0(SB)/8, $0
DATA goldilocksBlocks2<>+8(SB)/8, $1
DATA goldilocksBlocks2<>+16(SB)/8, $4
DATA goldilocksBlocks2<>+24(SB)/8, $5
DATA goldilocksBlocks2<>+32(SB)/8, $2
DATA goldilocksBlocks2<>+40(SB)/8, $3
DATA goldilocksBlocks2<>+48(SB)/8, $6
DATA goldilocksBlocks2<>+56(SB)/8, $7
GLOBL goldilocksBlocks2<>(SB), RODATA|NOPTR, $64

// A to D: the words of the first register in D; those of the second are one more.
DATA goldilocksFromA<>+0(SB)/8, $0
DATA goldilocksFromA<>+8(SB)/8, $2
DATA goldilocksFromA<>+16(SB)/8, $8
DATA goldilocksFromA<>+24(SB)/8, $10
DATA goldilocksFromA<>+32(SB)/8, $4
DATA goldilocksFromA<>+40(SB)/8, $6
DATA goldilocksFromA<>+48(SB)/8, $12
DATA goldilocksFromA<>+56(SB)/8, $14
GLOBL goldilocksFromA<>(SB), RODATA|NOPTR, $64

// D to A: where in D the words 0 to 7 are; words 8 to 15 are two places further. VPERMT2Q counts 8 to 15 in its second register.
DATA goldilocksToA<>+0(SB)/8, $0
DATA goldilocksToA<>+8(SB)/8, $8
DATA goldilocksToA<>+16(SB)/8, $1
DATA goldilocksToA<>+24(SB)/8, $9
DATA goldilocksToA<>+32(SB)/8, $4
DATA goldilocksToA<>+40(SB)/8, $12
DATA goldilocksToA<>+48(SB)/8, $5
DATA goldilocksToA<>+56(SB)/8, $13
GLOBL goldilocksToA<>(SB), RODATA|NOPTR, $64

// TAIL sets up the last four layers from x in DI, w in AX and n in BX. DI is the next 32 words, BX counts them; R9 to R12 are the factors of the
// layers with blocks of 16, 8, 4 and 2 words. Z24 to Z26 are the places of factors.
#define TAIL(blocks8) \
	LEAQ (AX)(BX*4), R12; \ // place n/2
	LEAQ (AX)(BX*2), R11; \ // place n/4
	LEAQ (AX)(BX*1), R10; \ // place n/8
	SHRQ $4, BX;          \
	LEAQ (AX)(BX*8), R9;  \ // place n/16
	SHRQ $1, BX;          \
	VMOVDQU64 blocks8<>(SB), Z24;           \
	VMOVDQU64 goldilocksBlocks4<>(SB), Z25; \
	VMOVDQU64 goldilocksBlocks2<>(SB), Z26

// FACTORS16, 8, 4 and 2 load the factors of a layer whose blocks have so many words, and step on: of the next 16 words to Z12 with the upper
// halves in Z13, and of the 16 words after them to Z14 and Z15.
#define UPPERHALVES \
	VPSRLQ $32, Z12, Z13; \
	VPSRLQ $32, Z14, Z15

#define FACTORS16 \
	VPBROADCASTQ (R9), Z12;  \
	VPBROADCASTQ 8(R9), Z14; \
	UPPERHALVES;             \
	ADDQ $16, R9

#define FACTORS8 \
	VBROADCASTI64X2 (R10), Z12;   \
	VBROADCASTI64X2 16(R10), Z14; \
	VPERMQ Z12, Z24, Z12;         \
	VPERMQ Z14, Z24, Z14;         \
	UPPERHALVES;                  \
	ADDQ $32, R10

#define FACTORS4 \
	VMOVDQU64 (R11), Y12;   \
	VMOVDQU64 32(R11), Y14; \
	VPERMQ Z12, Z25, Z12;   \
	VPERMQ Z14, Z25, Z14;   \
	UPPERHALVES;            \
	ADDQ $64, R11

#define FACTORS2 \
	VPERMQ (R12), Z26, Z12;   \
	VPERMQ 64(R12), Z26, Z14; \
	UPPERHALVES;              \
	ADDQ $128, R12

// func goldilocksDownTail512(x, w *uint64, n int)
// The last four layers of forward, n >= 32.
TEXT ·goldilocksDownTail512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ n+16(FP), BX
	TAIL(goldilocksBlocks8)
	VMOVDQU64 goldilocksToA<>(SB), Z28
	MOVL $2, AX
	VPBROADCASTQ AX, Z29
	VPADDQ Z28, Z29, Z29
	CONSTANTS

loop:
	VMOVDQU64  (DI), Z0
	VMOVDQU64  64(DI), Z1
	VMOVDQU64  128(DI), Z2
	VMOVDQU64  192(DI), Z3
	FACTORS16
	FORWARD2(Z0, Z1, Z12, Z13, Z2, Z3, Z14, Z15)
	VSHUFI64X2 $0x44, Z1, Z0, Z16          // A to B
	VSHUFI64X2 $0xEE, Z1, Z0, Z17
	VSHUFI64X2 $0x44, Z3, Z2, Z18
	VSHUFI64X2 $0xEE, Z3, Z2, Z19
	FACTORS8
	FORWARD2(Z16, Z17, Z12, Z13, Z18, Z19, Z14, Z15)
	VSHUFI64X2 $0x88, Z17, Z16, Z0         // B to C
	VSHUFI64X2 $0xDD, Z17, Z16, Z1
	VSHUFI64X2 $0x88, Z19, Z18, Z2
	VSHUFI64X2 $0xDD, Z19, Z18, Z3
	FACTORS4
	FORWARD2(Z0, Z1, Z12, Z13, Z2, Z3, Z14, Z15)
	VPUNPCKLQDQ Z1, Z0, Z16                // C to D
	VPUNPCKHQDQ Z1, Z0, Z17
	VPUNPCKLQDQ Z3, Z2, Z18
	VPUNPCKHQDQ Z3, Z2, Z19
	FACTORS2
	FORWARD2(Z16, Z17, Z12, Z13, Z18, Z19, Z14, Z15)
	VMOVDQA64 Z16, Z0                      // D to A
	VMOVDQA64 Z18, Z2
	VPERMT2Q  Z17, Z28, Z16
	VPERMT2Q  Z17, Z29, Z0
	VPERMT2Q  Z19, Z28, Z18
	VPERMT2Q  Z19, Z29, Z2
	VMOVDQU64 Z16, (DI)
	VMOVDQU64 Z0, 64(DI)
	VMOVDQU64 Z18, 128(DI)
	VMOVDQU64 Z2, 192(DI)
	ADDQ $256, DI
	DECQ BX
	JNZ  loop
	VZEROUPPER
	RET

// func goldilocksUpTail512(x, w *uint64, n int)
// The first four layers of inverse, n >= 32.
TEXT ·goldilocksUpTail512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ n+16(FP), BX
	TAIL(goldilocksBlocks8Up)
	VMOVDQU64 goldilocksFromA<>(SB), Z28
	MOVL $1, AX
	VPBROADCASTQ AX, Z29
	VPADDQ Z28, Z29, Z29
	CONSTANTS

loop:
	VMOVDQU64  (DI), Z0
	VMOVDQU64  64(DI), Z1
	VMOVDQU64  128(DI), Z2
	VMOVDQU64  192(DI), Z3
	VMOVDQA64  Z0, Z16                     // A to D
	VMOVDQA64  Z2, Z18
	VPERMT2Q   Z1, Z28, Z16
	VPERMT2Q   Z1, Z29, Z0
	VPERMT2Q   Z3, Z28, Z18
	VPERMT2Q   Z3, Z29, Z2
	FACTORS2
	INVERSE2(Z16, Z0, Z12, Z13, Z18, Z2, Z14, Z15)
	VPUNPCKLQDQ Z0, Z16, Z17               // D to C
	VPUNPCKHQDQ Z0, Z16, Z1
	VPUNPCKLQDQ Z2, Z18, Z19
	VPUNPCKHQDQ Z2, Z18, Z3
	FACTORS4
	INVERSE2(Z17, Z1, Z12, Z13, Z19, Z3, Z14, Z15)
	VSHUFI64X2 $0x44, Z1, Z17, Z16         // C to B'
	VSHUFI64X2 $0xEE, Z1, Z17, Z0
	VSHUFI64X2 $0x44, Z3, Z19, Z18
	VSHUFI64X2 $0xEE, Z3, Z19, Z2
	FACTORS8
	INVERSE2(Z16, Z0, Z12, Z13, Z18, Z2, Z14, Z15)
	VSHUFI64X2 $0x88, Z0, Z16, Z17         // B' to A
	VSHUFI64X2 $0xDD, Z0, Z16, Z1
	VSHUFI64X2 $0x88, Z2, Z18, Z19
	VSHUFI64X2 $0xDD, Z2, Z18, Z3
	FACTORS16
	INVERSE2(Z17, Z1, Z12, Z13, Z19, Z3, Z14, Z15)
	VMOVDQU64 Z17, (DI)
	VMOVDQU64 Z1, 64(DI)
	VMOVDQU64 Z19, 128(DI)
	VMOVDQU64 Z3, 192(DI)
	ADDQ $256, DI
	DECQ BX
	JNZ  loop
	VZEROUPPER
	RET

// func goldilocksScale512(x *uint64, n int, w uint64)
// x·w modulo q, in [0, q), for any words; n a multiple of 16, not 0.
TEXT ·goldilocksScale512(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), BX
	FACTOR(w+16(FP), Z16, Z17)
	CONSTANTS

loop:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 64(DI), Z1
	TIMES2(Z0, Z16, Z17, Z1, Z16, Z17)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	ADDQ $128, DI
	SUBQ $16, BX
	JNZ  loop
	VZEROUPPER
	RET
