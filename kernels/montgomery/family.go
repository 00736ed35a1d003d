package montgomery

import (
	"fmt"

	"gamma/model/modular"
)

// modulus, short, lazy, field and barrett are the methods that the types of every width have.
type modulus[W Word] interface {
	One() W
	RSquared() W
	WordInverse() W
	NegativeInverse() W
	Add(a, b W) W
	Sub(a, b W) W
	Neg(a W) W
	Mul(a, b W) W
	MulCarry(a, b W) W
	ToMontgomery(a W) W
	FromMontgomery(a W) W
	Reduce(h, l W) W
	Pow(a W, e uint64) W
	Inverse(a W) (x W, ok bool)
	BatchInverse(dst, src []W) (units int, err error)
	ShoupQuotient(w W) W
}

type short[W Word] interface {
	Add(a, b W) W
	Sub(a, b W) W
	MulSum(a, b W) W
	Forward(x, y, w W) (s, d W)
	Backward(x, y, w W) (s, d W)
}

type lazy[W Word] interface {
	MulLazy(a, b W) W
	AddLazy(a, b W) W
	SubLazy(a, b W) W
	ReduceTwice(a W) W
	ReduceFour(a W) W
	ForwardLazy(x, y, w W) (s, d W)
	BackwardLazy(x, y, w W) (s, d W)
	ForwardShoupLazy(x, y, w, quotient W) (s, d W)
	BackwardShoupLazy(x, y, w, quotient W) (s, d W)
}

type field[W Word] interface {
	InversePower(a W) (x W, ok bool)
}

type barrett[W Word] interface {
	Reduce(a W) W
	ReduceWide(h, l W) W
	Mul(a, b W) W
}

// family is the types and functions of one width.
type family[W Word] struct {
	modulus       func(q W) (modulus[W], error)
	short         func(q W) (short[W], error)
	lazy          func(q W) (lazy[W], error)
	field         func(q W) (field[W], error)
	barrett       func(q W) (barrett[W], error)
	barrettMax    uint64 // the greatest modulus of barrett's wide reductions
	shoupQuotient func(w, q W) (W, error)
	mulShoup      func(a, w, quotient, q W) W
	mulShoupLazy  func(a, w, quotient, q W) W
}

// as returns newM with its result as the interface I.
func as[I any, W Word, M any](newM func(q W) (M, error)) func(q W) (I, error) {
	return func(q W) (I, error) {
		m, err := newM(q)
		if err != nil {
			var none I
			return none, err
		}
		return any(m).(I), nil
	}
}

func kernels64() []Kernel {
	return family[uint64]{
		as[modulus[uint64]](NewModulus64), as[short[uint64]](NewShort64), as[lazy[uint64]](NewLazy64),
		as[field[uint64]](NewField64), as[barrett[uint64]](NewBarrett64), limitShort(64) + 1,
		ShoupQuotient64, MulShoup64, MulShoupLazy64,
	}.kernels()
}

func kernels32() []Kernel {
	return family[uint32]{
		as[modulus[uint32]](NewModulus32), as[short[uint32]](NewShort32), as[lazy[uint32]](NewLazy32),
		as[field[uint32]](NewField32), as[barrett[uint32]](NewBarrett32), limitWord(32),
		ShoupQuotient32, MulShoup32, MulShoupLazy32,
	}.kernels()
}

func kernelsToy[W ToyWord]() []Kernel {
	return family[W]{
		as[modulus[W]](NewToy[W]), as[short[W]](NewShortToy[W]), as[lazy[W]](NewLazyToy[W]),
		as[field[W]](NewFieldToy[W]), as[barrett[W]](NewBarrettToy[W]), limitShort(bitsOf[W]()) + 1,
		ShoupQuotientToy[W], MulShoupToy[W], MulShoupLazyToy[W],
	}.kernels()
}

// plain, inDomain and the others return words of claims.
func plain(name string) modular.Word    { return modular.Word{Name: name, Range: 1} }
func inDomain(name string) modular.Word { return modular.Word{Name: name, Power: 1, Range: 1} }
func anyWord(name string) modular.Word  { return modular.Word{Name: name} }
func integer(name string) modular.Word  { return modular.Word{Name: name, Integer: true} }
func quotient() modular.Word            { return modular.Word{Name: "w'", Shoup: true} }
func lazily(name string, power int, f uint64) modular.Word {
	return modular.Word{Name: name, Power: power, Range: f}
}

// words returns its arguments: the words of a row.
func words(w ...modular.Word) []modular.Word { return w }

// kernels returns the kernels of every operation of the family.
func (f family[W]) kernels() []Kernel {
	l := &kernelList[W]{family: f, bits: bitsOf[W]()}
	l.constants()
	l.reduced()
	l.shorts()
	l.lazies()
	l.barretts()
	return l.all
}

// kernelList collects the kernels of a family.
type kernelList[W Word] struct {
	family[W]
	bits int
	all  []Kernel
}

func (l *kernelList[W]) add(name string, prepare func(q uint64) (batch, error), of modular.Moduli, function modular.Function, in, out []modular.Word, r *modular.Recurrence) {
	c := modular.Claim{Function: function, Bits: l.bits, In: in, Out: out, Moduli: of, Recurrence: r}
	l.all = append(l.all, newKernel(fmt.Sprint(name, l.bits), c, prepare))
}

// onWord adapts a batch that depends only on the modulus.
func onWord[W Word](g func(q W) batch) func(q uint64) (batch, error) {
	return func(q uint64) (batch, error) { return g(W(q)), nil }
}

// even returns every modulus from 2 up to a limit, 0 for none.
func even(limit uint64) modular.Moduli { return modular.Moduli{Max: limit, Even: true} }

// constants adds the constants of a modulus.
func (l *kernelList[W]) constants() {
	odd := modular.Moduli{Min: 3}
	l.add("One", prepared(l.modulus, func(m modulus[W]) batch { return words01(m.One) }), odd,
		modular.One, nil, words(inDomain("R mod q")), nil)
	l.add("RSquared", prepared(l.modulus, func(m modulus[W]) batch { return words01(m.RSquared) }), odd,
		modular.One, nil, words(lazily("R² mod q", 2, 1)), nil)
	l.add("InverseNewton", onWord[W](func(q W) batch { return words01(func() W { return InverseNewton(q) }) }), odd,
		modular.WordInverse, nil, words(integer("1/q")), nil)
	l.add("InverseEuclid", onWord[W](func(q W) batch { return words01(func() W { return InverseEuclid(q) }) }), odd,
		modular.WordInverse, nil, words(integer("1/q")), nil)
	l.add("NegativeInverseNewton", prepared(l.modulus, func(m modulus[W]) batch { return words01(m.NegativeInverse) }), odd,
		modular.NegativeInverse, nil, words(integer("-1/q")), nil)
	l.add("NegativeInverseEuclid", onWord[W](func(q W) batch { return words01(func() W { return -InverseEuclid(q) }) }), odd,
		modular.NegativeInverse, nil, words(integer("-1/q")), nil)
	l.add("ShoupQuotient", prepared(l.modulus, func(m modulus[W]) batch { return words11(m.ShoupQuotient) }), odd,
		modular.ShoupQuotient, words(plain("w")), words(integer("w'")), nil)
	l.add("ShoupQuotientDivision", onWord[W](func(q W) batch {
		return func(dst, src []uint64) error {
			for i, w := range src {
				quotient, err := l.shoupQuotient(W(w), q)
				if err != nil {
					return err
				}
				dst[i] = uint64(quotient)
			}
			return nil
		}
	}), even(0), modular.ShoupQuotient, words(plain("w")), words(integer("w'")), nil)
}

// reduced adds what every odd modulus has, on reduced words.
func (l *kernelList[W]) reduced() {
	odd := modular.Moduli{Min: 3}
	l.add("ToMontgomery", prepared(l.modulus, func(m modulus[W]) batch { return words11(m.ToMontgomery) }), odd,
		modular.Identity, words(anyWord("a")), words(inDomain("a·R")), nil)
	l.add("FromMontgomery", prepared(l.modulus, func(m modulus[W]) batch { return words11(m.FromMontgomery) }), odd,
		modular.Identity, words(lazily("a·R", 1, 0)), words(plain("a")), nil)
	l.add("Add", prepared(l.modulus, func(m modulus[W]) batch { return words21(m.Add) }), odd,
		modular.Sum, words(inDomain("a"), inDomain("b")), words(inDomain("a+b")), nil)
	l.add("Sub", prepared(l.modulus, func(m modulus[W]) batch { return words21(m.Sub) }), odd,
		modular.Difference, words(inDomain("a"), inDomain("b")), words(inDomain("a-b")), nil)
	l.add("Neg", prepared(l.modulus, func(m modulus[W]) batch { return words11(m.Neg) }), odd,
		modular.Negative, words(inDomain("a")), words(inDomain("-a")), nil)
	l.add("Mul", prepared(l.modulus, func(m modulus[W]) batch { return words21(m.Mul) }), odd,
		modular.Product, words(inDomain("a"), inDomain("b")), words(inDomain("a·b")), nil)
	l.add("MulWord", prepared(l.modulus, func(m modulus[W]) batch { return words21(m.Mul) }), odd,
		modular.Product, words(anyWord("a"), inDomain("b")), words(plain("a·b")), nil)
	l.add("MulCarry", prepared(l.modulus, func(m modulus[W]) batch { return words21(m.MulCarry) }), odd,
		modular.Product, words(inDomain("a"), inDomain("b")), words(inDomain("a·b")), nil)
	l.add("Reduce", prepared(l.modulus, func(m modulus[W]) batch { return words21(m.Reduce) }), odd,
		modular.Wide, words(plain("h"), integer("l")), words(plain("h·R+l")), nil)
	l.add("Pow", prepared(l.modulus, func(m modulus[W]) batch { return powers(m.Pow) }), odd,
		modular.Power, words(inDomain("a"), integer("e")), words(inDomain("a^e")), nil)
	l.add("Inverse", prepared(l.modulus, func(m modulus[W]) batch { return inverses(m.Inverse) }), odd,
		modular.Inverse, words(inDomain("a")), words(inDomain("1/a")), nil)
	l.add("BatchInverse", prepared(l.modulus, func(m modulus[W]) batch {
		return func(dst, src []uint64) error {
			all := make([]W, len(src))
			for i, a := range src {
				all[i] = W(a)
			}
			if _, err := m.BatchInverse(all, all); err != nil {
				return err
			}
			for i, a := range all {
				dst[i] = uint64(a)
			}
			return nil
		}
	}), odd, modular.Inverse, words(inDomain("a")), words(inDomain("1/a")), nil)
	l.add("InversePower", prepared(l.field, func(m field[W]) batch { return inverses(m.InversePower) }), modular.Moduli{Min: 3, Prime: true},
		modular.Inverse, words(inDomain("a")), words(inDomain("1/a")), nil)
}

// shorts adds what is for odd moduli below R/2.
func (l *kernelList[W]) shorts() {
	half := modular.Moduli{Min: 3, Max: limitShort(l.bits)}
	l.add("AddShort", prepared(l.short, func(m short[W]) batch { return words21(m.Add) }), half,
		modular.Sum, words(inDomain("a"), inDomain("b")), words(inDomain("a+b")), SumRecurrence(1))
	l.add("SubShort", prepared(l.short, func(m short[W]) batch { return words21(m.Sub) }), half,
		modular.Difference, words(inDomain("a"), inDomain("b")), words(inDomain("a-b")), DifferenceRecurrence(1))
	l.add("MulSum", prepared(l.short, func(m short[W]) batch { return words21(m.MulSum) }), half,
		modular.Product, words(inDomain("a"), inDomain("b")), words(inDomain("a·b")), MulSumRecurrence())
	l.add("Forward", prepared(l.short, func(m short[W]) batch { return words32(m.Forward) }), half,
		modular.ForwardButterfly, words(plain("x"), plain("y"), inDomain("w")), words(plain("x+w·y"), plain("x-w·y")), ForwardRecurrence())
	l.add("Backward", prepared(l.short, func(m short[W]) batch { return words32(m.Backward) }), half,
		modular.InverseButterfly, words(plain("x"), plain("y"), inDomain("w")), words(plain("x+y"), plain("(x-y)·w")), BackwardRecurrence())
}

// lazies adds what is for odd moduli below R/4, on lazy words.
func (l *kernelList[W]) lazies() {
	quarter := modular.Moduli{Min: 3, Max: limitLazy(l.bits)}
	l.add("AddLazy", prepared(l.lazy, func(m lazy[W]) batch { return words21(m.AddLazy) }), quarter,
		modular.Sum, words(lazily("a", 1, 2), lazily("b", 1, 2)), words(lazily("a+b", 1, 2)), SumRecurrence(2))
	l.add("SubLazy", prepared(l.lazy, func(m lazy[W]) batch { return words21(m.SubLazy) }), quarter,
		modular.Difference, words(lazily("a", 1, 2), lazily("b", 1, 2)), words(lazily("a-b", 1, 2)), DifferenceRecurrence(2))
	l.add("MulLazy", prepared(l.lazy, func(m lazy[W]) batch { return words21(m.MulLazy) }), quarter,
		modular.Product, words(lazily("a", 1, 2), lazily("b", 1, 2)), words(lazily("a·b", 1, 2)), MulLazyRecurrence())
	l.add("ReduceTwice", prepared(l.lazy, func(m lazy[W]) batch { return words11(m.ReduceTwice) }), quarter,
		modular.Identity, words(lazily("a", 0, 2)), words(plain("a")), ReduceTwiceRecurrence())
	l.add("ReduceFour", prepared(l.lazy, func(m lazy[W]) batch { return words11(m.ReduceFour) }), quarter,
		modular.Identity, words(lazily("a", 0, 4)), words(plain("a")), ReduceFourRecurrence())
	l.add("ForwardLazy", prepared(l.lazy, func(m lazy[W]) batch { return words32(m.ForwardLazy) }), quarter,
		modular.ForwardButterfly, words(lazily("x", 0, 4), lazily("y", 0, 4), inDomain("w")),
		words(lazily("x+w·y", 0, 4), lazily("x-w·y", 0, 4)), ForwardLazyRecurrence(modular.Montgomery))
	l.add("BackwardLazy", prepared(l.lazy, func(m lazy[W]) batch { return words32(m.BackwardLazy) }), quarter,
		modular.InverseButterfly, words(lazily("x", 0, 2), lazily("y", 0, 2), inDomain("w")),
		words(lazily("x+y", 0, 2), lazily("(x-y)·w", 0, 2)), BackwardLazyRecurrence(modular.Montgomery))
	l.add("ForwardShoupLazy", prepared(l.lazy, func(m lazy[W]) batch { return words42(m.ForwardShoupLazy) }), quarter,
		modular.ForwardButterfly, words(lazily("x", 0, 4), lazily("y", 0, 4), plain("w"), quotient()),
		words(lazily("x+w·y", 0, 4), lazily("x-w·y", 0, 4)), ForwardLazyRecurrence(modular.Shoup))
	l.add("BackwardShoupLazy", prepared(l.lazy, func(m lazy[W]) batch { return words42(m.BackwardShoupLazy) }), quarter,
		modular.InverseButterfly, words(lazily("x", 0, 2), lazily("y", 0, 2), plain("w"), quotient()),
		words(lazily("x+y", 0, 2), lazily("(x-y)·w", 0, 2)), BackwardLazyRecurrence(modular.Shoup))
}

// barretts adds what is for even and odd moduli.
func (l *kernelList[W]) barretts() {
	short := even(limitShort(l.bits) + 1)
	reducible := even(l.barrettMax)
	l.add("MulShoup", onWord[W](func(q W) batch {
		return words31(func(a, w, quotient W) W { return l.mulShoup(a, w, quotient, q) })
	}), short, modular.Product, words(anyWord("a"), plain("w"), quotient()), words(plain("a·w")), MulShoupRecurrence())
	l.add("MulShoupLazy", onWord[W](func(q W) batch {
		return words31(func(a, w, quotient W) W { return l.mulShoupLazy(a, w, quotient, q) })
	}), short, modular.Product, words(anyWord("a"), plain("w"), quotient()), words(lazily("a·w", 0, 2)), MulShoupLazyRecurrence())
	l.add("BarrettReduce", prepared(l.barrett, func(m barrett[W]) batch { return words11(m.Reduce) }), reducible,
		modular.Identity, words(anyWord("a")), words(plain("a")), nil)
	l.add("BarrettReduceWide", prepared(l.barrett, func(m barrett[W]) batch { return words21(m.ReduceWide) }), reducible,
		modular.Wide, words(anyWord("h"), integer("l")), words(plain("h·R+l")), nil)
	l.add("BarrettMul", prepared(l.barrett, func(m barrett[W]) batch { return words21(m.Mul) }), reducible,
		modular.Product, words(anyWord("a"), anyWord("b")), words(plain("a·b")), nil)
}

// prepared returns a function that makes the batch of a modulus: newM builds the type once, and g selects the operation.
func prepared[W Word, M any](newM func(q W) (M, error), g func(m M) batch) func(q uint64) (batch, error) {
	return func(q uint64) (batch, error) {
		m, err := newM(W(q))
		if err != nil {
			return nil, err
		}
		return g(m), nil
	}
}

// goldilocksKernels returns the kernels of the functions of Goldilocks.
func goldilocksKernels() []Kernel {
	kernel := func(name string, b batch, function modular.Function, in, out []modular.Word) Kernel {
		c := modular.Claim{Function: function, Bits: 64, In: in, Out: out, Moduli: modular.Moduli{Only: []uint64{Goldilocks}}}
		return newKernel("Goldilocks"+name, c, func(uint64) (batch, error) { return b, nil })
	}
	a, b, lazyA, lazyB := plain("a"), plain("b"), anyWord("a"), anyWord("b")
	return []Kernel{
		kernel("Reduce", words11(GoldilocksReduce), modular.Identity, words(lazyA), words(a)),
		kernel("Add", words21(GoldilocksAdd), modular.Sum, words(a, b), words(plain("a+b"))),
		kernel("Sub", words21(GoldilocksSub), modular.Difference, words(a, b), words(plain("a-b"))),
		kernel("Neg", words11(GoldilocksNeg), modular.Negative, words(a), words(plain("-a"))),
		kernel("AddLazy", words21(GoldilocksAddLazy), modular.Sum, words(lazyA, b), words(anyWord("a+b"))),
		kernel("SubLazy", words21(GoldilocksSubLazy), modular.Difference, words(lazyA, b), words(anyWord("a-b"))),
		kernel("Reduce128", words21(GoldilocksReduce128), modular.Wide, words(anyWord("h"), integer("l")), words(plain("h·R+l"))),
		kernel("Reduce128Lazy", words21(GoldilocksReduce128Lazy), modular.Wide, words(anyWord("h"), integer("l")), words(anyWord("h·R+l"))),
		kernel("Mul", words21(GoldilocksMul), modular.Product, words(lazyA, lazyB), words(plain("a·b"))),
		kernel("MulLazy", words21(GoldilocksMulLazy), modular.Product, words(lazyA, lazyB), words(anyWord("a·b"))),
		kernel("Pow", powers(GoldilocksPow), modular.Power, words(lazyA, integer("e")), words(plain("a^e"))),
		kernel("Inverse", inverses(GoldilocksInverse), modular.Inverse, words(lazyA), words(plain("1/a"))),
	}
}

// word31Kernels returns the kernels of the functions of BabyBear, KoalaBear and Mersenne31.
func word31Kernels() []Kernel {
	kernel := func(name string, q uint32, b batch, function modular.Function, in, out []modular.Word) Kernel {
		c := modular.Claim{Function: function, Bits: 32, In: in, Out: out, Moduli: modular.Moduli{Only: []uint64{uint64(q)}}}
		return newKernel(name, c, func(uint64) (batch, error) { return b, nil })
	}
	type operations struct {
		name          string
		q             uint32
		add, sub, mul func(a, b uint32) uint32
		neg           func(a uint32) uint32
		enter, leave  func(a uint32) uint32 // nil if there is no domain
		pow           func(a uint32, e uint64) uint32
		inverse       func(a uint32) (uint32, bool)
		word          func(name string) modular.Word
	}
	var all []Kernel
	for _, o := range []operations{
		{
			name: "BabyBear", q: BabyBear, add: BabyBearAdd, sub: BabyBearSub, mul: BabyBearMul, neg: BabyBearNeg,
			enter: BabyBearToMontgomery, leave: BabyBearFromMontgomery, pow: BabyBearPow, inverse: BabyBearInverse, word: inDomain,
		},
		{
			name: "KoalaBear", q: KoalaBear, add: KoalaBearAdd, sub: KoalaBearSub, mul: KoalaBearMul, neg: KoalaBearNeg,
			enter: KoalaBearToMontgomery, leave: KoalaBearFromMontgomery, pow: KoalaBearPow, inverse: KoalaBearInverse, word: inDomain,
		},
		{
			name: "Mersenne31", q: Mersenne31, add: Mersenne31Add, sub: Mersenne31Sub, mul: Mersenne31Mul, neg: Mersenne31Neg,
			pow: Mersenne31Pow, inverse: Mersenne31Inverse, word: plain,
		},
	} {
		w := o.word
		all = append(all,
			kernel(o.name+"Add", o.q, words21(o.add), modular.Sum, words(w("a"), w("b")), words(w("a+b"))),
			kernel(o.name+"Sub", o.q, words21(o.sub), modular.Difference, words(w("a"), w("b")), words(w("a-b"))),
			kernel(o.name+"Neg", o.q, words11(o.neg), modular.Negative, words(w("a")), words(w("-a"))),
			kernel(o.name+"Mul", o.q, words21(o.mul), modular.Product, words(w("a"), w("b")), words(w("a·b"))),
			kernel(o.name+"Pow", o.q, powers(o.pow), modular.Power, words(w("a"), integer("e")), words(w("a^e"))),
			kernel(o.name+"Inverse", o.q, inverses(o.inverse), modular.Inverse, words(w("a")), words(w("1/a"))))
		if o.enter != nil {
			all = append(all,
				kernel(o.name+"ToMontgomery", o.q, words11(o.enter), modular.Identity, words(anyWord("a")), words(inDomain("a·R"))),
				kernel(o.name+"FromMontgomery", o.q, words11(o.leave), modular.Identity, words(lazily("a·R", 1, 0)), words(plain("a"))))
		}
	}
	wide := words21(func(h, l uint32) uint32 { return Mersenne31Reduce(uint64(h)<<32 | uint64(l)) })
	return append(all,
		kernel("Mersenne31Reduce", Mersenne31, wide, modular.Wide, words(anyWord("h"), integer("l")), words(plain("h·R+l"))))
}
