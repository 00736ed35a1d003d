package stdlib

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/msl/typed"
)

// TestCompilerFunctions: the values that INFINITY and NAN stand for.
func TestCompilerFunctions(t *testing.T) {
	require.Equal(t, float32(math.Inf(1)), run(t, "__builtin_inff")[0])
	require.Equal(t, float32(math.Inf(1)), run(t, "__builtin_huge_valf")[0])
	require.Equal(t, uint32(0x7fc00000), math.Float32bits(run(t, "__builtin_nanf")[0]))
	_, err := Resolve("__builtin_nanf", nil, []Arg{floats(1)}, typed.Pos{}, 0)
	require.EqualError(t, err, ": error: __builtin_nanf takes no arguments here: write NAN")
	_, err = Resolve("__builtin_inff", nil, []Arg{floats(1)}, typed.Pos{}, 0)
	require.EqualError(t, err, ": error: __builtin_inff takes no arguments here: write INFINITY")
}
