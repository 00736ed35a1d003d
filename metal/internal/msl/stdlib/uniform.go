package stdlib

import "gamma/metal/internal/msl/typed"

func init() {
	special["make_uniform"] = func(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
		if len(targs) > 1 || len(args) != 1 {
			return nil, wrong(c.pos, "make_uniform takes one value: make_uniform(x)")
		}
		return args[0].X, nil
	}
}
