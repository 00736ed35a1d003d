package props_test

import (
	"testing"

	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
	"gamma/props"
)

// operations returns the Go kernels on words, in both formats.
func operations() []props.Operation {
	var list []props.Operation
	for _, k := range eft.All() {
		list = append(list, props.Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}, props.Operation{Name: k.Name, Claim: k.Claim, Run64: k.Run64})
	}
	for _, k := range dd.All() {
		list = append(list, props.Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}, props.Operation{Name: k.Name, Claim: k.Claim, Run64: k.Run64})
	}
	for _, k := range complex.All() {
		list = append(list, props.Operation{Name: k.Name, Claim: k.Claim, Run: k.Run32}, props.Operation{Name: k.Name, Claim: k.Claim, Run64: k.Run64})
	}
	return list
}

// TestPropOperation judges every kernel on words, in binary32 and in binary64.
func TestPropOperation(t *testing.T) {
	props.CheckAll(t, operations()...)
}
