// Package fourier describes discrete Fourier transforms, and what a kernel may promise of one, as data that judge and judged share.
package fourier

import "fmt"

// Transform is a discrete Fourier transform of N points,
//
//	X_k = s·Σ_j x_j·exp(±2πi·j·k/N),   j, k = 0 … N-1,
//
// where Sign gives the sign of the exponent and Scale the factor s, and Data says which of these numbers are real.
type Transform struct {
	N     int // 1 at least
	Sign  Sign
	Scale Scale
	Data  Data
}

// Sign is the sign of the exponent.
type Sign uint8

const (
	Forward Sign = iota // exp(-2πi·j·k/N)
	Inverse             // exp(+2πi·j·k/N)
)

// String returns "forward" or "inverse".
func (s Sign) String() string { return [...]string{"forward", "inverse"}[s] }

// Scale is the factor s by which a transform multiplies its sums.
type Scale uint8

const (
	Unscaled Scale = iota // s = 1
	ByN                   // s = 1/N
	ByRootN               // s = 1/√N
)

// String returns "1", "1/N" or "1/√N".
func (s Scale) String() string { return [...]string{"1", "1/N", "1/√N"}[s] }

// Norm is a convention for a pair of transforms, forward and inverse: which of them carries the factor 1/N.
type Norm uint8

const (
	NormBackward Norm = iota // the inverse has 1/N: NumPy's "backward", MATLAB
	NormForward              // the forward transform has 1/N
	NormOrtho                // both have 1/√N
	NormNone                 // neither: the round trip multiplies by N, as FFTW's and cuFFT's
)

// String returns the name that NumPy has for the convention, or "none".
func (n Norm) String() string { return [...]string{"backward", "forward", "ortho", "none"}[n] }

// Scale returns the factor of the transform of that sign under convention n.
func (n Norm) Scale(s Sign) Scale {
	switch {
	case n == NormOrtho:
		return ByRootN
	case n == NormBackward && s == Inverse, n == NormForward && s == Forward:
		return ByN
	}
	return Unscaled
}

// Data says which numbers of a transform are complex.
type Data uint8

const (
	// Complex takes N complex numbers to N complex numbers.
	Complex Data = iota
	// RealInput takes N real numbers to X_0 … X_⌊N/2⌋; the others follow by X_(N-k) = conj X_k.
	RealInput
	// RealOutput takes X_0 … X_⌊N/2⌋ of a spectrum with X_(N-k) = conj X_k to N real numbers. The imaginary parts of X_0
	// and, for even N, X_(N/2) count as 0, whatever they are.
	RealOutput
)

// String returns "complex", "real input" or "real output".
func (d Data) String() string { return [...]string{"complex", "real input", "real output"}[d] }

// Half returns ⌊N/2⌋ + 1, the number of complex values that stand for a conjugate-symmetric spectrum of n.
func Half(n int) int { return n/2 + 1 }

// In returns the numbers of the input: complex ones, or real ones where Data is RealInput.
func (t Transform) In() int {
	if t.Data == RealOutput {
		return Half(t.N)
	}
	return t.N
}

// Out returns the numbers of the result: complex ones, or real ones where Data is RealOutput.
func (t Transform) Out() int {
	if t.Data == RealInput {
		return Half(t.N)
	}
	return t.N
}

// String returns "forward DFT of 8 points, complex, times 1/N".
func (t Transform) String() string {
	s := fmt.Sprintf("%v DFT of %d points, %v", t.Sign, t.N, t.Data)
	if t.Scale != Unscaled {
		s += ", times " + t.Scale.String()
	}
	return s
}

// Check returns an error that names the field that is wrong, or nil.
func (t Transform) Check() error {
	switch {
	case t.N < 1:
		return fmt.Errorf("fourier: Transform.N is %d; a transform has 1 point at least", t.N)
	case t.Sign > Inverse:
		return fmt.Errorf("fourier: Transform.Sign is %d; want Forward or Inverse", t.Sign)
	case t.Scale > ByRootN:
		return fmt.Errorf("fourier: Transform.Scale is %d; want Unscaled, ByN or ByRootN", t.Scale)
	case t.Data > RealOutput:
		return fmt.Errorf("fourier: Transform.Data is %d; want Complex, RealInput or RealOutput", t.Data)
	}
	return nil
}
