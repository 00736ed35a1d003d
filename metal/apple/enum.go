package apple

import (
	"gamma/metal"
)

// enumerator is a value of an enumeration of Metal.
type enumerator struct {
	name  string
	value int64
	// page is the words of testdata/reference.md that give the value. Where it is empty the value was looked up in copies of Apple's headers,
	// MTLDevice.h and MTLCommandBuffer.h.
	page string
}

// Enumerations whose values are used, in this order in enumerators.
const (
	storageModeShared = 0

	mathModeSafe    = 0
	mathModeRelaxed = 1
	mathModeFast    = 2

	functionsFast    = 0
	functionsPrecise = 1

	dispatchSerial     = 0
	dispatchConcurrent = 1
	barrierBuffers     = 1

	statusCompleted = 4
	statusError     = 5

	dataFloat  = 3
	dataHalf   = 16
	dataInt    = 29
	dataUInt   = 33
	dataShort  = 37
	dataUShort = 41
	dataChar   = 45
	dataUChar  = 49
	dataBool   = 53
	dataLong   = 81
	dataULong  = 85
	dataBFloat = 121

	familyApple4 = 1004
	familyMac2   = 2002
)

var enumerators = []enumerator{
	{"MTLResourceStorageModeShared", storageModeShared, "StorageModeShared = 0"},
	{"MTLMathModeSafe", mathModeSafe, "Safe=0, Relaxed=1, Fast=2"},
	{"MTLMathModeRelaxed", mathModeRelaxed, "Safe=0, Relaxed=1, Fast=2"},
	{"MTLMathModeFast", mathModeFast, "Safe=0, Relaxed=1, Fast=2"},
	{"MTLMathFloatingPointFunctionsFast", functionsFast, "Fast=0 default, Precise=1"},
	{"MTLMathFloatingPointFunctionsPrecise", functionsPrecise, "Fast=0 default, Precise=1"},
	{"MTLDispatchTypeSerial", dispatchSerial, "Serial=0, Concurrent=1"},
	{"MTLDispatchTypeConcurrent", dispatchConcurrent, "Serial=0, Concurrent=1"},
	{"MTLBarrierScopeBuffers", barrierBuffers, "Buffers=1"},
	{"MTLCommandBufferStatusNotEnqueued", int64(metal.NotEnqueued), "NotEnqueued 0"},
	{"MTLCommandBufferStatusEnqueued", int64(metal.Enqueued), "Enqueued 1"},
	{"MTLCommandBufferStatusCommitted", int64(metal.Committed), "Committed 2"},
	{"MTLCommandBufferStatusScheduled", int64(metal.Scheduled), "Scheduled 3"},
	{"MTLCommandBufferStatusCompleted", statusCompleted, "Completed 4"},
	{"MTLCommandBufferStatusError", statusError, "Error 5"},
	{"MTLDataTypeFloat", dataFloat, "Float 3"},
	{"MTLDataTypeHalf", dataHalf, "Half 16"},
	{"MTLDataTypeInt", dataInt, "Int 29"},
	{"MTLDataTypeUInt", dataUInt, "UInt 33"},
	{"MTLDataTypeShort", dataShort, "Short 37"},
	{"MTLDataTypeUShort", dataUShort, "UShort 41"},
	{"MTLDataTypeChar", dataChar, "Char 45"},
	{"MTLDataTypeUChar", dataUChar, "UChar 49"},
	{"MTLDataTypeBool", dataBool, "Bool 53"},
	{"MTLDataTypeLong", dataLong, "Long 81"},
	{"MTLDataTypeULong", dataULong, "ULong 85"},
	{"MTLDataTypeBFloat", dataBFloat, "BFloat 121"},
	{"MTLLanguageVersion2_4", int64(metal.Version24), "2.4=0x20004"},
	{"MTLLanguageVersion3_0", int64(metal.Version30), "3.0=0x30000"},
	{"MTLLanguageVersion3_1", int64(metal.Version31), "`languageVersion` = (major<<16)|minor"},
	{"MTLLanguageVersion3_2", int64(metal.Version32), "`languageVersion` = (major<<16)|minor"},
	{"MTLLanguageVersion4_0", int64(metal.Version40), "4.0=0x40000"},
}

// families are MTLGPUFamily, the newest of each line first.
var families = []enumerator{
	{"Apple10", 1010, "Apple10 1010"},
	{"Apple9", 1009, "Apple9 1009"},
	{"Apple8", 1008, "Apple8 1008"},
	{"Apple7", 1007, "Apple7 1007"},
	{"Apple6", 1006, ""},
	{"Apple5", 1005, ""},
	{"Apple4", familyApple4, ""},
	{"Mac2", familyMac2, "Mac2 2002"},
	{"Metal4", 5002, "Metal4 5002"},
	{"Metal3", 5001, "Metal3 5001"},
}

// commandBufferErrors are MTLCommandBufferError.
var commandBufferErrors = []enumerator{
	{"internal error", 1, ""},
	{"timeout: the kernel ran for too long", 2, ""},
	{"page fault: the kernel touched memory outside its buffers", 3, ""},
	{"access revoked: the process was denied the GPU after faults", 4, ""},
	{"not permitted", 7, ""},
	{"out of memory", 8, ""},
	{"invalid resource: it was freed while the GPU used it", 9, ""},
	{"out of internal resources", 10, ""},
	{"device removed", 11, ""},
	{"stack overflow in the kernel", 12, ""},
}

// commandBufferDomain is MTLCommandBufferErrorDomain. That its text is its name was seen in errors that others report.
const commandBufferDomain = "MTLCommandBufferErrorDomain"
