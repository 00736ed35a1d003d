package apple

import "unsafe"

// functions are objc_msgSend, once for each signature, with its C types as Go types: no C function is called through a type
// that is not its own.
type functions struct {
	void                      func(to id, sel selector)
	id                        func(to id, sel selector) id
	unsigned                  func(to id, sel selector) uint64
	signed                    func(to id, sel selector) int64
	double                    func(to id, sel selector) float64
	pointer                   func(to id, sel selector) unsafe.Pointer
	size                      func(to id, sel selector) size
	bool                      func(to id, sel selector) uint8
	boolSEL                   func(to id, sel, a selector) uint8
	boolSigned                func(to id, sel selector, a int64) uint8
	idPointer                 func(to id, sel selector, a unsafe.Pointer) id
	idUnsigned                func(to id, sel selector, a uint64) id
	idID                      func(to id, sel selector, a id) id
	idIDPointer               func(to id, sel selector, a id, b unsafe.Pointer) id
	idIDIDPointer             func(to id, sel selector, a, b id, c unsafe.Pointer) id
	idUnsignedUnsigned        func(to id, sel selector, a, b uint64) id
	idPointerUnsignedUnsigned func(to id, sel selector, a unsafe.Pointer, b, c uint64) id
	voidID                    func(to id, sel selector, a id)
	voidIDID                  func(to id, sel selector, a, b id)
	voidBool                  func(to id, sel selector, a uint8)
	voidSigned                func(to id, sel selector, a int64)
	voidUnsigned              func(to id, sel selector, a uint64)
	voidUnsignedUnsigned      func(to id, sel selector, a, b uint64)
	voidIDUnsignedUnsigned    func(to id, sel selector, a id, b, c uint64)
	voidPointerUnsigned2      func(to id, sel selector, a unsafe.Pointer, b, c uint64)
	voidPointerUnsignedID     func(to id, sel selector, a unsafe.Pointer, b uint64, c id)
	voidSizeSize              func(to id, sel selector, a, b size)
}

// bind registers every function by register, purego.RegisterFunc. msgSend is the address of objc_msgSend. stret is that of
// the one for results in memory: objc_msgSend_stret on amd64, where MTLSize comes back so; arm64 knows only objc_msgSend.
func bind(register func(function any, address uintptr), msgSend, stret uintptr) *functions {
	f := &functions{}
	for _, x := range []any{
		&f.void, &f.id, &f.unsigned, &f.signed, &f.double, &f.pointer, &f.bool, &f.boolSEL, &f.boolSigned, &f.idPointer, &f.idUnsigned, &f.idID,
		&f.idIDPointer, &f.idIDIDPointer, &f.idUnsignedUnsigned, &f.idPointerUnsignedUnsigned, &f.voidID, &f.voidIDID, &f.voidBool,
		&f.voidSigned, &f.voidUnsigned, &f.voidUnsignedUnsigned, &f.voidIDUnsignedUnsigned, &f.voidPointerUnsigned2,
		&f.voidPointerUnsignedID, &f.voidSizeSize,
	} {
		register(x, msgSend)
	}
	register(&f.size, stret)
	return f
}

// send calls the function of the message's signature.
func (f *functions) send(m call) (r result) {
	to, sel, a := m.to, m.sel, m.args
	switch m.sig {
	case sVoid:
		f.void(to, sel)
	case sID:
		r.word = uint64(f.id(to, sel))
	case sUnsigned:
		r.word = f.unsigned(to, sel)
	case sSigned:
		r.word = uint64(f.signed(to, sel))
	case sDouble:
		r.double = f.double(to, sel)
	case sString, sPointer:
		r.ptr = f.pointer(to, sel)
	case sSize:
		r.size = f.size(to, sel)
	case sBool:
		r.word = truth(f.bool(to, sel))
	case sBoolSEL:
		r.word = truth(f.boolSEL(to, sel, selector(a[0].word)))
	case sBoolSigned:
		r.word = truth(f.boolSigned(to, sel, int64(a[0].word)))
	case sIDString:
		r.word = uint64(f.idPointer(to, sel, a[0].ptr))
	case sIDUnsigned:
		r.word = uint64(f.idUnsigned(to, sel, a[0].word))
	case sIDID:
		r.word = uint64(f.idID(to, sel, id(a[0].word)))
	case sIDIDError:
		r.word = uint64(f.idIDPointer(to, sel, id(a[0].word), a[1].ptr))
	case sIDIDIDError:
		r.word = uint64(f.idIDIDPointer(to, sel, id(a[0].word), id(a[1].word), a[2].ptr))
	case sIDUnsignedUnsigned:
		r.word = uint64(f.idUnsignedUnsigned(to, sel, a[0].word, a[1].word))
	case sIDBytesUnsignedUnsigned:
		r.word = uint64(f.idPointerUnsignedUnsigned(to, sel, a[0].ptr, a[1].word, a[2].word))
	case sVoidID:
		f.voidID(to, sel, id(a[0].word))
	case sVoidIDID:
		f.voidIDID(to, sel, id(a[0].word), id(a[1].word))
	case sVoidBool:
		f.voidBool(to, sel, uint8(a[0].word))
	case sVoidSigned:
		f.voidSigned(to, sel, int64(a[0].word))
	case sVoidUnsigned:
		f.voidUnsigned(to, sel, a[0].word)
	case sVoidUnsignedUnsigned:
		f.voidUnsignedUnsigned(to, sel, a[0].word, a[1].word)
	case sVoidIDUnsignedUnsigned:
		f.voidIDUnsignedUnsigned(to, sel, id(a[0].word), a[1].word, a[2].word)
	case sVoidBytesUnsignedUnsigned:
		f.voidPointerUnsigned2(to, sel, a[0].ptr, a[1].word, a[2].word)
	case sVoidBytesUnsignedID:
		f.voidPointerUnsignedID(to, sel, a[0].ptr, a[1].word, id(a[2].word))
	case sVoidSizeSize:
		f.voidSizeSize(to, sel, a[0].size, a[1].size)
	default:
		panic(noSignature(m.sig))
	}
	return r
}

// truth is 1 for any BOOL but NO.
func truth(b uint8) uint64 {
	if b != 0 {
		return 1
	}
	return 0
}
