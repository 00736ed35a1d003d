package mine

import (
	"testing"

	"gamma/props"
	"gamma/props/foreign"
)

func TestMySum(t *testing.T) {
	lib := foreign.Load(t, "./libmine.so")
	props.Reduction{Name: "mine.my_sum", RunErr: lib.Sum("float my_sum(const float *x, size_t n)")}.Check(t)
}
