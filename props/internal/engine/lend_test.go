package engine

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// lends makes two calls of a kernel that takes x and writes dst, and says what Lending noticed in each.
func lends[T float32 | float64 | uint16 | uint64](at int, first, second func(dst, x []T)) (said []string) {
	var l Lending
	for _, f := range []func(dst, x []T){first, second} {
		dst, x := LendResult[T](&l, "word", "dst", 5, at), Lend(&l, "leaf", "x", []T{1, 2, 3}, at)
		f(dst, x)
		text := ""
		if b := l.Returned("the kernel"); b != nil {
			text = b.Reason
		}
		said = append(said, text)
	}
	return said
}

func lendTest[T float32 | float64 | uint16 | uint64](t *testing.T, from string) {
	quiet := func(dst, x []T) {
		for i := range dst {
			dst[i] = x[0] + T(i)
		}
	}
	outside := func(of func(dst, x []T) []T, i int) func(dst, x []T) {
		return func(dst, x []T) {
			v := of(dst, x) // 1 is not what the guards hold
			p := (*T)(unsafe.Add(unsafe.Pointer(&v[0]), i*int(unsafe.Sizeof(v[0]))))
			*p = 1
		}
	}
	isDst, isX := func(dst, _ []T) []T { return dst }, func(_, x []T) []T { return x }
	var kept []T
	keeps := func(of func(dst, x []T) []T) func(dst, x []T) { return func(dst, x []T) { kept = of(dst, x) } }
	writes := func(i int) func(dst, x []T) { return func(_, _ []T) { kept[i] = 9 } }
	for at := 0; at <= mostShift; at += 5 {
		require.Equal(t, []string{"", ""}, lends(at, quiet, quiet))
		require.Equal(t, []string{"", "the kernel changed leaf 2 of x" + from}, lends(at, quiet, func(_, x []T) { x[2] = 7 }))
		require.Equal(t, []string{"the kernel wrote outside of dst", ""}, lends(at, outside(isDst, -1), quiet))
		require.Equal(t, []string{"the kernel wrote outside of dst", ""}, lends(at, outside(isDst, 5), quiet))
		require.Equal(t, []string{"the kernel wrote outside of x", ""}, lends(at, outside(isX, -1), quiet))
		require.Equal(t, []string{"the kernel wrote outside of x", ""}, lends(at, outside(isX, 3), quiet))
		require.Equal(t, []string{"", "the kernel wrote to word 4 of dst after it had returned"}, lends(at, keeps(isDst), writes(4)))
		require.Equal(t, []string{"", "the kernel wrote to leaf 1 of x after it had returned"}, lends(at, keeps(isX), writes(1)))
	}
}

// TestLending: what a kernel changes that it may only read, what it writes outside, and what it writes after it has returned, is noticed.
func TestLending(t *testing.T) {
	lendTest[float32](t, "")
	lendTest[float64](t, "")
	lendTest[uint16](t, "")
	lendTest[uint64](t, fmt.Sprintf(", from %#x to %#x", 3, 7))

	var l Lending
	x := Lend(&l, "leaf", "x", []float32{1, 2}, 3)
	require.Equal(t, 2, cap(x), "what is lent ends where its capacity does")
	x[0] = 5
	l.Forget() // the call broke
	require.Nil(t, l.Returned("the kernel"))
	require.Nil(t, Lend[float32](&l, "leaf", "x", nil, 0))
	require.NotNil(t, Lend(&l, "leaf", "x", []float32{}, 0))
	require.Nil(t, l.Returned("the kernel"))
}

// TestLendInPlace: results may be written over the first elements of what is lent, and nothing over the others, nor there after the call.
func TestLendInPlace(t *testing.T) {
	var l Lending
	lent := func() []uint64 { return LendInPlace(&l, "word", "its operands", []uint64{1, 2, 3, 4}, 2, 3) }
	x := lent()
	x[0], x[1] = 7, 8
	require.Nil(t, l.Returned("k"))
	x[1]++
	lent()
	require.Contains(t, l.Returned("k").Reason, "k wrote to word 1 of its operands after it had returned")
	x = lent()
	x[3] = 5
	require.Contains(t, l.Returned("k").Reason, "k changed word 3 of its operands, from 0x4 to 0x5")
}
