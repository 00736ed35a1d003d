//go:build (linux || darwin) && (amd64 || arm64)

package apple

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"
)

// The calls of functions.go go through the real purego here, to a C callback that stands for objc_msgSend, and the words that arrive are
// looked at. On amd64 they are those of the System V convention, which Linux and macOS share: six integer registers, and MTLSize
// copied to the stack. On arm64 they are those of AAPCS64: eight registers, MTLSize as a pointer to a copy, and the place for an MTLSize that
// comes back in x8. Apple's arm64 differs in what it puts on the stack, and no signature here reaches it. The test passed on linux/amd64, and
// on linux/arm64 under qemu-aarch64 7.2.

// arrived is what the callback saw: the integer registers and then the stack.
var arrived [12]uintptr

// arrivedSizes are what pointers to MTLSize pointed to.
var arrivedSizes [2]size

var answer uintptr

func sender() uintptr {
	return purego.NewCallback(func(a, b, c, d, e, f, g, h, i, j, k, l uintptr) uintptr {
		arrived = [12]uintptr{a, b, c, d, e, f, g, h, i, j, k, l}
		return answer
	})
}

// TestLayout sends each signature and looks at the words.
func TestLayout(t *testing.T) {
	stret := purego.NewCallback(func(to, sel uintptr) size {
		arrived = [12]uintptr{to, sel}
		return size{Width: 7, Height: 8, Depth: 9}
	})
	indirect := purego.NewCallback(func(to, sel uintptr, a, b *size) uintptr {
		arrived = [12]uintptr{to, sel}
		arrivedSizes = [2]size{*a, *b}
		return 0
	})
	registered := map[uintptr]int{}
	f := bind(func(function any, address uintptr) {
		registered[address]++
		if _, sizes := function.(*func(id, selector, size, size)); sizes && runtime.GOARCH == "arm64" {
			address = indirect
		}
		purego.RegisterFunc(function, address)
	}, sender(), stret)
	require.Equal(t, 1, registered[stret])
	memory := [2]uint64{1, 2}
	pointer := unsafe.Pointer(&memory)
	for s := range signatures {
		m := call{sig: s, to: 0x1111, sel: 0x2222}
		registers := []uintptr{0x1111, 0x2222}
		var stack []uintptr
		var sizes []size
		for i, c := range prototypes[s].params {
			switch word := uint64(0x8000_0000_0000_0100) + uint64(i); c {
			case cID:
				m.args = append(m.args, objectArg(id(word)))
				registers = append(registers, uintptr(word))
			case cSEL:
				m.args = append(m.args, selectorArg(selector(word)))
				registers = append(registers, uintptr(word))
			case cUnsigned:
				m.args = append(m.args, unsignedArg(word))
				registers = append(registers, uintptr(word))
			case cSigned:
				m.args = append(m.args, signedArg(-5))
				registers = append(registers, uintptr(math.MaxUint64-4))
			case cBool:
				m.args = append(m.args, boolArg(true))
				registers = append(registers, 1)
			case cString, cBytes, cError:
				m.args = append(m.args, argument{kind: c, ptr: pointer})
				registers = append(registers, uintptr(pointer))
			case cSize:
				sizes = append(sizes, size{Width: word, Height: word + 16, Depth: word + 32})
				m.args = append(m.args, sizeArg(sizes[len(sizes)-1]))
				stack = append(stack, uintptr(word), uintptr(word+16), uintptr(word+32))
			default:
				t.Fatalf("no test for %s", c)
			}
		}
		answer = 0x8000_0000_0000_0f00
		r := f.send(m)
		require.Equal(t, registers, arrived[:len(registers)], s)
		if runtime.GOARCH == "amd64" {
			require.Equal(t, stack, slices.Concat([]uintptr(nil), arrived[6:6+len(stack)]), s)
		} else if sizes != nil {
			require.Equal(t, sizes, arrivedSizes[:], s)
		}
		switch prototypes[s].result {
		case cVoid, cDouble: // a callback returns no double: see TestDouble
		case cBool:
			require.False(t, r.yes(), "%s: only the low byte counts", s)
			answer = 0x8000_0000_0000_0f01
			require.True(t, f.send(m).yes(), s)
		case cString, cPointer:
			require.Equal(t, answer, uintptr(r.ptr), s)
		case cSize:
			require.Equal(t, size{Width: 7, Height: 8, Depth: 9}, r.size, s)
		default:
			require.Equal(t, uint64(answer), r.word, s)
		}
	}
	require.Equal(t, uintptr(24), unsafe.Sizeof(size{}))
	require.PanicsWithValue(t, noSignature(signatures), func() { f.send(call{sig: signatures}) })
}

// TestDouble calls a function of C that takes two words and returns a double, as GPUStartTime does: difftime, the first less the second.
func TestDouble(t *testing.T) {
	path := "libc.so.6"
	if runtime.GOOS == "darwin" {
		path = "/usr/lib/libSystem.B.dylib"
	}
	c, err := purego.Dlopen(path, purego.RTLD_NOW)
	if err != nil {
		t.Skip("no C library to load: ", err)
	}
	at, err := purego.Dlsym(c, "difftime")
	require.NoError(t, err)
	f := bind(purego.RegisterFunc, at, at)
	require.Equal(t, 1234567.0, f.send(call{sig: sDouble, to: 1<<40 + 1234567, sel: 1 << 40}).double)
	require.Equal(t, -1.0, f.send(call{sig: sDouble, to: 1, sel: 2}).double)
}
