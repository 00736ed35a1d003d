package apple

import "strings"

// ctype is a C type of a message's argument or result.
type ctype uint8

const (
	cVoid     ctype = iota
	cID             // id, and pointers to classes and protocols
	cSEL            // SEL
	cUnsigned       // NSUInteger, and enumerations of that type: 64 bits
	cSigned         // NSInteger, and enumerations of that type: 64 bits
	cBool           // BOOL: one byte; the others of the register mean nothing
	cDouble         // double, CFTimeInterval
	cString         // const char *
	cBytes          // const void *
	cPointer        // void *
	cError          // NSError **
	cSize           // MTLSize by value
)

var ctypeNames = [...]string{
	cVoid: "void", cID: "id", cSEL: "SEL", cUnsigned: "NSUInteger", cSigned: "NSInteger", cBool: "BOOL", cDouble: "double",
	cString: "const char*", cBytes: "const void*", cPointer: "void*", cError: "id*", cSize: "MTLSize",
}

// String returns the C spelling.
func (c ctype) String() string { return ctypeNames[c] }

// signature is a C type of objc_msgSend: what comes after the receiver and the selector, and what comes back. Its name
// spells the result and the arguments.
type signature uint8

const (
	sVoid signature = iota
	sID
	sUnsigned
	sSigned
	sDouble
	sString
	sPointer
	sSize
	sBoolSEL
	sBoolSigned
	sBool
	sIDString
	sIDUnsigned
	sIDIDError
	sIDID
	sIDIDIDError
	sIDUnsignedUnsigned
	sIDBytesUnsignedUnsigned
	sVoidID
	sVoidIDID
	sVoidBool
	sVoidSigned
	sVoidUnsigned
	sVoidUnsignedUnsigned
	sVoidIDUnsignedUnsigned
	sVoidBytesUnsignedUnsigned
	sVoidBytesUnsignedID
	sVoidSizeSize
	signatures // their number
)

// prototype is the C types of a signature.
type prototype struct {
	result ctype
	params []ctype // after id and SEL
}

var prototypes = [signatures]prototype{
	sVoid:                      {cVoid, nil},
	sID:                        {cID, nil},
	sUnsigned:                  {cUnsigned, nil},
	sSigned:                    {cSigned, nil},
	sDouble:                    {cDouble, nil},
	sString:                    {cString, nil},
	sPointer:                   {cPointer, nil},
	sSize:                      {cSize, nil},
	sBoolSEL:                   {cBool, []ctype{cSEL}},
	sBoolSigned:                {cBool, []ctype{cSigned}},
	sBool:                      {cBool, nil},
	sIDString:                  {cID, []ctype{cString}},
	sIDUnsigned:                {cID, []ctype{cUnsigned}},
	sIDIDError:                 {cID, []ctype{cID, cError}},
	sIDID:                      {cID, []ctype{cID}},
	sIDIDIDError:               {cID, []ctype{cID, cID, cError}},
	sIDUnsignedUnsigned:        {cID, []ctype{cUnsigned, cUnsigned}},
	sIDBytesUnsignedUnsigned:   {cID, []ctype{cBytes, cUnsigned, cUnsigned}},
	sVoidID:                    {cVoid, []ctype{cID}},
	sVoidIDID:                  {cVoid, []ctype{cID, cID}},
	sVoidBool:                  {cVoid, []ctype{cBool}},
	sVoidSigned:                {cVoid, []ctype{cSigned}},
	sVoidUnsigned:              {cVoid, []ctype{cUnsigned}},
	sVoidUnsignedUnsigned:      {cVoid, []ctype{cUnsigned, cUnsigned}},
	sVoidIDUnsignedUnsigned:    {cVoid, []ctype{cID, cUnsigned, cUnsigned}},
	sVoidBytesUnsignedUnsigned: {cVoid, []ctype{cBytes, cUnsigned, cUnsigned}},
	sVoidBytesUnsignedID:       {cVoid, []ctype{cBytes, cUnsigned, cID}},
	sVoidSizeSize:              {cVoid, []ctype{cSize, cSize}},
}

// String returns the C function type, for instance "id (id,SEL,NSUInteger,NSUInteger)".
func (s signature) String() string {
	p := &prototypes[s]
	list := []string{"id", "SEL"}
	for _, c := range p.params {
		list = append(list, c.String())
	}
	return p.result.String() + " (" + strings.Join(list, ",") + ")"
}
