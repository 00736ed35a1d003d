// What all passes share: see sweep in columns_amd64.go.

// The fields of sweep.
#define DST 0
#define SRC 8
#define TWIDDLES 16
#define OUTER 24
#define INNER 32
#define SRCSKIP 40
#define DSTSKIP 48
#define SRCLEG 56
#define DSTLEG 64
#define DSTFIRST 72
#define ONE 80

#define SETUP \
	MOVQ s+0(FP), AX;       \
	MOVQ SRC(AX), SI;       \
	MOVQ DST(AX), DI;       \
	MOVQ DSTFIRST(AX), R12; \
	ADDQ DI, R12;           \
	MOVQ TWIDDLES(AX), BX;  \
	MOVQ SRCLEG(AX), R8;    \
	LEAQ (R8)(R8*2), R9;    \
	MOVQ DSTLEG(AX), DX;    \
	LEAQ (DX)(DX*2), R13

#define SETUP8 \
	LEAQ (R8)(R8*4), R10;   \
	LEAQ (R9)(R8*4), R11;   \
	LEAQ (DX)(DX*4), R14

// NEXT goes on to the next row of the sweep.
#define NEXT \
	MOVQ SRCSKIP(AX), CX; \
	ADDQ CX, SI;          \
	MOVQ DSTSKIP(AX), CX; \
	ADDQ CX, DI;          \
	ADDQ CX, R12;         \
	DECQ OUTER(AX)

// TRANSPOSE8: Z0 to Z7, rows of eight words of 64 bits, transposed to Z24 to Z31; Z16 to Z23 are scratch.
#define TRANSPOSE8 \
	VUNPCKLPD Z1, Z0, Z16; \
	VUNPCKHPD Z1, Z0, Z17; \
	VUNPCKLPD Z3, Z2, Z18; \
	VUNPCKHPD Z3, Z2, Z19; \
	VUNPCKLPD Z5, Z4, Z20; \
	VUNPCKHPD Z5, Z4, Z21; \
	VUNPCKLPD Z7, Z6, Z22; \
	VUNPCKHPD Z7, Z6, Z23; \
	VSHUFF64X2 $0x44, Z18, Z16, Z0; \
	VSHUFF64X2 $0xEE, Z18, Z16, Z1; \
	VSHUFF64X2 $0x44, Z22, Z20, Z2; \
	VSHUFF64X2 $0xEE, Z22, Z20, Z3; \
	VSHUFF64X2 $0x88, Z2, Z0, Z24; \
	VSHUFF64X2 $0xDD, Z2, Z0, Z26; \
	VSHUFF64X2 $0x88, Z3, Z1, Z28; \
	VSHUFF64X2 $0xDD, Z3, Z1, Z30; \
	VSHUFF64X2 $0x44, Z19, Z17, Z0; \
	VSHUFF64X2 $0xEE, Z19, Z17, Z1; \
	VSHUFF64X2 $0x44, Z23, Z21, Z2; \
	VSHUFF64X2 $0xEE, Z23, Z21, Z3; \
	VSHUFF64X2 $0x88, Z2, Z0, Z25; \
	VSHUFF64X2 $0xDD, Z2, Z0, Z27; \
	VSHUFF64X2 $0x88, Z3, Z1, Z29; \
	VSHUFF64X2 $0xDD, Z3, Z1, Z31
