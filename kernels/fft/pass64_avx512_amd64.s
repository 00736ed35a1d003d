// The passes in binary64 with AVX-512 F: 4 numbers in a register.

#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14
#define V15 Z15
#define BYTES 64
#define PART 8
#define MOV VMOVUPD
#define ADD VADDPD
#define SUB VSUBPD
#define MUL VMULPD
#define ADDSUB VFMADDSUB213PD
#define SUBADD VFMSUBADD213PD
#define SWAP(x, y) VPERMILPD $0x55, x, y
#define SPREAD(m, y) VBROADCASTSD m, y
#define COLUMN4 ·column4x64on512
#define COLUMN4LAST ·column4Lastx64on512
#define COLUMN8 ·column8x64on512
#define COLUMN8LAST ·column8Lastx64on512

#include "pass_amd64.h"

#define REALS(m, y) VMOVDDUP m, y
#define IMAGS(m, y) VPERMILPD $0xFF, m, y
// TAKE: x is the numbers at row times the factors at table; V10 to V12 are scratch.
#define TAKE(row, table, x) \
	MOV row, x;          \
	REALS(table, V10);   \
	IMAGS(table, V11);   \
	SWAP(x, V12);        \
	MUL V11, V12, V12;   \
	ADDSUB V12, V10, x

#define SHIFT 2

// func turnx64on512(s *sweep)
TEXT ·turnx64on512(SB), NOSPLIT, $0-8
	SETUP

row:
	MOVQ INNER(AX), CX

loop:
	TAKE((SI), (BX), V0)
	TAKE((SI)(R8*1), (BX)(R8*1), V1)
	TAKE((SI)(R8*2), (BX)(R8*2), V2)
	TAKE((SI)(R9*1), (BX)(R9*1), V3)
	VSHUFF64X2 $0x44, Z1, Z0, Z4
	VSHUFF64X2 $0xEE, Z1, Z0, Z5
	VSHUFF64X2 $0x44, Z3, Z2, Z6
	VSHUFF64X2 $0xEE, Z3, Z2, Z7
	VSHUFF64X2 $0x88, Z6, Z4, Z0
	VSHUFF64X2 $0xDD, Z6, Z4, Z1
	VSHUFF64X2 $0x88, Z7, Z5, Z2
	VSHUFF64X2 $0xDD, Z7, Z5, Z3
	MOV Z0, (DI)
	MOV Z1, (R12)
	MOV Z2, (R12)(DX*1)
	MOV Z3, (R12)(DX*2)
	AHEAD
	DECQ CX
	JNZ  loop
	NEXTSTRIP
	JNZ  row
	VZEROUPPER
	RET
