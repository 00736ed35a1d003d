//go:build gc

#include "textflag.h"

// func readControl() (mxcsr uint32, x87 uint16)
TEXT ·readControl(SB), NOSPLIT, $0-6
	STMXCSR mxcsr+0(FP)
	FSTCW   x87+4(FP)
	RET

// func writeControl(mxcsr uint32, x87 uint16)
TEXT ·writeControl(SB), NOSPLIT, $0-6
	LDMXCSR mxcsr+0(FP)
	FLDCW   x87+4(FP)
	RET
