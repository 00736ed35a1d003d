#include "textflag.h"

// Four numbers at a time, a word of each in the four lanes of a register, by SSE2, which every amd64 has. Each line is a step of
// MultiplyDD in Go, and rounds as it does: there is no fused operation here.
//
// X0 to X7 hold ah, al, bh, bl, ch, cl, dh, dl; the frame holds the halves of the high words at 0 to 127, and the real part at 128.

// LANES turns four numbers at p into their words: h, l, i, j = re.Hi, re.Lo, im.Hi, im.Lo.
#define LANES(p, h, l, i, j) \
	MOVUPS   (p), h;    \
	MOVUPS   16(p), X12; \
	MOVUPS   32(p), l;  \
	MOVUPS   48(p), X13; \
	MOVAPS   h, i;      \
	UNPCKLPS X12, h;    \
	UNPCKHPS X12, i;    \
	MOVAPS   l, X14;    \
	UNPCKLPS X13, X14;  \
	UNPCKHPS X13, l;    \
	MOVAPS   i, j;      \
	UNPCKLPD l, i;      \
	UNPCKHPD l, j;      \
	MOVAPS   h, l;      \
	UNPCKLPD X14, h;    \
	UNPCKHPD X14, l

// CUT stores the upper and the lower half of v at offset at and the next register's. X15 is the mask.
#define CUT(v, at) \
	MOVAPS v, X12;          \
	ANDPS  X15, X12;        \
	MOVAPS v, X13;          \
	SUBPS  X12, X13;        \
	MOVUPS X12, at(SP);     \
	MOVUPS X13, (at+16)(SP)

// TIMES sets h and l to DWTimesDW1 of (xh, xl) and (yh, yl), whose halves stand at xs and ys. It needs X12 to X15.
#define TIMES(xh, xl, xs, yh, yl, ys, h, l) \
	MOVUPS xs(SP), l;        \
	MOVUPS ys(SP), X12;      \
	MOVUPS (ys+16)(SP), X13; \
	MOVUPS (xs+16)(SP), X14; \
	MOVAPS l, X15;           \
	MOVAPS xh, h;            \
	MULPS  yh, h;            \
	MULPS  X12, l;           \
	SUBPS  h, l;             \
	MULPS  X13, X15;         \
	ADDPS  X15, l;           \
	MULPS  X14, X12;         \
	ADDPS  X12, l;           \
	MULPS  X14, X13;         \
	ADDPS  X13, l;           \
	MOVAPS xh, X12;          \
	MULPS  yl, X12;          \
	MOVAPS xl, X13;          \
	MULPS  yh, X13;          \
	ADDPS  X13, X12;         \
	ADDPS  X12, l;           \
	MOVAPS h, X12;           \
	ADDPS  l, h;             \
	MOVAPS h, X13;           \
	SUBPS  X12, X13;         \
	SUBPS  X13, l

// PLUS sets X10 and X9 to AccurateDWPlusDW of (X8, X9) and (X10, X11). It needs X12 to X15.
#define PLUS \
	MOVAPS X8, X12;  \
	ADDPS  X10, X12; \
	MOVAPS X12, X13; \
	SUBPS  X10, X13; \
	MOVAPS X12, X14; \
	SUBPS  X13, X14; \
	SUBPS  X13, X8;  \
	SUBPS  X14, X10; \
	ADDPS  X10, X8;  \
	MOVAPS X9, X13;  \
	ADDPS  X11, X13; \
	MOVAPS X13, X14; \
	SUBPS  X11, X14; \
	MOVAPS X13, X15; \
	SUBPS  X14, X15; \
	SUBPS  X14, X9;  \
	SUBPS  X15, X11; \
	ADDPS  X11, X9;  \
	ADDPS  X13, X8;  \
	MOVAPS X12, X13; \
	ADDPS  X8, X13;  \
	MOVAPS X13, X14; \
	SUBPS  X12, X14; \
	SUBPS  X14, X8;  \
	ADDPS  X8, X9;   \
	MOVAPS X13, X10; \
	ADDPS  X9, X10;  \
	MOVAPS X10, X11; \
	SUBPS  X13, X11; \
	SUBPS  X11, X9

// func multiply4(dst, x, y *float32, n int)
TEXT ·multiply4(SB), NOSPLIT, $160-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	LANES(SI, X0, X1, X2, X3)
	LANES(DX, X4, X5, X6, X7)
	PCMPEQL X15, X15
	PSLLL   $12, X15
	CUT(X0, 0)
	CUT(X2, 32)
	CUT(X4, 64)
	CUT(X6, 96)

	TIMES(X0, X1, 0, X4, X5, 64, X8, X9)
	TIMES(X2, X3, 32, X6, X7, 96, X10, X11)
	PCMPEQL X15, X15
	PSLLL   $31, X15
	XORPS   X15, X10
	XORPS   X15, X11
	PLUS
	MOVUPS  X10, 128(SP)
	MOVUPS  X9, 144(SP)

	TIMES(X0, X1, 0, X6, X7, 96, X8, X9)
	TIMES(X2, X3, 32, X4, X5, 64, X10, X11)
	PLUS

	MOVUPS   128(SP), X8
	MOVUPS   144(SP), X11
	MOVAPS   X8, X12
	UNPCKLPS X11, X8
	UNPCKHPS X11, X12
	MOVAPS   X10, X13
	UNPCKLPS X9, X10
	UNPCKHPS X9, X13
	MOVAPS   X8, X14
	UNPCKLPD X10, X8
	UNPCKHPD X10, X14
	MOVAPS   X12, X15
	UNPCKLPD X13, X12
	UNPCKHPD X13, X15
	MOVUPS   X8, (DI)
	MOVUPS   X14, 16(DI)
	MOVUPS   X12, 32(DI)
	MOVUPS   X15, 48(DI)

	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	DECQ CX
	JNZ  loop
	RET
