package montgomery

import (
	"fmt"
	"math/bits"

	"gamma/model/modular"
)

// Kernel is one operation over batches of rows, with its claim.
type Kernel struct {
	Name  string // "montgomery.Mul64": the last number is the word's bits
	Claim modular.Claim
	// Run prepares the modulus once, and then computes the rows of dst from those of src.
	//
	// Shape:  len(src) = rows·len(Claim.In) and len(dst) = rows·len(Claim.Out); src is empty where a row has no operands.
	// Domain: a modulus that the claim admits, prime where it says so; words in their ranges, Shoup's quotients those of the words
	// before them. Otherwise an error names the row and the word, and the contents of dst are unspecified.
	// Alias:  dst and src may start at the same word if a row has no more results than operands; other overlaps are an error.
	Run func(q uint64, dst, src []uint64) error
}

// All returns every operation on every width of words.
func All() []Kernel {
	var all []Kernel
	all = append(all, kernels64()...)
	all = append(all, kernels32()...)
	all = append(all, kernelsToy[uint8]()...)
	all = append(all, kernelsToy[uint16]()...)
	all = append(all, goldilocksKernels()...)
	all = append(all, word31Kernels()...)
	return all
}

// Find returns the kernel called name, and ok = false if there is none.
func Find(name string) (k Kernel, ok bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return Kernel{}, false
}

// batch is an operation prepared for a modulus: it computes the rows of dst from those of src, without checks.
type batch func(dst, src []uint64) error

// newKernel returns the kernel called montgomery.name, with the checks that Run promises.
func newKernel(name string, c modular.Claim, prepare func(q uint64) (batch, error)) Kernel {
	name = "montgomery." + name
	in, out := len(c.In), len(c.Out)
	c.InPlace = in > 0 && out <= in
	run := func(q uint64, dst, src []uint64) error {
		if err := c.Moduli.Admits(q, c.Bits); err != nil {
			return err
		}
		if c.Moduli.Prime && !IsPrime(q) {
			return fmt.Errorf("modulus %d is composite, by the Miller-Rabin test, exact for 64 bits; give a prime", q)
		}
		rows := len(dst) / out
		if len(dst)%out != 0 || len(src) != rows*in {
			return fmt.Errorf("rows of %d words in and %d out do not fill slices of %d in and %d out; give whole rows, as many of each", in, out, len(src), len(dst))
		}
		if overlaps(dst, src) && (&dst[0] != &src[0] || out > in) {
			return fmt.Errorf("dst overlaps src; they may only start at the same word, and only where a row has no more results than operands")
		}
		if err := checkWords(&c, q, src); err != nil {
			return err
		}
		b, err := prepare(q)
		if err != nil {
			return err
		}
		return b(dst, src)
	}
	return Kernel{Name: name, Claim: c, Run: func(q uint64, dst, src []uint64) error {
		if err := run(q, dst, src); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}}
}

// checkWords returns an error that names the first word of src that is out of its claimed range modulo q, or nil.
func checkWords(c *modular.Claim, q uint64, src []uint64) error {
	most := make([]uint64, len(c.In)) // the greatest word of each operand
	for i, w := range c.In {
		most[i] = limitWord(c.Bits)
		if h, l := bits.Mul64(w.Range, q); w.Range != 0 && h == 0 {
			most[i] = min(most[i], l-1)
		}
	}
	for row := 0; len(src) > 0; row++ {
		for i, w := range c.In {
			switch {
			case src[i] > most[i] && w.Range == 0:
				return fmt.Errorf("row %d: %s = %d is not a word of %d bits", row, w.Name, src[i], c.Bits)
			case src[i] > most[i]:
				return fmt.Errorf("row %d: %s = %d is not in [0, %d·q), which ends at %d; reduce it first", row, w.Name, src[i], w.Range, most[i])
			case w.Shoup:
				if want := shoup(src[i-1], q, c.Bits); src[i] != want {
					return fmt.Errorf("row %d: %s = %d is not the Shoup quotient of %s = %d, which is %d", row, w.Name, src[i], c.In[i-1].Name, src[i-1], want)
				}
			}
		}
		src = src[len(c.In):]
	}
	return nil
}

// shoup returns ⌊w·2^b/q⌋ for w < q.
func shoup(w, q uint64, b int) uint64 {
	h, l := bits.Mul64(w, 1<<(b-1)) // half of w·2^b
	k, _ := bits.Div64(h<<1|l>>63, l<<1, q)
	return k
}

// words01, words11 and so on make batches of operations; the digits are the numbers of words of a row in and out.

func words01[W Word](f func() W) batch {
	return func(dst, _ []uint64) error {
		for i := range dst {
			dst[i] = uint64(f())
		}
		return nil
	}
}

func words11[W Word](f func(a W) W) batch {
	return func(dst, src []uint64) error {
		for i := range dst {
			dst[i] = uint64(f(W(src[i])))
		}
		return nil
	}
}

func words21[W Word](f func(a, b W) W) batch {
	return func(dst, src []uint64) error {
		for i := range dst {
			dst[i] = uint64(f(W(src[2*i]), W(src[2*i+1])))
		}
		return nil
	}
}

func words31[W Word](f func(a, b, c W) W) batch {
	return func(dst, src []uint64) error {
		for i := range dst {
			dst[i] = uint64(f(W(src[3*i]), W(src[3*i+1]), W(src[3*i+2])))
		}
		return nil
	}
}

func words32[W Word](f func(x, y, w W) (s, d W)) batch {
	return func(dst, src []uint64) error {
		for i := range len(dst) / 2 {
			s, d := f(W(src[3*i]), W(src[3*i+1]), W(src[3*i+2]))
			dst[2*i], dst[2*i+1] = uint64(s), uint64(d)
		}
		return nil
	}
}

func words42[W Word](f func(x, y, w, quotient W) (s, d W)) batch {
	return func(dst, src []uint64) error {
		for i := range len(dst) / 2 {
			s, d := f(W(src[4*i]), W(src[4*i+1]), W(src[4*i+2]), W(src[4*i+3]))
			dst[2*i], dst[2*i+1] = uint64(s), uint64(d)
		}
		return nil
	}
}

// inverses makes a batch of an inverse, with 0 where none exists.
func inverses[W Word](f func(a W) (W, bool)) batch {
	return words11(func(a W) W {
		x, _ := f(a)
		return x
	})
}

// powers makes a batch of a power, whose exponent is a word.
func powers[W Word](f func(a W, e uint64) W) batch {
	return words21(func(a, e W) W { return f(a, uint64(e)) })
}
