// The passes in binary64 with AVX2 and FMA: 2 numbers in a register.

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
#define PART 8
#define MOV VMOVUPD
#define ADD VADDPD
#define SUB VSUBPD
#define MUL VMULPD
#define ADDSUB VFMADDSUB213PD
#define SUBADD VFMSUBADD213PD
#define SWAP(x, y) VPERMILPD $0x55, x, y
#define SPREAD(m, y) VBROADCASTSD m, y
#define COLUMN4 ·column4x64on256
#define COLUMN4LAST ·column4Lastx64on256
#define COLUMN8 ·column8x64on256
#define COLUMN8LAST ·column8Lastx64on256

#include "pass_amd64.h"

#define REALS(m, y) VMOVDDUP m, y
#define IMAGS(m, y) VPERMILPD $0xF, m, y
// TAKE: x is the numbers at row times the factors at table; V10 to V12 are scratch.
#define TAKE(row, table, x) \
	MOV row, x;          \
	REALS(table, V10);   \
	IMAGS(table, V11);   \
	SWAP(x, V12);        \
	MUL V11, V12, V12;   \
	ADDSUB V12, V10, x

#define SHIFT 1

// func turnx64on256(s *sweep)
TEXT ·turnx64on256(SB), NOSPLIT, $0-8
	SETUP

row:
	MOVQ INNER(AX), CX

loop:
	TAKE((SI), (BX), V0)
	TAKE((SI)(R8*1), (BX)(R8*1), V1)
	VPERM2F128 $0x20, Y1, Y0, Y2
	VPERM2F128 $0x31, Y1, Y0, Y3
	MOV Y2, (DI)
	MOV Y3, (R12)
	AHEAD
	DECQ CX
	JNZ  loop
	NEXTSTRIP
	JNZ  row
	VZEROUPPER
	RET
