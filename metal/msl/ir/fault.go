package ir

// Fault is what an integer operation did that the language gives no meaning to, or no specified value. Each has a defined result all the
// same (see Eval), so that a run can go on after it is reported.
//
// No fault are shifts by as many bits as there are, or more, of which the low bits count, and the remainder of negative numbers: [MSL 4.0] §3.1 calls that undefined, and says in its last
// sentence that (a/b)*b + a%b is a.
type Fault uint8

const (
	NoFault      Fault = iota
	FaultOver          // a signed result out of range; it wraps
	FaultDivide        // division by zero, whose value is unspecified, or remainder by zero, which is undefined
	FaultConvert       // a float out of the range of the integer type
	FaultBits          // extract_bits or insert_bits beyond the width
)

var faultText = [...]string{
	NoFault:      "no fault",
	FaultOver:    "signed overflow",
	FaultDivide:  "division by zero",
	FaultConvert: "conversion of a float that the integer type does not hold",
	FaultBits:    "bit field beyond the width",
}

// String returns the fault in words, as findings show it.
func (f Fault) String() string {
	if int(f) < len(faultText) {
		return faultText[f]
	}
	return "unknown fault"
}

// MayFault reports whether op on operands of types t and from can be reported. Floats never are, but for conversions.
func MayFault(op Op, t, from Type) bool {
	if op >= opCount {
		return false
	}
	for _, f := range Ops[op].Faults {
		switch f {
		case FaultConvert:
			if t.IsInteger() && from.IsFloat() {
				return true
			}
		case FaultOver:
			if t.IsSigned() {
				return true
			}
		default:
			if t.IsInteger() {
				return true
			}
		}
	}
	return false
}
