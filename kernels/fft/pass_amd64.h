// The passes of columns_amd64.go, for one format and one width of registers: a file that includes this one defines
//
//	V0 … V15                      the registers
//	BYTES, PART                   bytes of a register, and of a part of a number
//	MOV, ADD, SUB, MUL            instructions; MOV loads, stores and copies
//	ADDSUB, SUBADD                fused multiply-adds, 213: even places subtract and odd ones add, and the other way round
//	SWAP(x, y)                    y is x with the two parts of each number exchanged
//	SPREAD(m, y)                  y is the word m in every place
//	COLUMN4, COLUMN4LAST, …       names
//
// Numbers are interleaved, so that a register holds whole numbers. A product with w has three instructions: the parts exchanged and multiplied by the
// imaginary part, and a fused product by the real part from which even places subtract that and to which odd ones add it. A sum with -i times a number
// is a fused product by 1 with the parts exchanged.
//
// V15 holds 1 in every place, V14 √2/2, V13 its negative.

#include "textflag.h"
#include "sweep_amd64.h"

// TIMES: x = x·w for the twiddle at an offset from BX; V10 to V12 are scratch.
#define TIMES(offset, x) \
	SPREAD((offset)(BX), V10);        \
	SPREAD((offset+PART)(BX), V11);   \
	SWAP(x, V12);                     \
	MUL V11, V12, V12;                \
	ADDSUB V12, V10, x

// FOUR: the forward transform of a, b, c and d, in a, c, d and t; b is free.
#define FOUR(a, b, c, d, t) \
	SUB c, a, t;        \
	ADD c, a, a;        \
	SUB d, b, c;        \
	ADD d, b, b;        \
	SWAP(c, d);         \
	MOV t, c;           \
	SUBADD d, V15, c;   \
	ADDSUB d, V15, t;   \
	SUB b, a, d;        \
	ADD b, a, a

// EIGHT: the forward transform of V0 to V7, in V0, V5, V2, V7, V3, V6, V4 and V8; V1 is free.
#define EIGHT \
	SUB V4, V0, V8;     \
	ADD V4, V0, V0;     \
	SUB V5, V1, V4;     \
	ADD V5, V1, V1;     \
	SUB V6, V2, V5;     \
	ADD V6, V2, V2;     \
	SUB V7, V3, V6;     \
	ADD V7, V3, V3;     \
	SWAP(V4, V7);       \
	SUBADD V7, V15, V4; \
	MUL V14, V4, V4;    \
	SWAP(V6, V7);       \
	ADDSUB V7, V15, V6; \
	MUL V13, V6, V6;    \
	SWAP(V5, V7);       \
	MOV V8, V5;         \
	SUBADD V7, V15, V5; \
	ADDSUB V7, V15, V8; \
	SUB V6, V4, V7;     \
	ADD V6, V4, V4;     \
	SWAP(V7, V6);       \
	MOV V8, V7;         \
	SUBADD V6, V15, V7; \
	ADDSUB V6, V15, V8; \
	SUB V4, V5, V6;     \
	ADD V4, V5, V5;     \
	FOUR(V0, V1, V2, V3, V4)

#define CONSTANTS \
	MOVQ ONE(AX), CX;               \
	SPREAD((CX), V15);              \
	SPREAD(PART(CX), V14);          \
	SPREAD((2*PART)(CX), V13)

#define LOAD4 \
	MOV (SI), V0;       \
	MOV (SI)(R8*1), V1; \
	MOV (SI)(R8*2), V2; \
	MOV (SI)(R9*1), V3; \
	ADDQ $BYTES, SI

#define STORE4 \
	MOV V0, (DI);          \
	MOV V2, (R12);         \
	MOV V3, (R12)(DX*1);   \
	MOV V4, (R12)(DX*2);   \
	ADDQ $BYTES, DI;       \
	ADDQ $BYTES, R12

#define LOAD8 \
	MOV (SI), V0;        \
	MOV (SI)(R8*1), V1;  \
	MOV (SI)(R8*2), V2;  \
	MOV (SI)(R9*1), V3;  \
	MOV (SI)(R8*4), V4;  \
	MOV (SI)(R10*1), V5; \
	MOV (SI)(R9*2), V6;  \
	MOV (SI)(R11*1), V7; \
	ADDQ $BYTES, SI

#define STORE8 \
	MOV V0, (DI);         \
	MOV V5, (R12);        \
	MOV V2, (R12)(DX*1);  \
	MOV V7, (R12)(DX*2);  \
	MOV V3, (R12)(R13*1); \
	MOV V6, (R12)(DX*4);  \
	MOV V4, (R12)(R14*1); \
	MOV V8, (R12)(R13*2); \
	ADDQ $BYTES, DI;      \
	ADDQ $BYTES, R12

// func (s *sweep)
TEXT COLUMN4(SB), NOSPLIT, $0-8
	SETUP
	CONSTANTS

row:
	MOVQ INNER(AX), CX

loop:
	LOAD4
	FOUR(V0, V1, V2, V3, V4)
	TIMES(0, V2)
	TIMES(2*PART, V3)
	TIMES(4*PART, V4)
	STORE4
	DECQ CX
	JNZ  loop
	ADDQ $(6*PART), BX
	NEXT
	JNZ  row
	VZEROUPPER
	RET

// func (s *sweep)
TEXT COLUMN4LAST(SB), NOSPLIT, $0-8
	SETUP
	CONSTANTS

row:
	MOVQ INNER(AX), CX

loop:
	LOAD4
	FOUR(V0, V1, V2, V3, V4)
	STORE4
	DECQ CX
	JNZ  loop
	NEXT
	JNZ  row
	VZEROUPPER
	RET

// func (s *sweep)
TEXT COLUMN8(SB), NOSPLIT, $0-8
	SETUP
	CONSTANTS
	SETUP8

row:
	MOVQ INNER(AX), CX

loop:
	LOAD8
	EIGHT
	TIMES(0, V5)
	TIMES(2*PART, V2)
	TIMES(4*PART, V7)
	TIMES(6*PART, V3)
	TIMES(8*PART, V6)
	TIMES(10*PART, V4)
	TIMES(12*PART, V8)
	STORE8
	DECQ CX
	JNZ  loop
	ADDQ $(14*PART), BX
	NEXT
	JNZ  row
	VZEROUPPER
	RET

// func (s *sweep)
TEXT COLUMN8LAST(SB), NOSPLIT, $0-8
	SETUP
	CONSTANTS
	SETUP8

row:
	MOVQ INNER(AX), CX

loop:
	LOAD8
	EIGHT
	STORE8
	DECQ CX
	JNZ  loop
	NEXT
	JNZ  row
	VZEROUPPER
	RET

// AHEAD goes on to the next block of a transposition of SIZE rows: SIZE columns on in src and the table, SIZE rows on in dst.
#define AHEAD \
	ADDQ $BYTES, SI;      \
	ADDQ $BYTES, BX;      \
	MOVQ DX, R15;         \
	SHLQ $SHIFT, R15;     \
	ADDQ R15, DI;         \
	ADDQ R15, R12

#define NEXTSTRIP \
	ADDQ SRCSKIP(AX), BX; \
	NEXT
