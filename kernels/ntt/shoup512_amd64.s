#include "textflag.h"

// The layers of shoup_layer.go with AVX-512 F, DQ and IFMA: eight butterflies at a time, the same words.
//
// Ranges are multiples of the modulus q < 2^62, as in shoup_layer.go. Registers that all routines share:
//
//	Z31 = q, Z30 = 2q, in each of the eight words
//	Z10, Z11, Z12 = w, s and ⌊s/2^52⌋: the factors of a butterfly
//	Z13 to Z15 = scratch
//	R8, R9 = factors w and Shoup's factors s of the layer, at the first node
#define Q    Z31
#define QQ   Z30
#define W    Z10
#define S    Z11
#define S1   Z12

// CONSTANTS fills Q and QQ from the modulus in memory.
#define CONSTANTS(q) \
	VPBROADCASTQ q, Q;  \
	VPADDQ       Q, Q, QQ

// FACTORS loads the factors of one node into all words.
#define FACTORS(w, s) \
	VPBROADCASTQ w, W; \
	VPBROADCASTQ s, S; \
	VPSRLQ       $52, S, S1

// REDUCE takes v in [0, 2m) to [0, m), and v in [0, m) to itself: v - m wraps to 2^64 + v - m > v if v < m.
#define REDUCE(v, m) \
	VPSUBQ  m, v, Z13; \
	VPMINUQ Z13, v, v

// TIMES is shoupTimes: y becomes y·w - ⌊y·s/2^64⌋·q, in [0, 2q), for any word y. With y = y1·2^52 + y0, s = s1·2^52 + s0, and [v]0 the lower
// 52 bits and [v]1 the upper ones of products v of 104,
//
//	m = [y0·s0]1 + [y1·s0]0 + [y0·s1]0       < 3·2^52
//	n = [y1·s0]1 + [y0·s1]1 + y1·s1          < 2^12 + 2^12 + 2^24
//	⌊y·s/2^64⌋ = ⌊(m + n·2^52)/2^12⌋ = ⌊m/2^12⌋ + n·2^40
//
// VPMADD52HUQ and VPMADD52LUQ add [v]1 and [v]0 of the product of the lower 52 bits of two words; they do not look at the upper 12 bits.
#define TIMES(y, w, s, s1) \
	VPSRLQ      $52, y, Z13;  /* y1 */            \
	VPXORQ      Z14, Z14, Z14;                    \
	VPXORQ      Z15, Z15, Z15;                    \
	VPMADD52HUQ s, y, Z14;                        \
	VPMADD52HUQ s, Z13, Z15;                      \
	VPMADD52LUQ s, Z13, Z14;                      \
	VPMADD52HUQ s1, y, Z15;                       \
	VPMADD52LUQ s1, y, Z14;   /* m */             \
	VPMADD52LUQ s1, Z13, Z15; /* n */             \
	VPMULLQ     w, y, y;      /* modulo 2^64 */   \
	VPSRLQ      $12, Z14, Z14;                    \
	VPSLLQ      $40, Z15, Z15;                    \
	VPADDQ      Z14, Z15, Z14;                    \
	VPMULLQ     Q, Z14, Z14;  /* modulo 2^64 */   \
	VPSUBQ      Z14, y, y

// FORWARD is shoupForward: x in [0, 4q) and any y become x + w·y and x - w·y + 2q, both in [0, 4q).
#define FORWARD(x, y) \
	REDUCE(x, QQ);            /* [0, 2q) */       \
	TIMES(y, W, S, S1);                           \
	VPADDQ QQ, x, Z13;                            \
	VPADDQ y, x, x;                               \
	VPSUBQ y, Z13, y

// INVERSE is shoupInverse: x and y in [0, 2q) become x + y and (x - y)·w, both in [0, 2q).
#define INVERSE(x, y) \
	VPADDQ QQ, x, Z13;                            \
	VPADDQ y, x, x;           /* [0, 4q) */       \
	VPSUBQ y, Z13, y;         /* (0, 4q) */       \
	REDUCE(x, QQ);                                \
	TIMES(y, W, S, S1)

// func shoupForwardLayer512(x, w, s *uint64, nodes, half int, q uint64)
//
// One layer of forward: nodes nodes of 2·half words each, half a multiple of 8.
TEXT ·shoupForwardLayer512(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ nodes+24(FP), CX
	MOVQ half+32(FP), DX
	CONSTANTS(q+40(FP))
	SHLQ $3, DX                // bytes of half a node

node:
	FACTORS((R8), (R9))
	LEAQ (DI)(DX*1), BX        // the upper half; the lower one ends there

words:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(DX*1), Z1
	FORWARD(Z0, Z1)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (DI)(DX*1)
	ADDQ $64, DI
	CMPQ DI, BX
	JB   words

	LEAQ (BX)(DX*1), DI
	ADDQ $8, R8
	ADDQ $8, R9
	DECQ CX
	JNZ  node
	VZEROUPPER
	RET

// func shoupInverseLayer512(x, w, s *uint64, nodes, half int, q uint64)
//
// One layer of inverse: nodes nodes of 2·half words each, half a multiple of 8.
TEXT ·shoupInverseLayer512(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ nodes+24(FP), CX
	MOVQ half+32(FP), DX
	CONSTANTS(q+40(FP))
	SHLQ $3, DX

node:
	FACTORS((R8), (R9))
	LEAQ (DI)(DX*1), BX

words:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(DX*1), Z1
	INVERSE(Z0, Z1)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (DI)(DX*1)
	ADDQ $64, DI
	CMPQ DI, BX
	JB   words

	LEAQ (BX)(DX*1), DI
	ADDQ $8, R8
	ADDQ $8, R9
	DECQ CX
	JNZ  node
	VZEROUPPER
	RET

// func shoupScaleLayer512(x *uint64, half int, scale, last *shoupFactor, q, limit uint64)
//
// The last layer of inverse with the scaling, as shoupScaleLayer: (x, y) becomes ((x + y)·scale, (x - y)·last), reduced once by limit. half is
// a multiple of 8.
TEXT ·shoupScaleLayer512(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ half+8(FP), DX
	MOVQ scale+16(FP), R8
	MOVQ last+24(FP), R9
	CONSTANTS(q+32(FP))
	VPBROADCASTQ limit+40(FP), Z29
	FACTORS(0(R8), 8(R8))
	VPBROADCASTQ 0(R9), Z16
	VPBROADCASTQ 8(R9), Z17
	VPSRLQ       $52, Z17, Z18
	SHLQ $3, DX
	LEAQ (DI)(DX*1), BX

words:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(DX*1), Z1
	VPADDQ QQ, Z0, Z2
	VPADDQ Z1, Z0, Z0          // [0, 4q)
	VPSUBQ Z1, Z2, Z1          // (0, 4q)
	TIMES(Z0, W, S, S1)
	TIMES(Z1, Z16, Z17, Z18)
	REDUCE(Z0, Z29)
	REDUCE(Z1, Z29)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, (DI)(DX*1)
	ADDQ $64, DI
	CMPQ DI, BX
	JB   words
	VZEROUPPER
	RET

// Leaves: the four layers of a node of 16 words, in two registers. A pair of words below is one 128-bit lane; a to f are 10 to 15.

// Which factor of a layer each word of a register takes.
DATA shoupIndex<>+0x00(SB)/8, $0  // of two, forward: words 0 to 3 and 8 to b of X
DATA shoupIndex<>+0x08(SB)/8, $0
DATA shoupIndex<>+0x10(SB)/8, $0
DATA shoupIndex<>+0x18(SB)/8, $0
DATA shoupIndex<>+0x20(SB)/8, $1
DATA shoupIndex<>+0x28(SB)/8, $1
DATA shoupIndex<>+0x30(SB)/8, $1
DATA shoupIndex<>+0x38(SB)/8, $1
DATA shoupIndex<>+0x40(SB)/8, $0  // of four: X is 01 89 45 cd
DATA shoupIndex<>+0x48(SB)/8, $0
DATA shoupIndex<>+0x50(SB)/8, $2
DATA shoupIndex<>+0x58(SB)/8, $2
DATA shoupIndex<>+0x60(SB)/8, $1
DATA shoupIndex<>+0x68(SB)/8, $1
DATA shoupIndex<>+0x70(SB)/8, $3
DATA shoupIndex<>+0x78(SB)/8, $3
DATA shoupIndex<>+0x80(SB)/8, $0  // of two, inverse: X is 01 89 23 ab
DATA shoupIndex<>+0x88(SB)/8, $0
DATA shoupIndex<>+0x90(SB)/8, $1
DATA shoupIndex<>+0x98(SB)/8, $1
DATA shoupIndex<>+0xa0(SB)/8, $0
DATA shoupIndex<>+0xa8(SB)/8, $0
DATA shoupIndex<>+0xb0(SB)/8, $1
DATA shoupIndex<>+0xb8(SB)/8, $1
// Forward: from X = 02 8a 46 ce, Y = 13 9b 57 df, of which words have the numbers 0 to 7 and 8 to 15, to 01 23 45 67 …
DATA shoupIndex<>+0xc0(SB)/8, $0
DATA shoupIndex<>+0xc8(SB)/8, $8
DATA shoupIndex<>+0xd0(SB)/8, $1
DATA shoupIndex<>+0xd8(SB)/8, $9
DATA shoupIndex<>+0xe0(SB)/8, $4
DATA shoupIndex<>+0xe8(SB)/8, $12
DATA shoupIndex<>+0xf0(SB)/8, $5
DATA shoupIndex<>+0xf8(SB)/8, $13
// … and to 89 ab cd ef.
DATA shoupIndex<>+0x100(SB)/8, $2
DATA shoupIndex<>+0x108(SB)/8, $10
DATA shoupIndex<>+0x110(SB)/8, $3
DATA shoupIndex<>+0x118(SB)/8, $11
DATA shoupIndex<>+0x120(SB)/8, $6
DATA shoupIndex<>+0x128(SB)/8, $14
DATA shoupIndex<>+0x130(SB)/8, $7
DATA shoupIndex<>+0x138(SB)/8, $15
// Inverse: from 01 23 45 67, 89 ab cd ef to 02 8a 46 ce …
DATA shoupIndex<>+0x140(SB)/8, $0
DATA shoupIndex<>+0x148(SB)/8, $2
DATA shoupIndex<>+0x150(SB)/8, $8
DATA shoupIndex<>+0x158(SB)/8, $10
DATA shoupIndex<>+0x160(SB)/8, $4
DATA shoupIndex<>+0x168(SB)/8, $6
DATA shoupIndex<>+0x170(SB)/8, $12
DATA shoupIndex<>+0x178(SB)/8, $14
// … and to 13 9b 57 df.
DATA shoupIndex<>+0x180(SB)/8, $1
DATA shoupIndex<>+0x188(SB)/8, $3
DATA shoupIndex<>+0x190(SB)/8, $9
DATA shoupIndex<>+0x198(SB)/8, $11
DATA shoupIndex<>+0x1a0(SB)/8, $5
DATA shoupIndex<>+0x1a8(SB)/8, $7
DATA shoupIndex<>+0x1b0(SB)/8, $13
DATA shoupIndex<>+0x1b8(SB)/8, $15
GLOBL shoupIndex<>(SB), RODATA|NOPTR, $0x1c0

// SPREAD2 and SPREAD4 load two or four factors into the words that index says.
#define SPREAD2(w, s, index) \
	VMOVDQU w, X10;      \
	VMOVDQU s, X11;      \
	VPERMQ  W, index, W; \
	VPERMQ  S, index, S; \
	VPSRLQ  $52, S, S1
#define SPREAD4(w, s, index) \
	VMOVDQU w, Y10;      \
	VMOVDQU s, Y11;      \
	VPERMQ  W, index, W; \
	VPERMQ  S, index, S; \
	VPSRLQ  $52, S, S1
// SPREAD8 loads the eight factors of pairs in the order 0 1 4 5 2 3 6 7.
#define SPREAD8(w, s) \
	VMOVDQU64  w, W;           \
	VMOVDQU64  s, S;           \
	VSHUFI64X2 $0xd8, W, W, W; \
	VSHUFI64X2 $0xd8, S, S, S; \
	VPSRLQ     $52, S, S1

// The layers of leaf k, whose words are in x and y. Four leaves run side by side, layer by layer, for the machine to work on one while it
// waits for the products of another.
#define FORWARD1(k, x, y) \
	FACTORS(k*8(R8)(DX*1), k*8(R9)(DX*1));          \
	FORWARD(x, y);               /* 01 23 45 67, 89 ab cd ef */ \
	VSHUFI64X2 $0xee, y, x, Z13; /* 45 67 cd ef */ \
	VSHUFI64X2 $0x44, y, x, x;   /* 01 23 89 ab */ \
	VMOVDQA64  Z13, y
#define FORWARD2(k, x, y) \
	SPREAD2(k*16(R8)(DX*2), k*16(R9)(DX*2), Z20);   \
	FORWARD(x, y);                                  \
	VSHUFI64X2 $0xdd, y, x, Z13; /* 23 ab 67 ef */ \
	VSHUFI64X2 $0x88, y, x, x;   /* 01 89 45 cd */ \
	VMOVDQA64  Z13, y
#define FORWARD3(k, x, y) \
	SPREAD4(k*32(R8)(DX*4), k*32(R9)(DX*4), Z21);   \
	FORWARD(x, y);                                  \
	VPUNPCKHQDQ y, x, Z13;       /* 13 9b 57 df */ \
	VPUNPCKLQDQ y, x, x;         /* 02 8a 46 ce */ \
	VMOVDQA64   Z13, y
#define FORWARD4(k, x, y) \
	SPREAD8(k*64(R8)(DX*8), k*64(R9)(DX*8));        \
	FORWARD(x, y)
#define REDUCE4(x, y) \
	REDUCE(x, QQ);               /* [0, 2q) */     \
	REDUCE(y, QQ);                                  \
	REDUCE(x, Q);                /* [0, q) */      \
	REDUCE(y, Q)
#define STORE(k, x, y) \
	VMOVDQA64 x, Z13;                               \
	VPERMT2Q  y, Z22, x;         /* 01 23 45 67 */ \
	VPERMT2Q  y, Z23, Z13;       /* 89 ab cd ef */ \
	VMOVDQU64 x, k*128(DI);                         \
	VMOVDQU64 Z13, k*128+64(DI)

// func shoupForwardLeaves512(x, w, s *uint64, node, leaves int, q uint64, reduce bool)
//
// The last four layers of forward on leaves nodes of 16 words, the first of which is node; reduced to [0, q) if reduce. w and s are those of
// node 0; leaves is a multiple of 4.
TEXT ·shoupForwardLeaves512(SB), NOSPLIT, $0-49
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ node+24(FP), DX
	MOVQ leaves+32(FP), CX
	CONSTANTS(q+40(FP))
	MOVBLZX reduce+48(FP), BX
	VMOVDQU64 shoupIndex<>+0x00(SB), Z20
	VMOVDQU64 shoupIndex<>+0x40(SB), Z21
	VMOVDQU64 shoupIndex<>+0xc0(SB), Z22
	VMOVDQU64 shoupIndex<>+0x100(SB), Z23
	SHLQ $3, DX                // bytes from node 0 to the node

leaves4:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 64(DI), Z1
	VMOVDQU64 128(DI), Z2
	VMOVDQU64 192(DI), Z3
	VMOVDQU64 256(DI), Z4
	VMOVDQU64 320(DI), Z5
	VMOVDQU64 384(DI), Z6
	VMOVDQU64 448(DI), Z7
	FORWARD1(0, Z0, Z1)
	FORWARD1(1, Z2, Z3)
	FORWARD1(2, Z4, Z5)
	FORWARD1(3, Z6, Z7)
	FORWARD2(0, Z0, Z1)
	FORWARD2(1, Z2, Z3)
	FORWARD2(2, Z4, Z5)
	FORWARD2(3, Z6, Z7)
	FORWARD3(0, Z0, Z1)
	FORWARD3(1, Z2, Z3)
	FORWARD3(2, Z4, Z5)
	FORWARD3(3, Z6, Z7)
	FORWARD4(0, Z0, Z1)
	FORWARD4(1, Z2, Z3)
	FORWARD4(2, Z4, Z5)
	FORWARD4(3, Z6, Z7)
	TESTL BX, BX
	JZ    store
	REDUCE4(Z0, Z1)
	REDUCE4(Z2, Z3)
	REDUCE4(Z4, Z5)
	REDUCE4(Z6, Z7)

store:
	STORE(0, Z0, Z1)
	STORE(1, Z2, Z3)
	STORE(2, Z4, Z5)
	STORE(3, Z6, Z7)
	ADDQ $512, DI
	ADDQ $32, DX
	SUBQ $4, CX
	JNZ  leaves4
	VZEROUPPER
	RET

#define INVERSE4(k, x, y) \
	VMOVDQU64 k*128(DI), x;                         \
	VMOVDQU64 k*128+64(DI), Z13;                    \
	VMOVDQA64 x, y;                                 \
	VPERMT2Q  Z13, Z22, x;       /* 02 8a 46 ce */ \
	VPERMT2Q  Z13, Z23, y;       /* 13 9b 57 df */ \
	SPREAD8(k*64(R8)(DX*8), k*64(R9)(DX*8));        \
	INVERSE(x, y)
#define INVERSE3(k, x, y) \
	VPUNPCKHQDQ y, x, Z13;       /* 23 ab 67 ef */ \
	VPUNPCKLQDQ y, x, x;         /* 01 89 45 cd */ \
	VMOVDQA64   Z13, y;                             \
	SPREAD4(k*32(R8)(DX*4), k*32(R9)(DX*4), Z21);   \
	INVERSE(x, y)
#define INVERSE2(k, x, y) \
	VSHUFI64X2 $0xee, y, x, Z13; /* 45 cd 67 ef */ \
	VSHUFI64X2 $0x44, y, x, x;   /* 01 89 23 ab */ \
	VMOVDQA64  Z13, y;                              \
	SPREAD2(k*16(R8)(DX*2), k*16(R9)(DX*2), Z20);   \
	INVERSE(x, y)
#define INVERSE1(k, x, y) \
	VSHUFI64X2 $0xdd, y, x, Z13; /* 89 ab cd ef */ \
	VSHUFI64X2 $0x88, y, x, x;   /* 01 23 45 67 */ \
	VMOVDQA64  Z13, y;                              \
	FACTORS(k*8(R8)(DX*1), k*8(R9)(DX*1));          \
	INVERSE(x, y);                                  \
	VMOVDQU64 x, k*128(DI);                         \
	VMOVDQU64 y, k*128+64(DI)

// func shoupInverseLeaves512(x, w, s *uint64, node, leaves int, q uint64)
//
// The first four layers of inverse, as shoupForwardLeaves512 runs the last ones of forward.
TEXT ·shoupInverseLeaves512(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ node+24(FP), DX
	MOVQ leaves+32(FP), CX
	CONSTANTS(q+40(FP))
	VMOVDQU64 shoupIndex<>+0x80(SB), Z20
	VMOVDQU64 shoupIndex<>+0x40(SB), Z21
	VMOVDQU64 shoupIndex<>+0x140(SB), Z22
	VMOVDQU64 shoupIndex<>+0x180(SB), Z23
	SHLQ $3, DX

leaves4:
	INVERSE4(0, Z0, Z1)
	INVERSE4(1, Z2, Z3)
	INVERSE4(2, Z4, Z5)
	INVERSE4(3, Z6, Z7)
	INVERSE3(0, Z0, Z1)
	INVERSE3(1, Z2, Z3)
	INVERSE3(2, Z4, Z5)
	INVERSE3(3, Z6, Z7)
	INVERSE2(0, Z0, Z1)
	INVERSE2(1, Z2, Z3)
	INVERSE2(2, Z4, Z5)
	INVERSE2(3, Z6, Z7)
	INVERSE1(0, Z0, Z1)
	INVERSE1(1, Z2, Z3)
	INVERSE1(2, Z4, Z5)
	INVERSE1(3, Z6, Z7)
	ADDQ $512, DI
	ADDQ $32, DX
	SUBQ $4, CX
	JNZ  leaves4
	VZEROUPPER
	RET
