package mutants

import (
	"math"

	"gamma/kernels/eft"
	"gamma/kernels/nn"
	"gamma/kernels/trig"
)

// circular returns faults of sine and cosine: of the reduction, the quadrant, the polynomials, and of their symmetry and order. Results of HalfUp, Dithered and
// Unsigned are as accurate as is claimed, so that no law of single values finds these.
func circular() (list []Formula) {
	add := func(right, name, fault string, f func(float32) float32) {
		for _, k := range trig.All() {
			if k.Name == "trig."+right {
				vector := nn.Map(f)
				k.Name, k.Run = "mutants."+right+name, func(a nn.Arrays) { vector(a.Float32("dst"), a.Float32("x")) }
				list = append(list, Formula{Kernel: k, Of: "trig." + right, Fault: fault})
			}
		}
	}
	seed := steps(0x1.921fb6p+00, 4.3711388286738386e-08, 1.2560587133447677e-15)
	two := steps(0x1.921fb4p+00, 0x1.4442dp-24)
	three := steps(0x1.921fb4p+00, 0x1.4442dp-24, 0x1.84698ap-48)
	for quadrants, right := range []string{"Sin32", "Cos32"} {
		add(right, "SeedDecimals", "reduced by the seed's decimal constants, which sum to π/2 + 8.74e-8", within(seed, quadrants))
		add(right, "TwoConstants", "the third constant left out", within(two, quadrants))
		add(right, "OneConstant", "reduced by π/2 in binary32", within(steps(0x1.921fb6p+00), quadrants))
		add(right, "NoPayneHanek", "large arguments reduced by three constants as well", turned(three, quadrants))
		add(right, "Floor", "rounded down to a multiple of π/2, not to the nearest", within(floored, quadrants))
		add(right, "NegativeQuadrant", "quadrants of negative arguments counted as those of positive ones", within(func(x float32) (int, float32) {
			k, r := three(x)
			return max(k, -k), r
		}, quadrants))
		add(right, "QuadrantOff", "each quadrant taken for the next", func(x float32) float32 { return trigOf([]string{"Cos32", "Sin32"}[quadrants])(x) })
		add(right, "Infinite", "0 for infinities", func(x float32) float32 {
			if math.IsInf(float64(x), 0) {
				return 0
			}
			return trigOf(right)(x)
		})
		add(right, "Beyond", "an ulp beyond 1 where the result is 1", func(x float32) float32 {
			y := trigOf(right)(x)
			if y == 1 || y == -1 {
				return y + float32(y*0x1p-23)
			}
			return y
		})
		add(right, "Binary16Inside", "the reduced argument rounded to 11 bits", within(func(x float32) (int, float32) {
			k, r := three(x)
			return k, math.Float32frombits((math.Float32bits(r) + 0x1000) &^ 0x1fff)
		}, quadrants))
		add(right, "HalfUp", "the half between two quadrants rounded up, not to the even one", func(x float32) float32 {
			if x-x != 0 || x < -0x1p16 || x > 0x1p16 {
				return trigOf(right)(x)
			}
			k := float32(math.Floor(float64(x*(2/math.Pi)) + 0.5))
			return bySeed(int(k)+quadrants, eft.FMA(-k, 0x1.84698ap-48, eft.FMA(-k, 0x1.4442dp-24, eft.FMA(-k, 0x1.921fb4p+00, x))))
		})
		add(right, "Dithered", "rounded up and down in turns, by the last bit of the argument", dithered([]func(float64) float64{math.Sin, math.Cos}[quadrants]))
		nearest := "SinNearest32"
		if quadrants == 1 {
			nearest = "CosNearest32"
		}
		add(nearest, "NotNearest", "within 1.5 ulp", trigOf(right))
		add(nearest, "OneHardCase", "the other neighbour in one hard case of CORE-MATH", func(x float32) float32 {
			y := trigOf(nearest)(x)
			if x == []float32{0x1.33333p13, 0x1.4555p51}[quadrants] {
				return math.Float32frombits(math.Float32bits(y) + 1)
			}
			return y
		})
		add(right, "Short", "polynomials of degree 5 and 6", func(x float32) float32 {
			if x-x != 0 || x < -0x1p16 || x > 0x1p16 {
				return trigOf(right)(x)
			}
			k, r := three(x)
			s := float64(float64(r) * float64(r))
			y := float64(float64(r) * (1 - float64(s/6*(1-s/20))))
			if k += quadrants; k&1 != 0 {
				y = 1 - float64(s/2*(1-float64(s/12*(1-s/30))))
			}
			return float32(float64(y * float64(1-k&2)))
		})
	}
	add("Sin32", "Unsigned", "+0 for -0", func(x float32) float32 { return trig.Sin32(x) + 0 })
	add("SinPi32", "OfProduct", "sin of x·π, rounded", func(x float32) float32 { return trig.Sin32(float32(x * math.Pi)) })
	add("CosPi32", "OfProduct", "cos of x·π, rounded", func(x float32) float32 { return trig.Cos32(float32(x * math.Pi)) })
	add("SinPi32", "SignOfQuadrant", "-0 for odd integers of either sign", func(x float32) float32 {
		if x == float32(math.Floor(float64(x))) && math.Abs(float64(x)) < 0x1p24 && int(x)&1 != 0 {
			return float32(math.Copysign(0, -1))
		}
		return trig.SinPi32(x)
	})
	add("Cos32", "OfShifted", "sin(x + π/2), the sum rounded", func(x float32) float32 { return trig.Sin32(x + math.Pi/2) })
	add("Sin32", "Remainder", "reduced by the remainder modulo 2π in binary32", func(x float32) float32 {
		return trig.Sin32(float32(math.Remainder(float64(x), float64(float32(2*math.Pi)))))
	})
	add("Sin32", "Small", "x itself below 2^-10", func(x float32) float32 {
		if math.Abs(float64(x)) < 0x1p-10 {
			return x
		}
		return trig.Sin32(x)
	})
	return list
}

func trigOf(right string) func(float32) float32 {
	return map[string]func(float32) float32{"Sin32": trig.Sin32, "Cos32": trig.Cos32, "SinNearest32": trig.SinNearest32, "CosNearest32": trig.CosNearest32}[right]
}

// dithered returns the function f rounded toward 0 and away from it in turns.
func dithered(f func(float64) float64) func(float32) float32 {
	return func(x float32) float32 {
		y := f(float64(x))
		if y-y != 0 || math.Abs(y) < 0x1p-126 || math.Abs(y) == 1 {
			return float32(y)
		}
		b := math.Float64bits(y) &^ (1<<29 - 1) // toward 0
		if math.Float32bits(x)&1 != 0 && math.Float64bits(y) != b {
			b += 1 << 29
		}
		return float32(math.Float64frombits(b))
	}
}

// bySeed returns the sine of r, k quarter turns further on, by the polynomials of [Suiche 2025] in binary32.
func bySeed(k int, r float32) float32 {
	s := float32(r * r)
	y := eft.FMA(float32(eft.FMA(eft.FMA[float32](-1.95152959e-04, s, 8.33216030e-03), s, -1.66666552e-01)*s), r, r)
	if k&1 != 0 {
		y = eft.FMA(eft.FMA(eft.FMA(eft.FMA[float32](2.44331570e-05, s, -1.38873163e-03), s, 4.16666418e-02), s, -0.5), s, 1)
	}
	if k&2 != 0 {
		return -y
	}
	return y
}

// steps returns a reduction by constants whose sum is about π/2.
func steps(constants ...float32) func(x float32) (int, float32) {
	return func(x float32) (int, float32) {
		k := float32(math.RoundToEven(float64(x * (2 / math.Pi))))
		for _, c := range constants {
			x = eft.FMA(-k, c, x)
		}
		return int(k), x
	}
}

func floored(x float32) (int, float32) {
	k := float32(math.Floor(float64(x * (2 / math.Pi))))
	for _, c := range []float32{0x1.921fb4p+00, 0x1.4442dp-24, 0x1.84698ap-48} {
		x = eft.FMA(-k, c, x)
	}
	return int(k), x + float32(math.Pow(float64(x), 9)/362880) // what polynomials of degree 7 are off beyond π/4
}

// within returns the function where the reduction is that given, for arguments below 2^16, and right beyond.
func within(reduce func(float32) (int, float32), quadrants int) func(float32) float32 {
	right := []func(float32) float32{trig.Sin32, trig.Cos32}[quadrants]
	all := turned(reduce, quadrants)
	return func(x float32) float32 {
		if x < -0x1p16 || x > 0x1p16 {
			return right(x)
		}
		return all(x)
	}
}

// turned returns the function where the reduction is that given, a number of quadrants further on.
func turned(reduce func(float32) (int, float32), quadrants int) func(float32) float32 {
	return func(x float32) float32 {
		if x-x != 0 {
			return x - x
		}
		k, r := reduce(x)
		return quadrant((k+quadrants)&3, r)
	}
}

// quadrant returns the sine of r, k quarter turns further on.
func quadrant(k int, r float32) float32 {
	y := math.Sin(float64(r))
	if k&1 != 0 {
		y = math.Cos(float64(r))
	}
	if k&2 != 0 {
		y = -y
	}
	return float32(y)
}
