#include "textflag.h"

// The layers of word31_layer.go with AVX2: 8 words of 32 bits in a register. The ranges are those of the twin in Go, word for word.
//
// Throughout, Y15 holds q in every word, and Y4 to Y7 are scratch. A register of factors holds w, another Shoup's s of it. What macros share
// with those for AVX-512, word31_avx512_amd64.s tells.

// TIMES2: y = y·w - ⌊y·s/2^32⌋·q, in [0, 2q), for any y; and z likewise with v and r. Of s, the even words are for the even words of y, and
// those of odds for the odd ones, in the places of the even ones; where neighbours have the same factor, odds is s.
#define TIMES2(y, w, s, odds, z, v, r, oddr) \
	VMOVSHDUP y, Y4;          \ // odd words
	VMOVSHDUP z, Y6;          \
	VPMULUDQ  s, y, Y5;       \ // upper half: ⌊y·s/2^32⌋ of the even words
	VPMULUDQ  r, z, Y7;       \
	VPMULUDQ  odds, Y4, Y4;   \ // upper half: that of the odd words, where it belongs
	VPMULUDQ  oddr, Y6, Y6;   \
	VPMULLD   w, y, y;        \
	VPMULLD   v, z, z;        \
	VMOVSHDUP Y5, Y5;         \ // the others brought to the even words
	VMOVSHDUP Y7, Y7;         \
	VPBLENDD  $0xAA, Y4, Y5, Y4; \
	VPBLENDD  $0xAA, Y6, Y7, Y6; \
	VPMULLD   Y15, Y4, Y4;    \
	VPMULLD   Y15, Y6, Y6;    \
	VPSUBD    Y4, y, y;       \
	VPSUBD    Y6, z, z

// REDUCE2: x and u in [0, 2q) to [0, q).
#define REDUCE2(x, u) \
	VPSUBD  Y15, x, Y4; \
	VPSUBD  Y15, u, Y6; \
	VPMINUD Y4, x, x;   \
	VPMINUD Y6, u, u

// FORWARD2: (x, y) = (x + w·y, x - w·y) and (u, z) = (u + v·z, u - v·z): [0, 2q) to [0, 2q).
#define FORWARD2(x, y, w, s, odds, u, z, v, r, oddr) \
	REDUCE2(x, u); \
	TIMES2(y, w, s, odds, z, v, r, oddr); \
	REDUCE2(y, z);       \
	VPADDD Y15, x, Y4;   \
	VPADDD Y15, u, Y6;   \
	VPADDD y, x, x;      \
	VPADDD z, u, u;      \
	VPSUBD y, Y4, y;     \
	VPSUBD z, Y6, z

// INVERSE2: (x, y) = (x + y, (x - y)·w) and (u, z) = (u + z, (u - z)·v): [0, q) to [0, q).
#define INVERSE2(x, y, w, s, odds, u, z, v, r, oddr) \
	VPADDD Y15, x, Y4; \
	VPADDD Y15, u, Y6; \
	VPADDD y, x, x;    \
	VPADDD z, u, u;    \
	VPSUBD y, Y4, y;   \
	VPSUBD z, Y6, z;   \
	REDUCE2(x, u);     \
	TIMES2(y, w, s, odds, z, v, r, oddr); \
	REDUCE2(y, z)

// CONSTANTS: q in every word.
#define CONSTANTS(q) VPBROADCASTD q, Y15

// FACTOR: the words at wp and sp in every word of w and s.
#define FACTOR(wp, sp, w, s) \
	VPBROADCASTD wp, w; \
	VPBROADCASTD sp, s

// HALVES sets up a layer of one node, from x in DI, w in R8, s in R9 and n in DX: SI is the upper half, DX counts its words, Y8 and Y9 are the
// factor.
#define HALVES \
	FACTOR(4(R8), 4(R9), Y8, Y9); \
	SHRQ $1, DX;                  \
	LEAQ (DI)(DX*4), SI

#define LOADHALVES \
	VMOVDQU (DI), Y0;   \
	VMOVDQU (SI), Y1;   \
	VMOVDQU 32(DI), Y2; \
	VMOVDQU 32(SI), Y3

#define STOREHALVES \
	VMOVDQU Y0, (DI);   \
	VMOVDQU Y1, (SI);   \
	VMOVDQU Y2, 32(DI); \
	VMOVDQU Y3, 32(SI); \
	ADDQ $64, DI;       \
	ADDQ $64, SI;       \
	SUBQ $16, DX

// func word31DownFirst256(x, w, s *uint32, n int, q uint32)
// The layer of forward with one node, n >= 32.
TEXT ·word31DownFirst256(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ n+24(FP), DX
	CONSTANTS(q+32(FP))
	HALVES

loop:
	LOADHALVES
	FORWARD2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y8, Y9, Y9)
	STOREHALVES
	JNZ  loop
	VZEROUPPER
	RET

// func word31UpLast256(x, w, s *uint32, n int, q uint32)
// The layer of inverse with one node, n >= 32.
TEXT ·word31UpLast256(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ n+24(FP), DX
	CONSTANTS(q+32(FP))
	HALVES

loop:
	LOADHALVES
	INVERSE2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y8, Y9, Y9)
	STOREHALVES
	JNZ  loop
	VZEROUPPER
	RET

// PASS sets up a pass of two layers with m and 2m nodes, from x in DI, w in R11, s in R12, n in AX and m in BX, whose blocks are quarters of
// n/(4m) >= 8 words: DI is the block, R10 the bytes of a quarter and R13 of three, R8 and R9 the factors of the layer of m nodes, R11 and R12
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

// BLOCK loads the factors of the next block: Y8, Y9 of the layer of m nodes, Y10 to Y13 of that of 2m nodes; R14 counts its bytes.
#define BLOCK \
	FACTOR((R8), (R9), Y8, Y9);        \
	FACTOR((R11), (R12), Y10, Y11);    \
	FACTOR(4(R11), 4(R12), Y12, Y13);  \
	ADDQ $4, R8;  \
	ADDQ $4, R9;  \
	ADDQ $8, R11; \
	ADDQ $8, R12; \
	MOVQ R10, R14

#define LOADQUARTERS \
	VMOVDQU (DI), Y0;          \
	VMOVDQU (DI)(R10*1), Y1;   \
	VMOVDQU (DI)(R10*2), Y2;   \
	VMOVDQU (DI)(R13*1), Y3

#define STOREQUARTERS \
	VMOVDQU Y0, (DI);          \
	VMOVDQU Y1, (DI)(R10*1);   \
	VMOVDQU Y2, (DI)(R10*2);   \
	VMOVDQU Y3, (DI)(R13*1)

// func word31DownPass256(x, w, s *uint32, n, m int, q uint32)
// The layers of forward with m and 2m nodes, n >= 32m.
TEXT ·word31DownPass256(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ s+16(FP), R12
	MOVQ n+24(FP), AX
	MOVQ m+32(FP), BX
	CONSTANTS(q+40(FP))
	PASS

block:
	BLOCK

loop:
	LOADQUARTERS
	FORWARD2(Y0, Y2, Y8, Y9, Y9, Y1, Y3, Y8, Y9, Y9)
	FORWARD2(Y0, Y1, Y10, Y11, Y11, Y2, Y3, Y12, Y13, Y13)
	STOREQUARTERS
	ADDQ $32, DI
	SUBQ $32, R14
	JNZ  loop
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// func word31UpPass256(x, w, s *uint32, n, m int, q uint32)
// The layers of inverse with 2m and m nodes, n >= 32m.
TEXT ·word31UpPass256(SB), NOSPLIT, $0-44
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R11
	MOVQ s+16(FP), R12
	MOVQ n+24(FP), AX
	MOVQ m+32(FP), BX
	CONSTANTS(q+40(FP))
	PASS

block:
	BLOCK

loop:
	LOADQUARTERS
	INVERSE2(Y0, Y1, Y10, Y11, Y11, Y2, Y3, Y12, Y13, Y13)
	INVERSE2(Y0, Y2, Y8, Y9, Y9, Y1, Y3, Y8, Y9, Y9)
	STOREQUARTERS
	ADDQ $32, DI
	SUBQ $32, R14
	JNZ  loop
	ADDQ R13, DI
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// The last four layers have blocks of 16, 8, 4 and 2 words. They run on two registers: 16 words that need no others. Before each layer the words
// change places, so that lower halves of blocks are in one register and upper ones in the same places of the other. Written as the numbers of
// the words, four (128 bits) a group, the two registers are
//
//	A    0 1 2 3    4 5 6 7      | 8 9 10 11    12 13 14 15     layer of 16
//	B    0 1 2 3    8 9 10 11    | 4 5 6 7      12 13 14 15     layer of 8
//	C    0 1 4 5    8 9 12 13    | 2 3 6 7      10 11 14 15     layer of 4
//	D    0 4 2 6    8 12 10 14   | 1 5 3 7      9 13 11 15      layer of 2
//
// Forward, they go from A to D and back; inverse, to D first. Below, two such pairs run side by side: Y0, Y1 and Y2, Y3.
#define MOVE2(op, lower, upper) \
	op lower, Y1, Y0, Y4; \
	op lower, Y3, Y2, Y6; \
	op upper, Y1, Y0, Y1; \
	op upper, Y3, Y2, Y3; \
	VMOVDQA Y4, Y0;       \
	VMOVDQA Y6, Y2

// A to B and B to A.
#define AB2 MOVE2(VPERM2I128, $0x20, $0x31)

// C to D.
#define CD2 MOVE2(VSHUFPS, $0x88, $0xDD)

// B to C and C to B.
#define BC2 \
	VPUNPCKLQDQ Y1, Y0, Y4; \
	VPUNPCKLQDQ Y3, Y2, Y6; \
	VPUNPCKHQDQ Y1, Y0, Y1; \
	VPUNPCKHQDQ Y3, Y2, Y3; \
	VMOVDQA Y4, Y0;         \
	VMOVDQA Y6, Y2

// D to C.
#define DC2 \
	VPUNPCKLDQ Y1, Y0, Y4; \
	VPUNPCKLDQ Y3, Y2, Y6; \
	VPUNPCKHDQ Y1, Y0, Y1; \
	VPUNPCKHDQ Y3, Y2, Y3; \
	VMOVDQA Y4, Y0;        \
	VMOVDQA Y6, Y2

// TAIL sets up the last four layers from x in DI, w in AX, s in R13 and n in BX. DI is the next 32 words, BX counts them; R9 to R12 are the
// factors w of the layers with blocks of 16, 8, 4 and 2 words, and R13 bytes further are those of s.
#define TAIL \
	SUBQ AX, R13;           \
	LEAQ (AX)(BX*2), R12;   \ // place n/2
	LEAQ (AX)(BX*1), R11;   \ // place n/4
	SHRQ $3, BX;            \
	LEAQ (AX)(BX*4), R10;   \ // place n/8
	LEAQ (AX)(BX*2), R9;    \ // place n/16
	SHRQ $2, BX

#define LOAD32 \
	VMOVDQU (DI), Y0;   \
	VMOVDQU 32(DI), Y1; \
	VMOVDQU 64(DI), Y2; \
	VMOVDQU 96(DI), Y3

#define STORE32 \
	VMOVDQU Y0, (DI);   \
	VMOVDQU Y1, 32(DI); \
	VMOVDQU Y2, 64(DI); \
	VMOVDQU Y3, 96(DI); \
	ADDQ $128, DI

// FACTORS16, 8, 4 and 2 load the factors of a layer whose blocks have so many words, in the order of the words in A, B, C and D, and step on: w
// and s of the next 16 words to Y8 and Y9, and of the 16 words after them to Y11 and Y12.
#define FACTORS16 \
	FACTOR((R9), (R9)(R13*1), Y8, Y9);     \
	FACTOR(4(R9), 4(R9)(R13*1), Y11, Y12); \
	ADDQ $8, R9

#define FACTORS8 \
	VPBROADCASTD (R10), Y8;           \
	VPBROADCASTD 4(R10), Y4;          \
	VPBROADCASTD (R10)(R13*1), Y9;    \
	VPBROADCASTD 4(R10)(R13*1), Y5;   \
	VPBROADCASTD 8(R10), Y11;         \
	VPBROADCASTD 12(R10), Y6;         \
	VPBROADCASTD 8(R10)(R13*1), Y12;  \
	VPBROADCASTD 12(R10)(R13*1), Y7;  \
	VPBLENDD $0xF0, Y4, Y8, Y8;       \
	VPBLENDD $0xF0, Y5, Y9, Y9;       \
	VPBLENDD $0xF0, Y6, Y11, Y11;     \
	VPBLENDD $0xF0, Y7, Y12, Y12;     \
	ADDQ $16, R10

// Each factor is for two neighbours; of s, the even words are enough.
#define FACTORS4 \
	VPMOVZXDQ (R11), Y8;           \
	VPMOVZXDQ (R11)(R13*1), Y9;    \
	VPMOVZXDQ 16(R11), Y11;        \
	VPMOVZXDQ 16(R11)(R13*1), Y12; \
	VMOVSLDUP Y8, Y8;              \
	VMOVSLDUP Y11, Y11;            \
	ADDQ $32, R11

// Of blocks of 2, neighbours have factors of their own, in the order 0 2 1 3; Y10 and Y13 are the odd words of Y9 and Y12.
#define FACTORS2 \
	VPSHUFD $0xD8, (R12), Y8;           \
	VPSHUFD $0xD8, (R12)(R13*1), Y9;    \
	VPSHUFD $0xD8, 32(R12), Y11;        \
	VPSHUFD $0xD8, 32(R12)(R13*1), Y12; \
	VPSRLQ  $32, Y9, Y10;               \
	VPSRLQ  $32, Y12, Y13;              \
	ADDQ $64, R12

// func word31DownTail256(x, w, s *uint32, n int, q uint32)
// The last four layers of forward and the reduction, n >= 32.
TEXT ·word31DownTail256(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ s+16(FP), R13
	MOVQ n+24(FP), BX
	CONSTANTS(q+32(FP))
	TAIL

loop:
	LOAD32
	FACTORS16
	FORWARD2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y11, Y12, Y12)
	AB2
	FACTORS8
	FORWARD2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y11, Y12, Y12)
	BC2
	FACTORS4
	FORWARD2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y11, Y12, Y12)
	CD2
	FACTORS2
	FORWARD2(Y0, Y1, Y8, Y9, Y10, Y2, Y3, Y11, Y12, Y13)
	REDUCE2(Y0, Y2)
	REDUCE2(Y1, Y3)
	DC2
	BC2
	AB2
	STORE32
	DECQ BX
	JNZ  loop
	VZEROUPPER
	RET

// func word31UpTail256(x, w, s *uint32, n int, q uint32)
// The first four layers of inverse, n >= 32.
TEXT ·word31UpTail256(SB), NOSPLIT, $0-36
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), AX
	MOVQ s+16(FP), R13
	MOVQ n+24(FP), BX
	CONSTANTS(q+32(FP))
	TAIL

loop:
	LOAD32
	AB2
	BC2
	CD2
	FACTORS2
	INVERSE2(Y0, Y1, Y8, Y9, Y10, Y2, Y3, Y11, Y12, Y13)
	DC2
	FACTORS4
	INVERSE2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y11, Y12, Y12)
	BC2
	FACTORS8
	INVERSE2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y11, Y12, Y12)
	AB2
	FACTORS16
	INVERSE2(Y0, Y1, Y8, Y9, Y9, Y2, Y3, Y11, Y12, Y12)
	STORE32
	DECQ BX
	JNZ  loop
	VZEROUPPER
	RET

// func word31Scale256(x *uint32, n int, w, s, q uint32)
// x·w modulo q, in [0, q), for any words; n a multiple of 16, not 0.
TEXT ·word31Scale256(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), BX
	FACTOR(w+16(FP), s+20(FP), Y8, Y9)
	CONSTANTS(q+24(FP))

loop:
	VMOVDQU (DI), Y0
	VMOVDQU 32(DI), Y1
	TIMES2(Y0, Y8, Y9, Y9, Y1, Y8, Y9, Y9)
	REDUCE2(Y0, Y1)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $64, DI
	SUBQ $16, BX
	JNZ  loop
	VZEROUPPER
	RET
