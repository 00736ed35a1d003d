package stdlib

import (
	"strings"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

func init() {
	for name, bits := range map[string]uint64{
		"__builtin_inff": 0x7f800000, "__builtin_huge_valf": 0x7f800000, "__builtin_nanf": 0x7fc00000,
	} {
		special[name] = func(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
			if len(targs) > 0 || len(args) > 0 {
				return nil, wrong(c.pos, "%s takes no arguments here: write %s", c.name, macroOf(c.name))
			}
			return bitsConstant(ir.F32, bits, c.pos), nil
		}
	}
}

// macroOf names the macro that stands for a function of the compiler.
func macroOf(name string) string {
	if strings.HasSuffix(name, "nanf") {
		return "NAN"
	}
	return "INFINITY"
}
