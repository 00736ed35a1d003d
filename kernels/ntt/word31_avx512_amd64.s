#include "textflag.h"

// The layers of word31_layer.go with AVX-512 F: 16 words of 32 bits in a register. The ranges are those of the twin in Go, word for word.
//
// Throughout, Z31 holds q in every word, and Z28 holds -q; K1 selects the even words, and Z8 to Z15 are scratch. Four of a kind run side by side, since each
// waits for most of what it does.

// ODDS4: the odd words of each y at the even places of Z8 to Z11.
#define ODDS4(y0, y1, y2, y3) \
	VMOVSHDUP y0, Z8;  \
	VMOVSHDUP y1, Z9;  \
	VMOVSHDUP y2, Z10; \
	VMOVSHDUP y3, Z11

// EVENS4: the products of the even words of y with factors s, 64 bits each, in Z12 to Z15.
#define EVENS4(times, s0, s1, s2, s3, y0, y1, y2, y3) \
	times s0, y0, Z12; \
	times s1, y1, Z13; \
	times s2, y2, Z14; \
	times s3, y3, Z15

// ODDPRODUCTS4: those of the odd words, which ODDS4 has brought to Z8 to Z11, with the factors at the even places of o.
#define ODDPRODUCTS4(times, o0, o1, o2, o3) \
	times o0, Z8, Z8;   \
	times o1, Z9, Z9;   \
	times o2, Z10, Z10; \
	times o3, Z11, Z11

// LOWS4: y = y·w modulo 2^32.
#define LOWS4(times, w0, w1, w2, w3, y0, y1, y2, y3) \
	times w0, y0, y0; \
	times w1, y1, y1; \
	times w2, y2, y2; \
	times w3, y3, y3

// JOIN4: y less q times the upper halves of the products of EVENS4 and ODDPRODUCTS4, ⌊y·s/2^32⌋: y·w modulo q, in [0, 2q).
#define JOIN4(y0, y1, y2, y3) \
	VMOVSHDUP Z12, K1, Z8;  \ // upper halves of even words to their places; those of odd ones are there
	VMOVSHDUP Z13, K1, Z9;  \
	VMOVSHDUP Z14, K1, Z10; \
	VMOVSHDUP Z15, K1, Z11; \
	VPMULLD Z31, Z8, Z8;    \
	VPMULLD Z31, Z9, Z9;    \
	VPMULLD Z31, Z10, Z10;  \
	VPMULLD Z31, Z11, Z11;  \
	VPSUBD  Z8, y0, y0;     \
	VPSUBD  Z9, y1, y1;     \
	VPSUBD  Z10, y2, y2;    \
	VPSUBD  Z11, y3, y3

// REDUCE4: [0, 2q) to [0, q).
#define REDUCE4(x0, x1, x2, x3) \
	VPSUBD  Z31, x0, Z12; \
	VPSUBD  Z31, x1, Z13; \
	VPSUBD  Z31, x2, Z14; \
	VPSUBD  Z31, x3, Z15; \
	VPMINUD Z12, x0, x0;  \
	VPMINUD Z13, x1, x1;  \
	VPMINUD Z14, x2, x2;  \
	VPMINUD Z15, x3, x3

// CROSS4: (x, y) = (x + y, x + q - y): [0, q) to [0, 2q).
#define CROSS4(x0, x1, x2, x3, y0, y1, y2, y3) \
	VPADDD Z31, x0, Z12; \
	VPADDD Z31, x1, Z13; \
	VPADDD Z31, x2, Z14; \
	VPADDD Z31, x3, Z15; \
	VPADDD y0, x0, x0;   \
	VPADDD y1, x1, x1;   \
	VPADDD y2, x2, x2;   \
	VPADDD y3, x3, x3;   \
	VPSUBD y0, Z12, y0;  \
	VPSUBD y1, Z13, y1;  \
	VPSUBD y2, Z14, y2;  \
	VPSUBD y3, Z15, y3

// TIMES4: y = y·w modulo q, in [0, 2q), for any y. Neighbours have the same factor.
#define TIMES4(w0, s0, w1, s1, w2, s2, w3, s3, y0, y1, y2, y3) \
	ODDS4(y0, y1, y2, y3); \
	EVENS4(VPMULUDQ, s0, s1, s2, s3, y0, y1, y2, y3); \
	ODDPRODUCTS4(VPMULUDQ, s0, s1, s2, s3); \
	LOWS4(VPMULLD, w0, w1, w2, w3, y0, y1, y2, y3); \
	JOIN4(y0, y1, y2, y3)

// REDUCED4: REDUCE4 with x from memory.
#define REDUCED4(m0, m1, m2, m3, x0, x1, x2, x3) \
	VPADDD  m0, Z28, Z12; \
	VPADDD  m1, Z28, Z13; \
	VPADDD  m2, Z28, Z14; \
	VPADDD  m3, Z28, Z15; \
	VPMINUD m0, Z12, x0;  \
	VPMINUD m1, Z13, x1;  \
	VPMINUD m2, Z14, x2;  \
	VPMINUD m3, Z15, x3

// CROSSED4: CROSS4 with y from memory.
#define CROSSED4(m0, m1, m2, m3, x0, x1, x2, x3, y0, y1, y2, y3) \
	VPADDD Z31, x0, Z12; \
	VPADDD Z31, x1, Z13; \
	VPADDD Z31, x2, Z14; \
	VPADDD Z31, x3, Z15; \
	VPADDD m0, x0, x0;   \
	VPADDD m1, x1, x1;   \
	VPADDD m2, x2, x2;   \
	VPADDD m3, x3, x3;   \
	VPSUBD m0, Z12, y0;  \
	VPSUBD m1, Z13, y1;  \
	VPSUBD m2, Z14, y2;  \
	VPSUBD m3, Z15, y3

// FORWARD4: (x, y) = (x + w·y, x - w·y): x in [0, q), all else in [0, 2q). The first two have the factor w0, s0, and the others w1, s1.
#define FORWARD4(w0, s0, w1, s1, x0, x1, x2, x3, y0, y1, y2, y3) \
	TIMES4(w0, s0, w0, s0, w1, s1, w1, s1, y0, y1, y2, y3); \
	REDUCE4(y0, y1, y2, y3); \
	CROSS4(x0, x1, x2, x3, y0, y1, y2, y3)

// INVERSE4: (x, y) = (x, w·y), in [0, q), the end of a butterfly of inverse. Factors as for FORWARD4.
#define INVERSE4(w0, s0, w1, s1, x0, x1, x2, x3, y0, y1, y2, y3) \
	REDUCE4(x0, x1, x2, x3); \
	TIMES4(w0, s0, w0, s0, w1, s1, w1, s1, y0, y1, y2, y3); \
	REDUCE4(y0, y1, y2, y3)

// TIMES2: y = y·w modulo q of two.
#define TIMES2(w, s, y0, y1) \
	VMOVSHDUP y0, Z8;      \
	VMOVSHDUP y1, Z9;      \
	VPMULUDQ  s, y0, Z12;  \
	VPMULUDQ  s, y1, Z13;  \
	VPMULUDQ  s, Z8, Z8;   \
	VPMULUDQ  s, Z9, Z9;   \
	VPMULLD   w, y0, y0;   \
	VPMULLD   w, y1, y1;   \
	VMOVSHDUP Z12, K1, Z8; \
	VMOVSHDUP Z13, K1, Z9; \
	VPMULLD   Z31, Z8, Z8; \
	VPMULLD   Z31, Z9, Z9; \
	VPSUBD    Z8, y0, y0;  \
	VPSUBD    Z9, y1, y1

// CONSTANTS: q, -q and the mask of even words. Clobbers AX.
#define CONSTANTS(q) \
	VPBROADCASTD q, Z31;  \
	VPXORD Z28, Z28, Z28; \
	VPSUBD Z31, Z28, Z28; \
	MOVL  $0x5555, AX;   \
	KMOVW AX, K1

// FACTOR: the word at place of the tables in every word of w and s.
#define FACTOR(wp, sp, w, s) \
	VPBROADCASTD wp, w; \
	VPBROADCASTD sp, s

// LAYER sets up a layer of BX blocks, from x in DI, w in R8, s in R9 and the words of a half in DX: R10 are the bytes of a half. The flags say
// whether the first block has the factor 1.
#define LAYER \
	LEAQ (DX*4), R10; \
	CMPL (R8), $1

#define LOAD4(load, m0, m1, m2, m3, x0, x1, x2, x3) \
	load m0, x0; \
	load m1, x1; \
	load m2, x2; \
	load m3, x3

// STOREHALVES ends with the flags of what is left.
#define STOREHALVES \
	VMOVDQU32 Z0, (DI);    \
	VMOVDQU32 Z1, 64(DI);  \
	VMOVDQU32 Z2, 128(DI); \
	VMOVDQU32 Z3, 192(DI); \
	VMOVDQU32 Z4, (DI)(R10*1);    \
	VMOVDQU32 Z5, 64(DI)(R10*1);  \
	VMOVDQU32 Z6, 128(DI)(R10*1); \
	VMOVDQU32 Z7, 192(DI)(R10*1); \
	ADDQ $256, DI; \
	SUBQ $256, R14

// func word31DownLayers512(x, w, s *uint32, first, blocks, half int, q uint32)
// A layer of forward, or some blocks of it, halves of which are a multiple of 64 words, and those after it down to such halves; first is the place of the
// factors of the first block.
TEXT ·word31DownLayers512(SB), NOSPLIT, $0-52
	MOVQ first+24(FP), R12
	MOVQ blocks+32(FP), R13
	MOVQ half+40(FP), DX
	CONSTANTS(q+48(FP))

layer:
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	LEAQ (R8)(R12*4), R8
	LEAQ (R9)(R12*4), R9
	MOVQ R13, BX
	LAYER
	JNE  block
	MOVQ R10, R14

first:
	LOAD4(VMOVDQU32, (DI), 64(DI), 128(DI), 192(DI), Z0, Z1, Z2, Z3)
	LOAD4(VMOVDQU32, (DI)(R10*1), 64(DI)(R10*1), 128(DI)(R10*1), 192(DI)(R10*1), Z4, Z5, Z6, Z7)
	REDUCE4(Z0, Z1, Z2, Z3)
	REDUCE4(Z4, Z5, Z6, Z7)
	CROSS4(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	STOREHALVES
	JNZ first
	JMP next

block:
	FACTOR((R8), (R9), Z16, Z17)
	MOVQ R10, R14

loop:
	LOAD4(VMOVDQU32, (DI)(R10*1), 64(DI)(R10*1), 128(DI)(R10*1), 192(DI)(R10*1), Z4, Z5, Z6, Z7)
	REDUCED4((DI), 64(DI), 128(DI), 192(DI), Z0, Z1, Z2, Z3)
	FORWARD4(Z16, Z17, Z16, Z17, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	STOREHALVES
	JNZ loop

next:
	ADDQ R10, DI
	ADDQ $4, R8
	ADDQ $4, R9
	DECQ BX
	JNZ  block
	ADDQ R12, R12
	ADDQ R13, R13
	SHRQ $1, DX
	CMPQ DX, $64
	JGE  layer
	VZEROUPPER
	RET

// func word31UpLayer512(x, w, s *uint32, blocks, half int, q uint32)
// A layer of inverse, likewise.
TEXT ·word31UpLayer512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ blocks+24(FP), BX
	MOVQ half+32(FP), DX
	CONSTANTS(q+40(FP))
	LAYER
	JNE  block
	MOVQ R10, R14

first:
	LOAD4(VMOVDQU32, (DI), 64(DI), 128(DI), 192(DI), Z0, Z1, Z2, Z3)
	CROSSED4((DI)(R10*1), 64(DI)(R10*1), 128(DI)(R10*1), 192(DI)(R10*1), Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	REDUCE4(Z0, Z1, Z2, Z3)
	REDUCE4(Z4, Z5, Z6, Z7)
	STOREHALVES
	JNZ first
	JMP next

block:
	FACTOR((R8), (R9), Z16, Z17)
	MOVQ R10, R14

loop:
	LOAD4(VMOVDQU32, (DI), 64(DI), 128(DI), 192(DI), Z0, Z1, Z2, Z3)
	CROSSED4((DI)(R10*1), 64(DI)(R10*1), 128(DI)(R10*1), 192(DI)(R10*1), Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	REDUCE4(Z0, Z1, Z2, Z3)
	INVERSE4(Z16, Z17, Z16, Z17, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	STOREHALVES
	JNZ loop

next:
	ADDQ R10, DI
	ADDQ $4, R8
	ADDQ $4, R9
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// PASS sets up a pass of two layers with m and 2m nodes, from x in DI, w in R11, s in R12, n in DX and m in BX, whose blocks are quarters of
// n/(4m) >= 32 words: DI is the block, R10 the bytes of a quarter and R13 of three, R8 and R9 the factors of the layer of m nodes, R11 and R12
// those of 2m nodes, BX the blocks left. Clobbers CX. The flags say whether the table is cyclic.
#define PASS \
	MOVL 4(R11), AX;         \
	LEAQ (R11)(BX*4), R8;    \
	LEAQ (R12)(BX*4), R9;    \
	LEAQ (R11)(BX*8), R11;   \
	LEAQ (R12)(BX*8), R12;   \
	BSFQ BX, CX;             \
	SHRQ CX, DX;             \ // words of a block are bytes of a quarter
	MOVQ DX, R10;            \
	LEAQ (R10)(R10*2), R13;  \
	CMPL AX, $1

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
	VMOVDQU32 (DI), Z0;            \
	VMOVDQU32 64(DI), Z1;          \
	VMOVDQU32 (DI)(R10*1), Z2;     \
	VMOVDQU32 64(DI)(R10*1), Z3;   \
	VMOVDQU32 (DI)(R10*2), Z4;     \
	VMOVDQU32 64(DI)(R10*2), Z5;   \
	VMOVDQU32 (DI)(R13*1), Z6;     \
	VMOVDQU32 64(DI)(R13*1), Z7

// STOREQUARTERS ends with the flags of what is left of a block.
#define STOREQUARTERS \
	VMOVDQU32 Z0, (DI);            \
	VMOVDQU32 Z1, 64(DI);          \
	VMOVDQU32 Z2, (DI)(R10*1);     \
	VMOVDQU32 Z3, 64(DI)(R10*1);   \
	VMOVDQU32 Z4, (DI)(R10*2);     \
	VMOVDQU32 Z5, 64(DI)(R10*2);   \
	VMOVDQU32 Z6, (DI)(R13*1);     \
	VMOVDQU32 Z7, 64(DI)(R13*1);   \
	ADDQ $128, DI; \
	SUBQ $128, R14

// func word31DownPass512(x, w, s *uint32, n, m int, q uint32)
// The layers of forward with m and 2m nodes, n >= 128m. The first block of a cyclic table has the factors 1, 1 and a fourth root of 1.
TEXT ·word31DownPass512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ s+16(FP), R12
	MOVQ n+24(FP), DX
	MOVQ m+32(FP), BX
	CONSTANTS(q+40(FP))
	PASS
	JNE block
	BLOCK

first:
	LOADQUARTERS
	REDUCE4(Z0, Z1, Z2, Z3)
	REDUCE4(Z4, Z5, Z6, Z7)
	CROSS4(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	REDUCE4(Z0, Z1, Z4, Z5)
	TIMES2(Z20, Z21, Z6, Z7)
	REDUCE4(Z2, Z3, Z6, Z7)
	CROSS4(Z0, Z1, Z4, Z5, Z2, Z3, Z6, Z7)
	STOREQUARTERS
	JNZ first
	JMP next

block:
	BLOCK

loop:
	LOADQUARTERS
	REDUCE4(Z0, Z1, Z2, Z3)
	FORWARD4(Z16, Z17, Z16, Z17, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	REDUCE4(Z0, Z1, Z4, Z5)
	FORWARD4(Z18, Z19, Z20, Z21, Z0, Z1, Z4, Z5, Z2, Z3, Z6, Z7)
	STOREQUARTERS
	JNZ loop

next:
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// func word31UpPass512(x, w, s *uint32, n, m int, q uint32)
// The layers of inverse with 2m and m nodes, n >= 128m. The first block is as in word31DownPass512.
TEXT ·word31UpPass512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ s+16(FP), R12
	MOVQ n+24(FP), DX
	MOVQ m+32(FP), BX
	CONSTANTS(q+40(FP))
	PASS
	JNE block
	BLOCK

first:
	LOADQUARTERS
	CROSS4(Z0, Z1, Z4, Z5, Z2, Z3, Z6, Z7)
	REDUCE4(Z0, Z1, Z4, Z5)
	TIMES2(Z20, Z21, Z6, Z7)
	REDUCE4(Z2, Z3, Z6, Z7)
	CROSS4(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	REDUCE4(Z0, Z1, Z2, Z3)
	REDUCE4(Z4, Z5, Z6, Z7)
	STOREQUARTERS
	JNZ first
	JMP next

block:
	BLOCK

loop:
	LOADQUARTERS
	CROSS4(Z0, Z1, Z4, Z5, Z2, Z3, Z6, Z7)
	REDUCE4(Z0, Z1, Z4, Z5)
	INVERSE4(Z18, Z19, Z20, Z21, Z0, Z1, Z4, Z5, Z2, Z3, Z6, Z7)
	CROSS4(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	REDUCE4(Z0, Z1, Z2, Z3)
	INVERSE4(Z16, Z17, Z16, Z17, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	STOREQUARTERS
	JNZ loop

next:
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// The last six layers have blocks of 64, 32, 16, 8, 4 and 2 words. But for the first they run on pairs of registers: 32 words that need no others. After each
// layer the words of a pair are shuffled as cards are, x_0 y_0 x_1 y_1 …. If a word's number has the bits r l3 l2 l1 l0, r for the register
// and l for the place in it, then
//
//	r l3 l2 l1 l0    are the bits    4 3 2 1 0    of its place in memory in the layer of 32,
//	                                 3 2 1 0 4    in the layer of 16,
//	                                 2 1 0 4 3    in the layer of 8,
//	                                 1 0 4 3 2    in the layer of 4,
//	                                 0 4 3 2 1    in the layer of 2, and 4 3 2 1 0 after it.
//
// So halves of blocks are always in the two registers at the same place, and the lowest bits of the place are the block's number: the factors of the
// blocks, side by side in the tables, come by loads that repeat 1, 2, 4, 8 or 16 words. The inverse takes the cards apart before each layer instead.
//
// A chain of all six layers takes longer than what the processor looks ahead. So each layer runs through a chunk of 1024 words, which stay in the
// first cache, and its butterflies in two steps: the first of one group of two pairs comes before the second of the group before it.

// The places that a shuffle takes its first words from, and eight further its last ones; and those of the inverse, and one further.
// VPERMT2D counts 0 to 15 in its first register and 16 to 31 in its second.
DATA word31Shuffled<>+0(SB)/8, $0x0000001000000000
DATA word31Shuffled<>+8(SB)/8, $0x0000001100000001
DATA word31Shuffled<>+16(SB)/8, $0x0000001200000002
DATA word31Shuffled<>+24(SB)/8, $0x0000001300000003
DATA word31Shuffled<>+32(SB)/8, $0x0000001400000004
DATA word31Shuffled<>+40(SB)/8, $0x0000001500000005
DATA word31Shuffled<>+48(SB)/8, $0x0000001600000006
DATA word31Shuffled<>+56(SB)/8, $0x0000001700000007
GLOBL word31Shuffled<>(SB), RODATA|NOPTR, $64

DATA word31Unshuffled<>+0(SB)/8, $0x0000000200000000
DATA word31Unshuffled<>+8(SB)/8, $0x0000000600000004
DATA word31Unshuffled<>+16(SB)/8, $0x0000000a00000008
DATA word31Unshuffled<>+24(SB)/8, $0x0000000e0000000c
DATA word31Unshuffled<>+32(SB)/8, $0x0000001200000010
DATA word31Unshuffled<>+40(SB)/8, $0x0000001600000014
DATA word31Unshuffled<>+48(SB)/8, $0x0000001a00000018
DATA word31Unshuffled<>+56(SB)/8, $0x0000001e0000001c
GLOBL word31Unshuffled<>(SB), RODATA|NOPTR, $64

// TAIL sets up the last six layers, from x in DI, w in R14, s in R13, n and the number of the first word in BX, and how many words in CX. DI is the next
// chunk and BX counts chunks; DX is what CHUNK counts by. AX and R8 to R12 are the factors w of the layers with blocks of 64, 32, 16, 8, 4 and 2
// words, and R13 bytes further are those of s. Z29 and Z30 are the places of a shuffle, and those further by so much.
#define TAIL(places, further) \
	SUBQ R14, R13;          \
	LEAQ (R14)(BX*2), R12;  \ // place n/2
	LEAQ (R14)(BX*1), R11;  \ // place n/4
	SHRQ $3, BX;            \
	LEAQ (R14)(BX*4), R10;  \ // place n/8
	LEAQ (R14)(BX*2), R9;   \ // place n/16
	LEAQ (R14)(BX*1), R8;   \ // place n/32
	SHRQ $3, BX;            \
	LEAQ (R14)(BX*4), AX;   \ // place n/64
	VMOVDQU32 places<>(SB), Z29; \
	MOVL $further, DX;      \
	VPBROADCASTD DX, Z30;   \
	VPADDD Z29, Z30, Z30;   \
	MOVL $1024, DX;         \
	CMPQ CX, DX;            \
	CMOVQLT CX, DX;         \ // words of a chunk
	MOVQ CX, BX;            \
	BSFQ DX, CX;            \
	SHRQ CX, BX;            \
	SHRQ $7, DX;            \
	DECQ DX

// PRODUCTS64, 32, 16, 8, 4 and 2: u and t become the products of even and odd words of y, the odd ones in t, with s, and y becomes y·w: with the
// factors, from at bytes on, of two pairs of a layer whose blocks have so many words. Of a memory operand that repeats 8 bytes VPMULUDQ
// reads the first 4. Clobbers Z24 and Z25.
#define PRODUCTS64(at, y0, y1, t0, t1, u0, u1) \
	VPMULUDQ.BCST at+0(AX)(R13*1), y0, u0; \
	VPMULUDQ.BCST at+0(AX)(R13*1), y1, u1; \
	VPMULUDQ.BCST at+0(AX)(R13*1), t0, t0; \
	VPMULUDQ.BCST at+0(AX)(R13*1), t1, t1; \
	VPMULLD.BCST at+0(AX), y0, y0; \
	VPMULLD.BCST at+0(AX), y1, y1

#define PRODUCTS32(at, y0, y1, t0, t1, u0, u1) \
	VPMULUDQ.BCST at+0(R8)(R13*1), y0, u0; \
	VPMULUDQ.BCST at+4(R8)(R13*1), y1, u1; \
	VPMULUDQ.BCST at+0(R8)(R13*1), t0, t0; \
	VPMULUDQ.BCST at+4(R8)(R13*1), t1, t1; \
	VPMULLD.BCST at+0(R8), y0, y0; \
	VPMULLD.BCST at+4(R8), y1, y1

#define PRODUCTS16(at, y0, y1, t0, t1, u0, u1) \
	VPMULUDQ.BCST at+0(R9)(R13*1), y0, u0; \
	VPMULUDQ.BCST at+8(R9)(R13*1), y1, u1; \
	VPMULUDQ.BCST at+4(R9)(R13*1), t0, t0; \
	VPMULUDQ.BCST at+12(R9)(R13*1), t1, t1; \
	VPBROADCASTQ at+0(R9), Z24; \
	VPBROADCASTQ at+8(R9), Z25; \
	VPMULLD Z24, y0, y0; \
	VPMULLD Z25, y1, y1

#define PRODUCTS8(at, y0, y1, t0, t1, u0, u1) \
	VBROADCASTI32X4 at+0(R10)(R13*1), u0; \
	VBROADCASTI32X4 at+16(R10)(R13*1), u1; \
	VMOVSHDUP u0, Z24; \
	VMOVSHDUP u1, Z25; \
	VPMULUDQ y0, u0, u0; \
	VPMULUDQ y1, u1, u1; \
	VPMULUDQ Z24, t0, t0; \
	VPMULUDQ Z25, t1, t1; \
	VBROADCASTI32X4 at+0(R10), Z24; \
	VBROADCASTI32X4 at+16(R10), Z25; \
	VPMULLD Z24, y0, y0; \
	VPMULLD Z25, y1, y1

#define PRODUCTS4(at, y0, y1, t0, t1, u0, u1) \
	VBROADCASTI64X4 at+0(R11)(R13*1), u0; \
	VBROADCASTI64X4 at+32(R11)(R13*1), u1; \
	VMOVSHDUP u0, Z24; \
	VMOVSHDUP u1, Z25; \
	VPMULUDQ y0, u0, u0; \
	VPMULUDQ y1, u1, u1; \
	VPMULUDQ Z24, t0, t0; \
	VPMULUDQ Z25, t1, t1; \
	VBROADCASTI64X4 at+0(R11), Z24; \
	VBROADCASTI64X4 at+32(R11), Z25; \
	VPMULLD Z24, y0, y0; \
	VPMULLD Z25, y1, y1

#define PRODUCTS2(at, y0, y1, t0, t1, u0, u1) \
	VMOVDQU32 at+4(R12)(R13*1), Z24; \
	VMOVDQU32 at+68(R12)(R13*1), Z25; \
	VPMULUDQ at+0(R12)(R13*1), y0, u0; \
	VPMULUDQ at+64(R12)(R13*1), y1, u1; \
	VPMULUDQ Z24, t0, t0; \
	VPMULUDQ Z25, t1, t1; \
	VPMULLD at+0(R12), y0, y0; \
	VPMULLD at+64(R12), y1, y1

#define STORE4(at, a, b, c, d) \
	VMOVDQU32 a, at+0(SI); \
	VMOVDQU32 b, at+64(SI); \
	VMOVDQU32 c, at+128(SI); \
	VMOVDQU32 d, at+192(SI)

// SHUFFLE2: x_0 y_0 x_1 y_1 … x_7 y_7 to x, and the rest to u.
#define SHUFFLE2(x0, x1, y0, y1, u0, u1) \
	VMOVDQA32 x0, u0; \
	VMOVDQA32 x1, u1; \
	VPERMT2D y0, Z29, x0; \
	VPERMT2D y1, Z29, x1; \
	VPERMT2D y0, Z30, u0; \
	VPERMT2D y1, Z30, u1

#define REDUCE2(x0, x1, u0, u1) \
	VPSUBD Z31, x0, u0; \
	VPSUBD Z31, x1, u1; \
	VPMINUD u0, x0, x0; \
	VPMINUD u1, x1, x1

#define CROSS2(x0, x1, y0, y1, u0, u1) \
	VPADDD Z31, x0, u0; \
	VPADDD Z31, x1, u1; \
	VPADDD y0, x0, x0; \
	VPADDD y1, x1, x1; \
	VPSUBD y0, u0, y0; \
	VPSUBD y1, u1, y1

#define JOIN2(y0, y1, t0, t1, u0, u1) \
	VMOVSHDUP u0, K1, t0; \
	VMOVSHDUP u1, K1, t1; \
	VPMULLD Z31, t0, t0; \
	VPMULLD Z31, t1, t1; \
	VPSUBD t0, y0, y0; \
	VPSUBD t1, y1, y1

// DOWN and DOWNEND are the two steps of forward's butterflies of two pairs at so many bytes from SI on, with the factors from f bytes on; DOWNLAST is the second one with
// results in [0, q). WHOLE and WHOLEEND do the same to a block of 64 words.
#define DOWN(products, at, f, x0, x1, y0, y1, t0, t1, u0, u1) \
	VMOVDQU32 at+64(SI), y0; \
	VMOVDQU32 at+192(SI), y1; \
	VPADDD at+0(SI), Z28, u0; \
	VPADDD at+128(SI), Z28, u1; \
	VPMINUD at+0(SI), u0, x0; \
	VPMINUD at+128(SI), u1, x1; \
	VMOVSHDUP y0, t0; \
	VMOVSHDUP y1, t1; \
	products(f, y0, y1, t0, t1, u0, u1)

#define WHOLE(products, at, f, x0, x1, y0, y1, t0, t1, u0, u1) \
	VMOVDQU32 at+128(SI), y0; \
	VMOVDQU32 at+192(SI), y1; \
	VPADDD at+0(SI), Z28, u0; \
	VPADDD at+64(SI), Z28, u1; \
	VPMINUD at+0(SI), u0, x0; \
	VPMINUD at+64(SI), u1, x1; \
	VMOVSHDUP y0, t0; \
	VMOVSHDUP y1, t1; \
	products(f, y0, y1, t0, t1, u0, u1)

#define DOWNEND(at, x0, x1, y0, y1, t0, t1, u0, u1) \
	JOIN2(y0, y1, t0, t1, u0, u1); \
	REDUCE2(y0, y1, u0, u1); \
	CROSS2(x0, x1, y0, y1, u0, u1); \
	SHUFFLE2(x0, x1, y0, y1, u0, u1); \
	STORE4(at, x0, u0, x1, u1)

#define WHOLEEND(at, x0, x1, y0, y1, t0, t1, u0, u1) \
	JOIN2(y0, y1, t0, t1, u0, u1); \
	REDUCE2(y0, y1, u0, u1); \
	CROSS2(x0, x1, y0, y1, u0, u1); \
	STORE4(at, x0, x1, y0, y1)

#define DOWNLAST(at, x0, x1, y0, y1, t0, t1, u0, u1) \
	JOIN2(y0, y1, t0, t1, u0, u1); \
	REDUCE2(y0, y1, u0, u1); \
	VPSUBD y0, x0, t0; \
	VPSUBD y1, x1, t1; \
	VPADDD y0, x0, x0; \
	VPADDD y1, x1, x1; \
	VPADDD Z31, t0, y0; \
	VPADDD Z31, t1, y1; \
	VPSUBD Z31, x0, u0; \
	VPSUBD Z31, x1, u1; \
	VPMINUD t0, y0, y0; \
	VPMINUD t1, y1, y1; \
	VPMINUD u0, x0, x0; \
	VPMINUD u1, x1, x1; \
	SHUFFLE2(x0, x1, y0, y1, u0, u1); \
	STORE4(at, x0, u0, x1, u1)

// UP and UPEND, UPWHOLE and UPWHOLEEND: those of inverse.
#define UP(products, at, f, x0, x1, y0, y1, t0, t1, u0, u1) \
	VMOVDQU32 at+0(SI), x0; \
	VMOVDQU32 at+128(SI), x1; \
	VMOVDQA32 x0, y0; \
	VMOVDQA32 x1, y1; \
	VPERMT2D at+64(SI), Z29, x0; \
	VPERMT2D at+192(SI), Z29, x1; \
	VPERMT2D at+64(SI), Z30, y0; \
	VPERMT2D at+192(SI), Z30, y1; \
	CROSS2(x0, x1, y0, y1, u0, u1); \
	VMOVSHDUP y0, t0; \
	VMOVSHDUP y1, t1; \
	REDUCE2(x0, x1, u0, u1); \
	products(f, y0, y1, t0, t1, u0, u1)

#define UPWHOLE(products, at, f, x0, x1, y0, y1, t0, t1, u0, u1) \
	VMOVDQU32 at+0(SI), x0; \
	VMOVDQU32 at+64(SI), x1; \
	VPADDD Z31, x0, u0; \
	VPADDD Z31, x1, u1; \
	VPADDD at+128(SI), x0, x0; \
	VPADDD at+192(SI), x1, x1; \
	VPSUBD at+128(SI), u0, y0; \
	VPSUBD at+192(SI), u1, y1; \
	VMOVSHDUP y0, t0; \
	VMOVSHDUP y1, t1; \
	REDUCE2(x0, x1, u0, u1); \
	products(f, y0, y1, t0, t1, u0, u1)

#define UPEND(at, x0, x1, y0, y1, t0, t1, u0, u1) \
	JOIN2(y0, y1, t0, t1, u0, u1); \
	REDUCE2(y0, y1, u0, u1); \
	STORE4(at, x0, y0, x1, y1)

#define UPWHOLEEND(at, x0, x1, y0, y1, t0, t1, u0, u1) \
	JOIN2(y0, y1, t0, t1, u0, u1); \
	REDUCE2(y0, y1, u0, u1); \
	STORE4(at, x0, x1, y0, y1)

// CHUNK runs a layer through a chunk of 2·(DX+1) groups of two pairs; its factors are from p on, and those of a group have so many bytes.
#define CHUNK(loop, end, first, products, bytes, p, second) \
	MOVQ DI, SI;  \
	first(products, 0, 0, Z0, Z1, Z4, Z5, Z8, Z9, Z12, Z13); \
	MOVQ DX, CX;  \
	TESTQ CX, CX; \
	JZ end;       \
loop:; \
	first(products, 256, bytes, Z2, Z3, Z6, Z7, Z10, Z11, Z14, Z15); \
	second(0, Z0, Z1, Z4, Z5, Z8, Z9, Z12, Z13); \
	ADDQ $512, SI;     \
	ADDQ $(2*bytes), p; \
	first(products, 0, 0, Z0, Z1, Z4, Z5, Z8, Z9, Z12, Z13); \
	second(-256, Z2, Z3, Z6, Z7, Z10, Z11, Z14, Z15); \
	DECQ CX;  \
	JNZ loop; \
end:; \
	first(products, 256, bytes, Z2, Z3, Z6, Z7, Z10, Z11, Z14, Z15); \
	second(0, Z0, Z1, Z4, Z5, Z8, Z9, Z12, Z13);   \
	second(256, Z2, Z3, Z6, Z7, Z10, Z11, Z14, Z15); \
	ADDQ $512, SI; \
	ADDQ $(2*bytes), p

// func word31DownTail512(x, w, s *uint32, place, n int, q uint32)
// The last six layers of forward and the reduction, of n words, n >= 128 a power of two. place is the size of the transform and the number of the
// first word.
TEXT ·word31DownTail512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R14
	MOVQ s+16(FP), R13
	MOVQ place+24(FP), BX
	MOVQ n+32(FP), CX
	CONSTANTS(q+40(FP))
	TAIL(word31Shuffled, 8)

chunk:
	CHUNK(loop64, end64, WHOLE, PRODUCTS64, 4, AX, WHOLEEND)
	CHUNK(loop32, end32, DOWN, PRODUCTS32, 8, R8, DOWNEND)
	CHUNK(loop16, end16, DOWN, PRODUCTS16, 16, R9, DOWNEND)
	CHUNK(loop8, end8, DOWN, PRODUCTS8, 32, R10, DOWNEND)
	CHUNK(loop4, end4, DOWN, PRODUCTS4, 64, R11, DOWNEND)
	CHUNK(loop2, end2, DOWN, PRODUCTS2, 128, R12, DOWNLAST)
	MOVQ SI, DI
	DECQ BX
	JNZ  chunk
	VZEROUPPER
	RET

// func word31UpTail512(x, w, s *uint32, place, n int, q uint32)
// The first six layers of inverse, likewise.
TEXT ·word31UpTail512(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R14
	MOVQ s+16(FP), R13
	MOVQ place+24(FP), BX
	MOVQ n+32(FP), CX
	CONSTANTS(q+40(FP))
	TAIL(word31Unshuffled, 1)

chunk:
	CHUNK(loop2, end2, UP, PRODUCTS2, 128, R12, UPEND)
	CHUNK(loop4, end4, UP, PRODUCTS4, 64, R11, UPEND)
	CHUNK(loop8, end8, UP, PRODUCTS8, 32, R10, UPEND)
	CHUNK(loop16, end16, UP, PRODUCTS16, 16, R9, UPEND)
	CHUNK(loop32, end32, UP, PRODUCTS32, 8, R8, UPEND)
	CHUNK(loop64, end64, UPWHOLE, PRODUCTS64, 4, AX, UPWHOLEEND)
	MOVQ SI, DI
	DECQ BX
	JNZ  chunk
	VZEROUPPER
	RET

// func word31Scale512(x *uint32, n int, w, s, q uint32)
// x·w modulo q, in [0, q), for any words; n a multiple of 64, not 0.
TEXT ·word31Scale512(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), BX
	CONSTANTS(q+24(FP))
	FACTOR(w+16(FP), s+20(FP), Z16, Z17)

loop:
	VMOVDQU32 (DI), Z0
	VMOVDQU32 64(DI), Z1
	VMOVDQU32 128(DI), Z2
	VMOVDQU32 192(DI), Z3
	TIMES4(Z16, Z17, Z16, Z17, Z16, Z17, Z16, Z17, Z0, Z1, Z2, Z3)
	REDUCE4(Z0, Z1, Z2, Z3)
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, 128(DI)
	VMOVDQU32 Z3, 192(DI)
	ADDQ $256, DI
	SUBQ $64, BX
	JNZ  loop
	VZEROUPPER
	RET
