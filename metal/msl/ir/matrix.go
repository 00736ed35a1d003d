package ir

// MatrixLayout is what a machine chooses about simdgroup matrices, which Metal leaves open: the elements that a lane holds, and how a product
// is added up; and how finely it weighs the texels of a linear filter. The zero value is the layout of Apple's GPUs as public shaders assume it, the products in order after what they are added to, and
// sums in float.
//
// A matrix has 32 pairs of elements, 4·line + at being the place of elements 2·at and 2·at+1 of row line, or of column line if Transposed.
type MatrixLayout struct {
	// Steps are the bits of the lane, each of 1, 2, 4, 8 and 16 once, that are bits 0 to 4 of its place; of zeros, 1, 8, 2, 4 and 16.
	Steps      [5]uint8
	Flip       uint8 // the lane of place 0
	Transposed bool
	First      uint8 // of the products: number t is that of elements t^First
	Late       bool  // what the products are added to comes last
	Narrow     bool  // each sum is rounded to the type of the result
	// Coarse: the weights of a linear filter are rounded to multiples of 1/256, which CUDA documents of its textures and Vulkan's
	// subTexelPrecisionBits allows; Metal says nothing of them.
	Coarse bool
}

// MatrixLanes is the number of lanes that hold a simdgroup matrix.
const MatrixLanes = 32

// steps returns l.Steps, or those of the zero value.
func (l MatrixLayout) steps() [5]uint8 {
	if l.Steps == [5]uint8{} {
		return [5]uint8{1, 8, 2, 4, 16}
	}
	return l.Steps
}

// Place returns the place of the pair of elements that a lane holds, in 0 to 31. Lanes count modulo 32.
func (l MatrixLayout) Place(lane int) int {
	place := 0
	for bit, step := range l.steps() {
		if (lane^int(l.Flip))&int(step) != 0 {
			place |= 1 << bit
		}
	}
	return place
}

// Word returns what a kernel needs to know of l beside places: the steps, of 5 bits each, then Transposed, First of 3 bits, Late, Narrow and Coarse.
func (l MatrixLayout) Word() uint32 {
	w := uint32(0)
	for bit, step := range l.steps() {
		w |= uint32(step) << (5 * bit)
	}
	for bit, set := range map[int]bool{25: l.Transposed, 29: l.Late, 30: l.Narrow, 31: l.Coarse} {
		if set {
			w |= 1 << bit
		}
	}
	return w | uint32(l.First)<<26
}

// DrawMatrixLayout returns a layout drawn with below, which gives a number in [0, n).
func DrawMatrixLayout(below func(n int) int) MatrixLayout {
	l := MatrixLayout{
		Flip: uint8(below(MatrixLanes)), Transposed: below(2) == 1, First: uint8(below(8)), Late: below(2) == 1, Narrow: below(2) == 1,
	}
	for i := range l.Steps {
		j := below(i + 1)
		l.Steps[i] = l.Steps[j]
		l.Steps[j] = 1 << i
	}
	l.Coarse = below(2) == 1
	return l
}

// Width returns the lanes of a simdgroup of the kernel on a machine whose simdgroups have width otherwise: MatrixLanes if it uses simdgroup
// matrices.
func (k *Kernel) Width(width int) int {
	for _, in := range k.Inputs {
		if in.Kind == MatrixPlaceBefore {
			return MatrixLanes
		}
	}
	return width
}
