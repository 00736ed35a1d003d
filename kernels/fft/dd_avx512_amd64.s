// The passes in double words of binary64 with AVX-512 F. Eight numbers are four registers, one after the other in memory: the high words of real parts,
// their low words, and the same of imaginary parts. Steps and rounding are those of number.go, operation by operation.

#include "textflag.h"
#include "sweep_amd64.h"

// SUMDIFFERENCE: (x, y) = (x + y, x - y), by two SloppyDWPlusDW; Z16 to Z21 are scratch.
#define SUMDIFFERENCE(xh, xl, yh, yl) \
	VADDPD yh, xh, Z16;   \
	VSUBPD yh, xh, Z17;   \
	VSUBPD xh, Z16, Z18;  \
	VSUBPD xh, Z17, Z20;  \
	VSUBPD Z18, Z16, Z19; \
	VSUBPD Z20, Z17, Z21; \
	VSUBPD Z19, xh, Z19;  \
	VSUBPD Z21, xh, Z21;  \
	VSUBPD Z18, yh, Z18;  \
	VADDPD Z20, yh, Z20;  \
	VADDPD Z18, Z19, Z18; \
	VSUBPD Z20, Z21, Z20; \
	VADDPD yl, xl, Z19;   \
	VSUBPD yl, xl, Z21;   \
	VADDPD Z19, Z18, Z18; \
	VADDPD Z21, Z20, Z20; \
	VADDPD Z18, Z16, xh;  \
	VADDPD Z20, Z17, yh;  \
	VSUBPD Z16, xh, Z19;  \
	VSUBPD Z17, yh, Z21;  \
	VSUBPD Z19, Z18, xl;  \
	VSUBPD Z21, Z20, yl

// TIMES: (Z30, Z31) and (Z28, Z29) are the real and the imaginary part of x·w, twoProducts twice. PRODUCT, MINUS and PLUS take a word of w, at
// rh, rl, ih or il, as an operand from memory. Z16 to Z27 are scratch.
#define TIMES(xrh, xrl, xih, xil, rh, rl, ih, il) \
	PRODUCT rh, xrh, Z16; \
	PRODUCT ih, xrh, Z22; \
	PRODUCT ih, xih, Z17; \
	PRODUCT rh, xih, Z23; \
	VMOVAPD Z16, Z18;     \
	VMOVAPD Z22, Z24;     \
	VMOVAPD Z17, Z19;     \
	VMOVAPD Z23, Z25;     \
	MINUS rh, xrh, Z18;   \
	MINUS ih, xrh, Z24;   \
	MINUS ih, xih, Z19;   \
	MINUS rh, xih, Z25;   \
	PLUS rl, xrh, Z18;    \
	PLUS il, xrh, Z24;    \
	PLUS il, xih, Z19;    \
	PLUS rl, xih, Z25;    \
	PLUS rh, xrl, Z18;    \
	PLUS ih, xrl, Z24;    \
	PLUS ih, xil, Z19;    \
	PLUS rh, xil, Z25;    \
	VSUBPD Z17, Z16, Z20; \
	VADDPD Z23, Z22, Z26; \
	VSUBPD Z19, Z18, Z18; \
	VADDPD Z25, Z24, Z24; \
	VSUBPD Z16, Z20, Z21; \
	VSUBPD Z22, Z26, Z27; \
	VSUBPD Z21, Z20, Z19; \
	VSUBPD Z27, Z26, Z25; \
	VADDPD Z21, Z17, Z17; \
	VSUBPD Z27, Z23, Z23; \
	VSUBPD Z19, Z16, Z19; \
	VSUBPD Z25, Z22, Z25; \
	VSUBPD Z17, Z19, Z19; \
	VADDPD Z23, Z25, Z25; \
	VADDPD Z18, Z19, Z19; \
	VADDPD Z24, Z25, Z25; \
	VADDPD Z19, Z20, Z30; \
	VADDPD Z25, Z26, Z28; \
	VSUBPD Z20, Z30, Z21; \
	VSUBPD Z26, Z28, Z27; \
	VSUBPD Z21, Z19, Z31; \
	VSUBPD Z27, Z25, Z29

#define LOAD(at, a, b, c, d) \
	VMOVUPD 0 at, a;   \
	VMOVUPD 64 at, b;  \
	VMOVUPD 128 at, c; \
	VMOVUPD 192 at, d

#define STORE(a, b, c, d, at) \
	VMOVUPD a, 0 at;   \
	VMOVUPD b, 64 at;  \
	VMOVUPD c, 128 at; \
	VMOVUPD d, 192 at

// FOUR: the forward transform of a in Z0 to Z3, b in Z8 to Z11, c in Z4 to Z7 and d in Z12 to Z15. Values 0 and 2 are in the places of a and b; the real part of
// value 1 is in Z4, Z5 and its imaginary part in Z12, Z13; those of value 3 are in Z14, Z15 and Z6, Z7.
#define FOUR \
	SUMDIFFERENCE(Z0, Z1, Z4, Z5); \
	SUMDIFFERENCE(Z2, Z3, Z6, Z7); \
	SUMDIFFERENCE(Z8, Z9, Z12, Z13); \
	SUMDIFFERENCE(Z10, Z11, Z14, Z15); \
	SUMDIFFERENCE(Z0, Z1, Z8, Z9); \
	SUMDIFFERENCE(Z2, Z3, Z10, Z11); \
	SUMDIFFERENCE(Z4, Z5, Z14, Z15); \
	SUMDIFFERENCE(Z6, Z7, Z12, Z13)

#define LOAD4 \
	LOAD((SI), Z0, Z1, Z2, Z3); \
	LOAD((SI)(R8*1), Z8, Z9, Z10, Z11); \
	LOAD((SI)(R8*2), Z4, Z5, Z6, Z7); \
	LOAD((SI)(R9*1), Z12, Z13, Z14, Z15); \
	ADDQ $256, SI

#define PRODUCT VMULPD.BCST
#define MINUS VFMSUB231PD.BCST
#define PLUS VFMADD231PD.BCST

// func column4xDD(s *sweep)
TEXT ·column4xDD(SB), NOSPLIT, $0-8
	SETUP

row:
	MOVQ INNER(AX), CX

loop:
	LOAD4
	FOUR
	STORE(Z0, Z1, Z2, Z3, (DI))
	TIMES(Z4, Z5, Z12, Z13, 0(BX), 8(BX), 16(BX), 24(BX))
	STORE(Z30, Z31, Z28, Z29, (R12))
	TIMES(Z8, Z9, Z10, Z11, 32(BX), 40(BX), 48(BX), 56(BX))
	STORE(Z30, Z31, Z28, Z29, (R12)(DX*1))
	TIMES(Z14, Z15, Z6, Z7, 64(BX), 72(BX), 80(BX), 88(BX))
	STORE(Z30, Z31, Z28, Z29, (R12)(DX*2))
	ADDQ $256, DI
	ADDQ $256, R12
	DECQ CX
	JNZ  loop
	ADDQ $96, BX
	NEXT
	JNZ  row
	VZEROUPPER
	RET

// func column4LastxDD(s *sweep)
TEXT ·column4LastxDD(SB), NOSPLIT, $0-8
	SETUP

row:
	MOVQ INNER(AX), CX

loop:
	LOAD4
	FOUR
	STORE(Z0, Z1, Z2, Z3, (DI))
	STORE(Z4, Z5, Z12, Z13, (R12))
	STORE(Z8, Z9, Z10, Z11, (R12)(DX*1))
	STORE(Z14, Z15, Z6, Z7, (R12)(DX*2))
	ADDQ $256, DI
	ADDQ $256, R12
	DECQ CX
	JNZ  loop
	NEXT
	JNZ  row
	VZEROUPPER
	RET

// func column2xDD(s *sweep)
TEXT ·column2xDD(SB), NOSPLIT, $0-8
	SETUP

row:
	MOVQ INNER(AX), CX

loop:
	LOAD((SI), Z0, Z1, Z2, Z3)
	LOAD((SI)(R8*1), Z4, Z5, Z6, Z7)
	ADDQ $256, SI
	SUMDIFFERENCE(Z0, Z1, Z4, Z5)
	SUMDIFFERENCE(Z2, Z3, Z6, Z7)
	STORE(Z0, Z1, Z2, Z3, (DI))
	TIMES(Z4, Z5, Z6, Z7, 0(BX), 8(BX), 16(BX), 24(BX))
	STORE(Z30, Z31, Z28, Z29, (R12))
	ADDQ $256, DI
	ADDQ $256, R12
	DECQ CX
	JNZ  loop
	ADDQ $32, BX
	NEXT
	JNZ  row
	VZEROUPPER
	RET

#undef PRODUCT
#undef MINUS
#undef PLUS
#define PRODUCT VMULPD
#define MINUS VFMSUB231PD
#define PLUS VFMADD231PD

// func twistxDD(s *sweep)
// dst is src times the table, inner registers' numbers.
TEXT ·twistxDD(SB), NOSPLIT, $0-8
	SETUP
	MOVQ INNER(AX), CX

loop:
	LOAD((SI), Z0, Z1, Z2, Z3)
	TIMES(Z0, Z1, Z2, Z3, 0(BX), 64(BX), 128(BX), 192(BX))
	STORE(Z30, Z31, Z28, Z29, (DI))
	ADDQ $256, SI
	ADDQ $256, DI
	ADDQ $256, BX
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// TURN: the words of one kind of eight rows, transposed.
#define TURN(at) \
	VMOVUPD at(SI), Z0;         \
	VMOVUPD at(SI)(R8*1), Z1;   \
	VMOVUPD at(SI)(R8*2), Z2;   \
	VMOVUPD at(SI)(R9*1), Z3;   \
	VMOVUPD at(SI)(R8*4), Z4;   \
	VMOVUPD at(SI)(R10*1), Z5;  \
	VMOVUPD at(SI)(R9*2), Z6;   \
	VMOVUPD at(SI)(R11*1), Z7;  \
	TRANSPOSE8;                 \
	VMOVUPD Z24, at(DI);        \
	VMOVUPD Z25, at(R12);       \
	VMOVUPD Z26, at(R12)(DX*1); \
	VMOVUPD Z27, at(R12)(DX*2); \
	VMOVUPD Z28, at(R12)(R13*1); \
	VMOVUPD Z29, at(R12)(DX*4); \
	VMOVUPD Z30, at(R12)(R14*1); \
	VMOVUPD Z31, at(R12)(R13*2)

// func turnxDD(s *sweep)
TEXT ·turnxDD(SB), NOSPLIT, $0-8
	SETUP
	SETUP8

row:
	MOVQ INNER(AX), CX

loop:
	TURN(0)
	TURN(64)
	TURN(128)
	TURN(192)
	ADDQ $256, SI
	LEAQ (DI)(DX*8), DI
	LEAQ (R12)(DX*8), R12
	DECQ CX
	JNZ  loop
	NEXT
	JNZ  row
	VZEROUPPER
	RET
