package engine

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
)

// Lending lends vectors to the calls of a kernel, and notices what these do to them: what they change that they may only read, what they
// write outside, and what they write after they have returned. Its memory is kept from call to call.
type Lending struct {
	calls [2]lentCall // the one that runs, and the one before
	turn  int         // which of them is the running call's
}

// lentCall is what one call was lent: n of the list, whose memory is kept.
type lentCall struct {
	list []loan
	n    int
	by   string
}

// loan is a vector that a call was lent.
type loan struct {
	base     []uint64
	v        []byte // the vector
	all      []byte // the vector and what is around it
	was      []byte // what it must hold
	size     int    // bytes of an element
	name, of string // "word", "its operands"
	result   int    // bytes at its beginning that the call may write
	words    bool   // elements are integers
}

// mostShift is how many elements into their memory vectors begin at most.
const mostShift = 15

// guardBytes stand before and after a vector.
const guardBytes = 64

var guard = bytes.Repeat([]byte("!!ammag!"), (guardBytes+8*mostShift)/8)

// Element is what vectors are made of.
type Element interface {
	float32 | float64 | bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// Lend returns a copy of src for the next call, which may only read it; nil for nil. It begins at elements into its memory, and ends where its
// capacity does. A report calls an element by name, and src of.
func Lend[T Element](l *Lending, name, of string, src []T, at int) []T {
	return LendInPlace(l, name, of, src, 0, at)
}

// LendInPlace is Lend for a call that writes n results over the first elements of what it reads.
func LendInPlace[T Element](l *Lending, name, of string, src []T, n, at int) []T {
	if src == nil {
		return nil
	}
	return LendFilled(l, name, of, len(src), n, at, func(v []T) { copy(v, src) })
}

// LendFilled is LendInPlace for n elements that fill writes.
func LendFilled[T Element](l *Lending, name, of string, n, results, at int, fill func(v []T)) []T {
	v, k := lend[T](l, name, of, n, at)
	fill(v)
	k.result, k.was = results*k.size, append(k.was[:0], k.v...)
	return v
}

// LendResult returns n elements for the next call to write.
func LendResult[T Element](l *Lending, name, of string, n, at int) []T {
	v, k := lend[T](l, name, of, n, at)
	k.result = len(k.v)
	return v
}

func lend[T Element](l *Lending, name, of string, n, at int) ([]T, *loan) {
	now := &l.calls[l.turn]
	if now.n == len(now.list) {
		now.list = append(now.list, loan{})
	}
	k := &now.list[now.n]
	now.n++
	var zero T
	k.size, k.name, k.of = int(unsafe.Sizeof(zero)), name, of
	_, k.words = any(zero).(uint64)
	from := guardBytes + at*k.size
	end := from + n*k.size
	k.base = draw.Grow(k.base, (end+guardBytes+7)/8)
	first := unsafe.Pointer(&k.base[0])
	k.all = unsafe.Slice((*byte)(first), end+guardBytes)
	k.v = k.all[from:end:end]
	copy(k.all[:from], guard)
	copy(k.all[end:], guard)
	return unsafe.Slice((*T)(unsafe.Add(first, from)), n), k
}

// Returned says what a call that has returned, of by, did to what it was lent that it must not, or what the call before it has left running
// did since, nil if nothing. What the call leaves must stay until the next one has returned, too.
func (l *Lending) Returned(by string) *verdict.Breakage {
	now, before := &l.calls[l.turn], &l.calls[l.turn^1]
	late := before.list[:before.n]
	before.n, now.by = 0, by
	l.turn ^= 1
	for i := range now.list[:now.n] {
		k := &now.list[i]
		at := k.changed()
		if at < 0 {
			k.was, k.result = append(k.was[:0], k.v...), 0
		}
		if at < 0 && k.intact() {
			continue
		}
		now.n = 0
		switch {
		case at < 0:
			return verdict.Spoilt("%s wrote outside of %s", by, k.of)
		case k.words:
			return verdict.Spoilt("%s changed %s %d of %s, from %#x to %#x", by, k.name, at, k.of, binary.NativeEndian.Uint64(k.was[8*at:]), binary.NativeEndian.Uint64(k.v[8*at:]))
		}
		return verdict.Spoilt("%s changed %s %d of %s", by, k.name, at, k.of)
	}
	for i := range late {
		if k := &late[i]; k.changed() >= 0 {
			return verdict.Spoilt("%s wrote to %s %d of %s after it had returned", before.by, k.name, k.changed(), k.of)
		}
	}
	return nil
}

// Forget takes back what a call was lent that broke: nothing is said of it.
func (l *Lending) Forget() { l.calls[l.turn].n = 0 }

// changed returns the first element that the call must not write and that is not as it was, or -1.
func (k *loan) changed() int {
	i := k.result
	if i == len(k.v) || bytes.Equal(k.v[i:], k.was[i:]) {
		return -1
	}
	for k.v[i] == k.was[i] {
		i++
	}
	return i / k.size
}

// intact reports whether what is around the vector is as it was.
func (k *loan) intact() bool {
	end := len(k.all) - guardBytes
	from := end - len(k.v)
	return bytes.Equal(k.all[:from], guard[:from]) && bytes.Equal(k.all[end:], guard[:guardBytes])
}
