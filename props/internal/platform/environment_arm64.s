//go:build gc

#include "textflag.h"

// func readControl() (fpcr uint64)
TEXT ·readControl(SB), NOSPLIT, $0-8
	MOVD FPCR, R0
	MOVD R0, fpcr+0(FP)
	RET

// func writeControl(fpcr uint64)
TEXT ·writeControl(SB), NOSPLIT, $0-8
	MOVD fpcr+0(FP), R0
	MOVD R0, FPCR
	RET
