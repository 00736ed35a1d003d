#include "textflag.h"

// The layers of shoup_layer.go with AVX-512 F and DQ: eight butterflies at a time, the same words.
//
// Ranges are multiples of the modulus q < 2^62, as in shoup_layer.go. Registers that all routines share:
//
//	Z31 = q, Z30 = 2q, Z29 = 2^32 - 1, in each of the eight words
//	R8, R9 = factors w and Shoup's factors s of the layer, at the first node
#define Q    Z31
#define QQ   Z30
#define LOW  Z29

// CONSTANTS fills Q, QQ and LOW from the modulus in a general register.
#define CONSTANTS(q) \
	VPBROADCASTQ q, Q;         \
	VPADDQ       Q, Q, QQ;     \
	VPTERNLOGQ   $0xff, LOW, LOW, LOW; \
	VPSRLQ       $32, LOW, LOW

// REDUCE takes v in [0, 2m) to [0, m), and v in [0, m) to itself: v - m wraps to 2^64 + v - m > v if v < m. T is scratch.
#define REDUCE(v, m, T) \
	VPSUBQ  m, v, T; \
	VPMINUQ T, v, v

// TIMES is shoupTimes: y becomes y·w - ⌊y·s/2^64⌋·q, in [0, 2q), for any word y. sh holds s / 2^32 in the lower halves. With
// y = y1·2^32 + y0 and s = s1·2^32 + s0,
//
//	t = y1·s0 + ⌊y0·s0/2^32⌋                 <= (2^32-1)^2 + 2^32-1 < 2^64
//	u = y0·s1 + t mod 2^32                   <= (2^32-1)^2 + 2^32-1 < 2^64
//	⌊y·s/2^64⌋ = y1·s1 + ⌊t/2^32⌋ + ⌊u/2^32⌋
//
// VPMULUDQ multiplies lower halves of words and does not look at upper ones. A, B, C and D are scratch.
#define TIMES(y, w, s, sh, A, B, C, D) \
	VPSHUFD  $0xf5, y, A;   /* y1 */               \
	VPMULUDQ s, y, B;       /* y0·s0 */            \
	VPMULUDQ s, A, C;       /* y1·s0 */            \
	VPMULUDQ sh, y, D;      /* y0·s1 */            \
	VPMULUDQ sh, A, A;      /* y1·s1 */            \
	VPSRLQ   $32, B, B;                            \
	VPADDQ   B, C, C;       /* t */                \
	VPANDQ   LOW, C, B;                            \
	VPADDQ   B, D, D;       /* u */                \
	VPSRLQ   $32, C, C;                            \
	VPSRLQ   $32, D, D;                            \
	VPADDQ   C, A, A;                              \
	VPADDQ   D, A, A;       /* ⌊y·s/2^64⌋ */       \
	VPMULLQ  w, y, y;       /* modulo 2^64 */      \
	VPMULLQ  Q, A, A;       /* modulo 2^64 */      \
	VPSUBQ   A, y, y

// FORWARD is shoupForward: x in [0, 4q) and any y become x + w·y and x - w·y + 2q, both in [0, 4q).
#define FORWARD(x, y, w, s, sh, A, B, C, D) \
	REDUCE(x, QQ, A);       /* [0, 2q) */          \
	TIMES(y, w, s, sh, A, B, C, D);                \
	VPADDQ   QQ, x, A;                             \
	VPADDQ   y, x, x;                              \
	VPSUBQ   y, A, y

// INVERSE is shoupInverse: x and y in [0, 2q) become x + y and (x - y)·w, both in [0, 2q).
#define INVERSE(x, y, w, s, sh, A, B, C, D) \
	VPADDQ   QQ, x, A;                             \
	VPADDQ   y, x, x;       /* [0, 4q) */          \
	VPSUBQ   y, A, y;       /* (0, 4q) */          \
	REDUCE(x, QQ, A);                              \
	TIMES(y, w, s, sh, A, B, C, D)

// FACTORS loads the factors of one node into all words: w into Z8, s into Z9, and the upper halves of s into Z10.
#define FACTORS(w, s) \
	VPBROADCASTQ w, Z8;  \
	VPBROADCASTQ s, Z9;  \
	VPSHUFD      $0xf5, Z9, Z10

// func shoupForwardLayer512(x, w, s *uint64, nodes, half int, q uint64)
//
// One layer of forward: nodes nodes of 2·half words each, half a multiple of 8.
TEXT ·shoupForwardLayer512(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ nodes+24(FP), CX
	MOVQ half+32(FP), DX
	MOVQ q+40(FP), AX
	CONSTANTS(AX)
	SHLQ $3, DX                // bytes of half a node

node:
	FACTORS((R8), (R9))
	LEAQ (DI)(DX*1), SI        // the upper half; the lower one ends there
	MOVQ SI, BX

words:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(DX*1), Z1
	FORWARD(Z0, Z1, Z8, Z9, Z10, Z2, Z3, Z4, Z5)
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
	MOVQ q+40(FP), AX
	CONSTANTS(AX)
	SHLQ $3, DX

node:
	FACTORS((R8), (R9))
	LEAQ (DI)(DX*1), BX

words:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(DX*1), Z1
	INVERSE(Z0, Z1, Z8, Z9, Z10, Z2, Z3, Z4, Z5)
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
	MOVQ q+32(FP), AX
	CONSTANTS(AX)
	VPBROADCASTQ limit+40(FP), Z28
	FACTORS(0(R8), 8(R8))
	VPBROADCASTQ 0(R9), Z11
	VPBROADCASTQ 8(R9), Z12
	VPSHUFD      $0xf5, Z12, Z13
	SHLQ $3, DX
	LEAQ (DI)(DX*1), BX

words:
	VMOVDQU64 (DI), Z0
	VMOVDQU64 (DI)(DX*1), Z1
	VPADDQ QQ, Z0, Z2
	VPADDQ Z1, Z0, Z0          // [0, 4q)
	VPSUBQ Z1, Z2, Z1          // (0, 4q)
	TIMES(Z0, Z8, Z9, Z10, Z2, Z3, Z4, Z5)
	TIMES(Z1, Z11, Z12, Z13, Z16, Z17, Z18, Z19)
	REDUCE(Z0, Z28, Z2)
	REDUCE(Z1, Z28, Z3)
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

// SPREAD2 and SPREAD4 load two or four factors into the words that index says, w into Z8, s into Z9, and the upper halves of s into Z10.
#define SPREAD2(w, s, index) \
	VMOVDQU w, X8;         \
	VMOVDQU s, X9;         \
	VPERMQ  Z8, index, Z8; \
	VPERMQ  Z9, index, Z9; \
	VPSHUFD $0xf5, Z9, Z10
#define SPREAD4(w, s, index) \
	VMOVDQU w, Y8;         \
	VMOVDQU s, Y9;         \
	VPERMQ  Z8, index, Z8; \
	VPERMQ  Z9, index, Z9; \
	VPSHUFD $0xf5, Z9, Z10
// SPREAD8 loads the eight factors of pairs in the order 0 1 4 5 2 3 6 7.
#define SPREAD8(w, s) \
	VMOVDQU64  w, Z8;             \
	VMOVDQU64  s, Z9;             \
	VSHUFI64X2 $0xd8, Z8, Z8, Z8; \
	VSHUFI64X2 $0xd8, Z9, Z9, Z9; \
	VPSHUFD    $0xf5, Z9, Z10

// func shoupForwardLeaves512(x, w, s *uint64, node, leaves int, q uint64, reduce bool)
//
// The last four layers of forward on leaves nodes of 16 words, the first of which is node; reduced to [0, q) if reduce. w and s are those of
// node 0.
TEXT ·shoupForwardLeaves512(SB), NOSPLIT, $0-49
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ node+24(FP), DX
	MOVQ leaves+32(FP), CX
	MOVQ q+40(FP), AX
	MOVBLZX reduce+48(FP), BX
	CONSTANTS(AX)
	VMOVDQU64 shoupIndex<>+0x00(SB), Z20
	VMOVDQU64 shoupIndex<>+0x40(SB), Z21
	VMOVDQU64 shoupIndex<>+0xc0(SB), Z22
	VMOVDQU64 shoupIndex<>+0x100(SB), Z23
	SHLQ $3, DX                // bytes from node 0 to the node

leaf:
	VMOVDQU64 (DI), Z0         // 01 23 45 67
	VMOVDQU64 64(DI), Z1       // 89 ab cd ef
	FACTORS((R8)(DX*1), (R9)(DX*1))
	FORWARD(Z0, Z1, Z8, Z9, Z10, Z2, Z3, Z4, Z5)
	VSHUFI64X2 $0xee, Z1, Z0, Z2 // 45 67 cd ef
	VSHUFI64X2 $0x44, Z1, Z0, Z0 // 01 23 89 ab
	SPREAD2((R8)(DX*2), (R9)(DX*2), Z20)
	FORWARD(Z0, Z2, Z8, Z9, Z10, Z1, Z3, Z4, Z5)
	VSHUFI64X2 $0xdd, Z2, Z0, Z1 // 23 ab 67 ef
	VSHUFI64X2 $0x88, Z2, Z0, Z0 // 01 89 45 cd
	SPREAD4((R8)(DX*4), (R9)(DX*4), Z21)
	FORWARD(Z0, Z1, Z8, Z9, Z10, Z2, Z3, Z4, Z5)
	VPUNPCKHQDQ Z1, Z0, Z2     // 13 9b 57 df
	VPUNPCKLQDQ Z1, Z0, Z0     // 02 8a 46 ce
	SPREAD8((R8)(DX*8), (R9)(DX*8))
	FORWARD(Z0, Z2, Z8, Z9, Z10, Z1, Z3, Z4, Z5)
	TESTL BX, BX
	JZ    store
	REDUCE(Z0, QQ, Z1)         // [0, 2q)
	REDUCE(Z2, QQ, Z3)
	REDUCE(Z0, Q, Z1)          // [0, q)
	REDUCE(Z2, Q, Z3)

store:
	VMOVDQA64 Z0, Z1
	VPERMT2Q  Z2, Z22, Z0      // 01 23 45 67
	VPERMT2Q  Z2, Z23, Z1      // 89 ab cd ef
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	ADDQ $128, DI
	ADDQ $8, DX
	DECQ CX
	JNZ  leaf
	VZEROUPPER
	RET

// func shoupInverseLeaves512(x, w, s *uint64, node, leaves int, q uint64)
//
// The first four layers of inverse, as shoupForwardLeaves512 runs the last ones of forward.
TEXT ·shoupInverseLeaves512(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ node+24(FP), DX
	MOVQ leaves+32(FP), CX
	MOVQ q+40(FP), AX
	CONSTANTS(AX)
	VMOVDQU64 shoupIndex<>+0x80(SB), Z20
	VMOVDQU64 shoupIndex<>+0x40(SB), Z21
	VMOVDQU64 shoupIndex<>+0x140(SB), Z22
	VMOVDQU64 shoupIndex<>+0x180(SB), Z23
	SHLQ $3, DX

leaf:
	VMOVDQU64 (DI), Z0         // 01 23 45 67
	VMOVDQU64 64(DI), Z1       // 89 ab cd ef
	VMOVDQA64 Z0, Z2
	VPERMT2Q  Z1, Z22, Z0      // 02 8a 46 ce
	VPERMT2Q  Z1, Z23, Z2      // 13 9b 57 df
	SPREAD8((R8)(DX*8), (R9)(DX*8))
	INVERSE(Z0, Z2, Z8, Z9, Z10, Z1, Z3, Z4, Z5)
	VPUNPCKHQDQ Z2, Z0, Z1     // 23 ab 67 ef
	VPUNPCKLQDQ Z2, Z0, Z0     // 01 89 45 cd
	SPREAD4((R8)(DX*4), (R9)(DX*4), Z21)
	INVERSE(Z0, Z1, Z8, Z9, Z10, Z2, Z3, Z4, Z5)
	VSHUFI64X2 $0xee, Z1, Z0, Z2 // 45 cd 67 ef
	VSHUFI64X2 $0x44, Z1, Z0, Z0 // 01 89 23 ab
	SPREAD2((R8)(DX*2), (R9)(DX*2), Z20)
	INVERSE(Z0, Z2, Z8, Z9, Z10, Z1, Z3, Z4, Z5)
	VSHUFI64X2 $0xdd, Z2, Z0, Z1 // 89 ab cd ef
	VSHUFI64X2 $0x88, Z2, Z0, Z0 // 01 23 45 67
	FACTORS((R8)(DX*1), (R9)(DX*1))
	INVERSE(Z0, Z1, Z8, Z9, Z10, Z2, Z3, Z4, Z5)
	VMOVDQU64 Z0, (DI)
	VMOVDQU64 Z1, 64(DI)
	ADDQ $128, DI
	ADDQ $8, DX
	DECQ CX
	JNZ  leaf
	VZEROUPPER
	RET
