#include "textflag.h"

// The layers of shoup_layer.go with AVX2: four butterflies at a time, the same words.
//
// Ranges are multiples of the modulus q < 2^62, as in shoup_layer.go. Of words v = v1·2^32 + v0, VPMULUDQ multiplies the lower halves and
// does not look at the upper ones. Registers that all routines share:
//
//	Y15 = q, Y14 = q1 in the lower halves, Y13 = 2q, Y12 = 2^32 - 1, in each of the four words
//	Y11 = w, Y10 = w1, Y9 = s, Y8 = s1: the factors of a butterfly
//	Y4 to Y7 = scratch
//	R8, R9 = factors w and Shoup's factors s of the layer, at the first node
#define Q    Y15
#define Q1   Y14
#define QQ   Y13
#define LOW  Y12
#define W    Y11
#define W1   Y10
#define S    Y9
#define S1   Y8

// CONSTANTS fills Q, Q1, QQ and LOW from the modulus in memory.
#define CONSTANTS(q) \
	VPBROADCASTQ q, Q;          \
	VPSHUFD      $0xf5, Q, Q1;  \
	VPADDQ       Q, Q, QQ;      \
	VPCMPEQD     LOW, LOW, LOW; \
	VPSRLQ       $32, LOW, LOW

// UPPER fills W1 and S1 from W and S.
#define UPPER \
	VPSHUFD $0xf5, W, W1; \
	VPSHUFD $0xf5, S, S1

// FACTORS loads the factors of one node into all words.
#define FACTORS(w, s) \
	VPBROADCASTQ w, W; \
	VPBROADCASTQ s, S; \
	UPPER

// REDUCE takes v in [0, 2m) to [0, m): the sign of v - m, in [-m, m) with m < 2^63, says which of the two stays.
#define REDUCE(v, m) \
	VPSUBQ    m, v, Y4;    \
	VBLENDVPD Y4, v, Y4, v

// TIMES is shoupTimes: y becomes y·w - ⌊y·s/2^64⌋·q, in [0, 2q), for any word y. With
//
//	t = y1·s0 + ⌊y0·s0/2^32⌋                     <= (2^32-1)^2 + 2^32-1 < 2^64
//	u = y0·s1 + t mod 2^32                       <= (2^32-1)^2 + 2^32-1 < 2^64
//	h = ⌊y·s/2^64⌋ = y1·s1 + ⌊t/2^32⌋ + ⌊u/2^32⌋
//	m = y1·w0 + y0·w1 - h1·q0 - h0·q1            modulo 2^64
//
// it is y0·w0 - h0·q0 + m·2^32 modulo 2^64.
#define TIMES(y) \
	VPSHUFD  $0xf5, y, Y4;   /* y1 */             \
	VPMULUDQ S, y, Y5;       /* y0·s0 */          \
	VPMULUDQ S, Y4, Y6;      /* y1·s0 */          \
	VPMULUDQ W, Y4, Y7;      /* y1·w0 */          \
	VPMULUDQ S1, Y4, Y4;     /* y1·s1 */          \
	VPSRLQ   $32, Y5, Y5;                         \
	VPADDQ   Y5, Y6, Y6;     /* t */              \
	VPAND    LOW, Y6, Y5;                         \
	VPSRLQ   $32, Y6, Y6;                         \
	VPADDQ   Y6, Y4, Y4;     /* y1·s1 + ⌊t/2^32⌋ */ \
	VPMULUDQ S1, y, Y6;      /* y0·s1 */          \
	VPADDQ   Y5, Y6, Y6;     /* u */              \
	VPSRLQ   $32, Y6, Y6;                         \
	VPADDQ   Y6, Y4, Y4;     /* h */              \
	VPMULUDQ W1, y, Y5;      /* y0·w1 */          \
	VPADDQ   Y5, Y7, Y7;                          \
	VPMULUDQ W, y, y;        /* y0·w0 */          \
	VPSHUFD  $0xf5, Y4, Y5;  /* h1 */             \
	VPMULUDQ Q1, Y4, Y6;     /* h0·q1 */          \
	VPMULUDQ Q, Y5, Y5;      /* h1·q0 */          \
	VPMULUDQ Q, Y4, Y4;      /* h0·q0 */          \
	VPSUBQ   Y6, Y7, Y7;                          \
	VPSUBQ   Y5, Y7, Y7;     /* m */              \
	VPSUBQ   Y4, y, y;                            \
	VPSLLQ   $32, Y7, Y7;                         \
	VPADDQ   Y7, y, y

// FORWARD is shoupForward: x in [0, 4q) and any y become x + w·y and x - w·y + 2q, both in [0, 4q).
#define FORWARD(x, y) \
	REDUCE(x, QQ);           /* [0, 2q) */        \
	TIMES(y);                                     \
	VPADDQ   QQ, x, Y4;                           \
	VPADDQ   y, x, x;                             \
	VPSUBQ   y, Y4, y

// INVERSE is shoupInverse: x and y in [0, 2q) become x + y and (x - y)·w, both in [0, 2q).
#define INVERSE(x, y) \
	VPADDQ   QQ, x, Y4;                           \
	VPADDQ   y, x, x;        /* [0, 4q) */        \
	VPSUBQ   y, Y4, y;       /* (0, 4q) */        \
	REDUCE(x, QQ);                                \
	TIMES(y)

// func shoupForwardLayer256(x, w, s *uint64, nodes, half int, q uint64)
//
// One layer of forward: nodes nodes of 2·half words each, half a multiple of 4.
TEXT ·shoupForwardLayer256(SB), NOSPLIT, $0-48
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
	VMOVDQU (DI), Y0
	VMOVDQU (DI)(DX*1), Y1
	FORWARD(Y0, Y1)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, (DI)(DX*1)
	ADDQ $32, DI
	CMPQ DI, BX
	JB   words

	LEAQ (BX)(DX*1), DI
	ADDQ $8, R8
	ADDQ $8, R9
	DECQ CX
	JNZ  node
	VZEROUPPER
	RET

// func shoupInverseLayer256(x, w, s *uint64, nodes, half int, q uint64)
//
// One layer of inverse: nodes nodes of 2·half words each, half a multiple of 4.
TEXT ·shoupInverseLayer256(SB), NOSPLIT, $0-48
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
	VMOVDQU (DI), Y0
	VMOVDQU (DI)(DX*1), Y1
	INVERSE(Y0, Y1)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, (DI)(DX*1)
	ADDQ $32, DI
	CMPQ DI, BX
	JB   words

	LEAQ (BX)(DX*1), DI
	ADDQ $8, R8
	ADDQ $8, R9
	DECQ CX
	JNZ  node
	VZEROUPPER
	RET

// func shoupScaleLayer256(x *uint64, half int, scale, last *shoupFactor, q, limit uint64)
//
// The last layer of inverse with the scaling, as shoupScaleLayer: (x, y) becomes ((x + y)·scale, (x - y)·last), reduced once by limit. half is
// a multiple of 4.
TEXT ·shoupScaleLayer256(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ half+8(FP), DX
	MOVQ scale+16(FP), R8
	MOVQ last+24(FP), R9
	CONSTANTS(q+32(FP))
	VPBROADCASTQ limit+40(FP), Y3
	SHLQ $3, DX
	LEAQ (DI)(DX*1), BX

words:
	VMOVDQU (DI), Y0
	VMOVDQU (DI)(DX*1), Y1
	VPADDQ QQ, Y0, Y2
	VPADDQ Y1, Y0, Y0          // [0, 4q)
	VPSUBQ Y1, Y2, Y1          // (0, 4q)
	FACTORS(0(R8), 8(R8))
	TIMES(Y0)
	FACTORS(0(R9), 8(R9))
	TIMES(Y1)
	REDUCE(Y0, Y3)
	REDUCE(Y1, Y3)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, (DI)(DX*1)
	ADDQ $32, DI
	CMPQ DI, BX
	JB   words
	VZEROUPPER
	RET

// Leaves: the three layers of a node of 8 words. The comments say which words of the leaf a register holds; a pair of words is one 128-bit
// lane. The layers of leaf k are macros, which leave their words in memory: four leaves run side by side, layer by layer, for the machine to
// work on one while it waits for the products of another.

// FACTORS2 loads the factors 0 0 1 1, FACTORS4 the factors 0 1 2 3.
#define FACTORS2(w, s) \
	VMOVDQU w, X11;      \
	VMOVDQU s, X9;       \
	VPERMQ  $0x50, W, W; \
	VPERMQ  $0x50, S, S; \
	UPPER
#define FACTORS4(w, s) \
	VMOVDQU w, W; \
	VMOVDQU s, S; \
	UPPER
#define LOAD(k, x, y) \
	VMOVDQU k*64(DI), x;    \
	VMOVDQU k*64+32(DI), y
#define STORE(k, x, y) \
	VMOVDQU x, k*64(DI);    \
	VMOVDQU y, k*64+32(DI)

#define FORWARD1(k) \
	LOAD(k, Y0, Y1);               /* 01 23, 45 67 */ \
	FACTORS(k*8(R8)(DX*1), k*8(R9)(DX*1));            \
	FORWARD(Y0, Y1);                                  \
	STORE(k, Y0, Y1)
#define FORWARD2(k) \
	LOAD(k, Y2, Y3);                                  \
	VPERM2I128 $0x20, Y3, Y2, Y0;  /* 01 45 */        \
	VPERM2I128 $0x31, Y3, Y2, Y1;  /* 23 67 */        \
	FACTORS2(k*16(R8)(DX*2), k*16(R9)(DX*2));         \
	FORWARD(Y0, Y1);                                  \
	STORE(k, Y0, Y1)
#define FORWARD4(k) \
	LOAD(k, Y2, Y3);                                  \
	VPUNPCKLQDQ Y3, Y2, Y0;        /* 02 46 */        \
	VPUNPCKHQDQ Y3, Y2, Y1;        /* 13 57 */        \
	FACTORS4(k*32(R8)(DX*4), k*32(R9)(DX*4));         \
	FORWARD(Y0, Y1)
#define REDUCE4 \
	REDUCE(Y0, QQ);                /* [0, 2q) */      \
	REDUCE(Y1, QQ);                                   \
	REDUCE(Y0, Q);                 /* [0, q) */       \
	REDUCE(Y1, Q)
#define LEAVE(k) \
	VPUNPCKLQDQ Y1, Y0, Y2;        /* 01 45 */        \
	VPUNPCKHQDQ Y1, Y0, Y3;        /* 23 67 */        \
	VPERM2I128  $0x20, Y3, Y2, Y0; /* 01 23 */        \
	VPERM2I128  $0x31, Y3, Y2, Y1; /* 45 67 */        \
	STORE(k, Y0, Y1)

// func shoupForwardLeaves256(x, w, s *uint64, node, leaves int, q uint64, reduce bool)
//
// The last three layers of forward on leaves nodes of 8 words, the first of which is node; reduced to [0, q) if reduce. w and s are those of
// node 0; leaves is a multiple of 4.
TEXT ·shoupForwardLeaves256(SB), NOSPLIT, $0-49
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ node+24(FP), DX
	MOVQ leaves+32(FP), CX
	CONSTANTS(q+40(FP))
	MOVBLZX reduce+48(FP), BX
	SHLQ $3, DX                // bytes from node 0 to the node

leaves4:
	FORWARD1(0)
	FORWARD1(1)
	FORWARD1(2)
	FORWARD1(3)
	FORWARD2(0)
	FORWARD2(1)
	FORWARD2(2)
	FORWARD2(3)
	TESTL BX, BX
	JZ    lazy
	FORWARD4(0)
	REDUCE4
	LEAVE(0)
	FORWARD4(1)
	REDUCE4
	LEAVE(1)
	FORWARD4(2)
	REDUCE4
	LEAVE(2)
	FORWARD4(3)
	REDUCE4
	LEAVE(3)
	JMP   next

lazy:
	FORWARD4(0)
	LEAVE(0)
	FORWARD4(1)
	LEAVE(1)
	FORWARD4(2)
	LEAVE(2)
	FORWARD4(3)
	LEAVE(3)

next:
	ADDQ $256, DI
	ADDQ $32, DX
	SUBQ $4, CX
	JNZ  leaves4
	VZEROUPPER
	RET

#define INVERSE4(k) \
	LOAD(k, Y0, Y1);               /* 01 23, 45 67 */ \
	VPERM2I128  $0x20, Y1, Y0, Y2; /* 01 45 */        \
	VPERM2I128  $0x31, Y1, Y0, Y3; /* 23 67 */        \
	VPUNPCKLQDQ Y3, Y2, Y0;        /* 02 46 */        \
	VPUNPCKHQDQ Y3, Y2, Y1;        /* 13 57 */        \
	FACTORS4(k*32(R8)(DX*4), k*32(R9)(DX*4));         \
	INVERSE(Y0, Y1);                                  \
	STORE(k, Y0, Y1)
#define INVERSE2(k) \
	LOAD(k, Y2, Y3);                                  \
	VPUNPCKLQDQ Y3, Y2, Y0;        /* 01 45 */        \
	VPUNPCKHQDQ Y3, Y2, Y1;        /* 23 67 */        \
	FACTORS2(k*16(R8)(DX*2), k*16(R9)(DX*2));         \
	INVERSE(Y0, Y1);                                  \
	STORE(k, Y0, Y1)
#define INVERSE1(k) \
	LOAD(k, Y2, Y3);                                  \
	VPERM2I128 $0x20, Y3, Y2, Y0;  /* 01 23 */        \
	VPERM2I128 $0x31, Y3, Y2, Y1;  /* 45 67 */        \
	FACTORS(k*8(R8)(DX*1), k*8(R9)(DX*1));            \
	INVERSE(Y0, Y1);                                  \
	STORE(k, Y0, Y1)

// func shoupInverseLeaves256(x, w, s *uint64, node, leaves int, q uint64)
//
// The first three layers of inverse, as shoupForwardLeaves256 runs the last ones of forward.
TEXT ·shoupInverseLeaves256(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ s+16(FP), R9
	MOVQ node+24(FP), DX
	MOVQ leaves+32(FP), CX
	CONSTANTS(q+40(FP))
	SHLQ $3, DX

leaves4:
	INVERSE4(0)
	INVERSE4(1)
	INVERSE4(2)
	INVERSE4(3)
	INVERSE2(0)
	INVERSE2(1)
	INVERSE2(2)
	INVERSE2(3)
	INVERSE1(0)
	INVERSE1(1)
	INVERSE1(2)
	INVERSE1(3)
	ADDQ $256, DI
	ADDQ $32, DX
	SUBQ $4, CX
	JNZ  leaves4
	VZEROUPPER
	RET
