package allowed

func same(x, y, z float64) float64 { return x*y + z } // gamma:allow contraction: z is 0

func above(x, y, z float64) float64 {
	// gamma:allow contraction: x and y have 26 bits
	return x*y + z
}

/* want 38 allowance does not say */ // gamma:allow contraction

func mute(x, y, z float64) float64 { return x*y + z } // want 45 contraction fused

/* want 36 allowance delete the */ // gamma:allow contraction: nothing is fused here

func kind(x, y, z float64) float64 {
	return x*y + z /* want 9 contraction fused */ /* want 80 allowance nothing */ // gamma:allow double-rounding: another kind
}
