// The passes in binary32 with AVX-512 F: 8 numbers in a register.

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
#define PART 4
#define MOV VMOVUPS
#define ADD VADDPS
#define SUB VSUBPS
#define MUL VMULPS
#define ADDSUB VFMADDSUB213PS
#define SUBADD VFMSUBADD213PS
#define SWAP(x, y) VPERMILPS $0xB1, x, y
#define SPREAD(m, y) VBROADCASTSS m, y
#define COLUMN4 ·column4x32on512
#define COLUMN4LAST ·column4Lastx32on512
#define COLUMN8 ·column8x32on512
#define COLUMN8LAST ·column8Lastx32on512

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

#define SHIFT 3

// func turnx32on512(s *sweep)
TEXT ·turnx32on512(SB), NOSPLIT, $0-8
	SETUP
	SETUP8

row:
	MOVQ INNER(AX), CX

loop:
	TAKE((SI), (BX), V0)
	TAKE((SI)(R8*1), (BX)(R8*1), V1)
	TAKE((SI)(R8*2), (BX)(R8*2), V2)
	TAKE((SI)(R9*1), (BX)(R9*1), V3)
	TAKE((SI)(R8*4), (BX)(R8*4), V4)
	TAKE((SI)(R10*1), (BX)(R10*1), V5)
	TAKE((SI)(R9*2), (BX)(R9*2), V6)
	TAKE((SI)(R11*1), (BX)(R11*1), V7)
	TRANSPOSE8
	MOV Z24, (DI)
	MOV Z25, (R12)
	MOV Z26, (R12)(DX*1)
	MOV Z27, (R12)(DX*2)
	MOV Z28, (R12)(R13*1)
	MOV Z29, (R12)(DX*4)
	MOV Z30, (R12)(R14*1)
	MOV Z31, (R12)(R13*2)
	AHEAD
	DECQ CX
	JNZ  loop
	NEXTSTRIP
	JNZ  row
	VZEROUPPER
	RET
