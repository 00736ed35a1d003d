// The passes in binary32 with AVX2 and FMA: 4 numbers in a register.

#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define V15 Y15
#define BYTES 32
#define PART 4
#define MOV VMOVUPS
#define ADD VADDPS
#define SUB VSUBPS
#define MUL VMULPS
#define ADDSUB VFMADDSUB213PS
#define SUBADD VFMSUBADD213PS
#define SWAP(x, y) VPERMILPS $0xB1, x, y
#define SPREAD(m, y) VBROADCASTSS m, y
#define COLUMN4 ·column4x32on256
#define COLUMN4LAST ·column4Lastx32on256
#define COLUMN8 ·column8x32on256
#define COLUMN8LAST ·column8Lastx32on256

#include "pass_amd64.h"

#define REALS(m, y) VMOVSLDUP m, y
#define IMAGS(m, y) VMOVSHDUP m, y
// TAKE: x is the numbers at row times the factors at table; V10 to V12 are scratch.
#define TAKE(row, table, x) \
	MOV row, x;          \
	REALS(table, V10);   \
	IMAGS(table, V11);   \
	SWAP(x, V12);        \
	MUL V11, V12, V12;   \
	ADDSUB V12, V10, x

#define SHIFT 2

// func turnx32on256(s *sweep)
TEXT ·turnx32on256(SB), NOSPLIT, $0-8
	SETUP

row:
	MOVQ INNER(AX), CX

loop:
	TAKE((SI), (BX), V0)
	TAKE((SI)(R8*1), (BX)(R8*1), V1)
	TAKE((SI)(R8*2), (BX)(R8*2), V2)
	TAKE((SI)(R9*1), (BX)(R9*1), V3)
	VUNPCKLPD Y1, Y0, Y4
	VUNPCKHPD Y1, Y0, Y5
	VUNPCKLPD Y3, Y2, Y6
	VUNPCKHPD Y3, Y2, Y7
	VPERM2F128 $0x20, Y6, Y4, Y0
	VPERM2F128 $0x20, Y7, Y5, Y1
	VPERM2F128 $0x31, Y6, Y4, Y2
	VPERM2F128 $0x31, Y7, Y5, Y3
	MOV Y0, (DI)
	MOV Y1, (R12)
	MOV Y2, (R12)(DX*1)
	MOV Y3, (R12)(DX*2)
	AHEAD
	DECQ CX
	JNZ  loop
	NEXTSTRIP
	JNZ  row
	VZEROUPPER
	RET
