package apple

import (
	"structs"
	"unsafe"
)

// id is an Objective-C object, or a class; 0 is nil.
type id uintptr

// selector is a registered name of a message, a SEL.
type selector uintptr

// size is MTLSize, three NSUIntegers, passed and returned by value.
type size struct {
	_                    structs.HostLayout
	Width, Height, Depth uint64
}

// native is all that only a Mac can do. Everything above it is the same on every system, and is tested on Linux against
// another native that keeps books.
//
// Every call happens on a thread that is locked, between pushPool and popPool; see host.work.
type native interface {
	// class returns the class called name, 0 if there is none.
	class(name string) id
	// register returns the selector of a name. It is called once for each.
	register(name string) selector
	pushPool() uintptr
	popPool(pool uintptr)
	// defaultDevice is MTLCreateSystemDefaultDevice: +1, 0 if the machine has no device.
	defaultDevice() id
	// allDevices is MTLCopyAllDevices: an NSArray, +1.
	allDevices() id
	// send sends a message by objc_msgSend, with the argument and result types of its signature.
	send(m call) result
}

// call is a message on its way.
type call struct {
	sig  signature
	to   id
	sel  selector
	args []argument
}

// argument is a value of one C type.
type argument struct {
	kind ctype
	word uint64         // id, SEL, NSUInteger, NSInteger, BOOL
	ptr  unsafe.Pointer // to Go memory that C reads or writes during the call, and not after it
	size size
}

// result is what a message returned, in the field that its C type asks for.
type result struct {
	word   uint64         // id, NSUInteger, NSInteger, BOOL (0 or 1)
	double float64        // double
	ptr    unsafe.Pointer // void*, const char*: memory of C
	size   size           // MTLSize
}

// object returns the id in the result.
func (r result) object() id { return id(r.word) }

// yes returns the BOOL in the result.
func (r result) yes() bool { return r.word != 0 }

func objectArg(x id) argument         { return argument{kind: cID, word: uint64(x)} }
func selectorArg(x selector) argument { return argument{kind: cSEL, word: uint64(x)} }
func unsignedArg(x uint64) argument   { return argument{kind: cUnsigned, word: x} }
func signedArg(x int64) argument      { return argument{kind: cSigned, word: uint64(x)} }
func sizeArg(x size) argument         { return argument{kind: cSize, size: x} }

func boolArg(x bool) argument {
	a := argument{kind: cBool}
	if x {
		a.word = 1
	}
	return a
}

// bytesArg passes a pointer to the first of b, which is not empty.
func bytesArg(b []byte) argument {
	return argument{kind: cBytes, ptr: unsafe.Pointer(unsafe.SliceData(b))}
}

// stringArg passes s with a zero after it. s holds no zero.
func stringArg(s string) argument {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return argument{kind: cString, ptr: unsafe.Pointer(unsafe.SliceData(b))}
}

// errorArg passes the place for an NSError.
func errorArg(e *id) argument { return argument{kind: cError, ptr: unsafe.Pointer(e)} }
