package main

import (
	"gamma/model"
	"gamma/model/formula"
)

// sleef has the scalar functions of SLEEF 3.5. Its reference names a bound for each; where editions of it differ in the range for which it holds, the smallest is claimed. Of sinpi and cospi it says max(0.506 ULP, FLT_MIN): arguments so small that
// the second counts are left out.
func sleef() library {
	from := source{
		"\"The error bound of the returned value is 1.0 ULP\" of the functions called u10, and 3.5 of those called u35; 0.506 of sinpi and cospi, and 1.0001 of tanhf",
		"SLEEF, Math library reference, Data types and functions for all architectures (doc/html/purec.xhtml)",
	}
	const beyond = "Above 8,000,000 the result is that of another number, as if the range ended there: TestByHand/sleef computes it by the parity of the integer."
	found := map[string]string{
		"Sleef_sinpif_u05": beyond, "Sleef_cospif_u05": beyond,
		"Sleef_erff_u10": "Of some subnormal numbers the result is off by up to 2 units of the least subnormal number, and no other bound is stated for these: TestByHand/sleef computes 2x/√π.",
	}
	l := library{Name: "SLEEF", Package: "libsleef-dev", Shim: "sleef.c", Link: []string{"-lsleef"}, Version: dpkg("libsleef3")}
	for _, f := range []function{
		{"Sleef_sinf_u10", formula.Sin, formula.OpSin, formula.Promise{Ulps: 1, To: 5e9}},
		{"Sleef_sinf_u35", formula.Sin, formula.OpSin, formula.Promise{Ulps: 3.5, To: 39000}},
		{"Sleef_cosf_u10", formula.Cos, formula.OpCos, formula.Promise{Ulps: 1, To: 5e9}},
		{"Sleef_cosf_u35", formula.Cos, formula.OpCos, formula.Promise{Ulps: 3.5, To: 39000}},
		{"Sleef_tanf_u10", formula.Tan, formula.OpTan, formula.Promise{Ulps: 1, To: 5e9}},
		{"Sleef_tanf_u35", formula.Tan, formula.OpTan, formula.Promise{Ulps: 3.5, To: 39000}},
		{"Sleef_sinpif_u05", formula.SinPi, formula.OpSinPi, formula.Promise{Ulps: 0.506, From: 0x1p-90, To: 1e7}},
		{"Sleef_cospif_u05", formula.CosPi, formula.OpCosPi, formula.Promise{Ulps: 0.506, From: 0x1p-90, To: 1e7}},
		{"Sleef_expf_u10", formula.Exp, formula.OpExp, formula.Promise{Ulps: 1}},
		{"Sleef_exp2f_u10", formula.Exp2, formula.OpExp2, formula.Promise{Ulps: 1}},
		{"Sleef_exp2f_u35", formula.Exp2, formula.OpExp2, formula.Promise{Ulps: 3.5}},
		{"Sleef_expm1f_u10", formula.Expm1, formula.OpExpm1, formula.Promise{Ulps: 1}},
		{"Sleef_logf_u10", formula.Log, formula.OpLog, formula.Promise{Ulps: 1}},
		{"Sleef_logf_u35", formula.Log, formula.OpLog, formula.Promise{Ulps: 3.5}},
		{"Sleef_log2f_u10", formula.Log2, formula.OpLog2, formula.Promise{Ulps: 1}},
		{"Sleef_log2f_u35", formula.Log2, formula.OpLog2, formula.Promise{Ulps: 3.5}},
		{"Sleef_log1pf_u10", formula.Log1p, formula.OpLog1p, formula.Promise{Ulps: 1, To: 1e38}},
		{"Sleef_tanhf_u10", formula.Tanh, formula.OpTanh, formula.Promise{Ulps: 1.0001}},
		{"Sleef_tanhf_u35", formula.Tanh, formula.OpTanh, formula.Promise{Ulps: 3.5}},
		{"Sleef_erff_u10", formula.Erf, formula.OpErf, formula.Promise{Ulps: 1}},
		{"Sleef_sqrtf_u35", formula.Sqrt, formula.OpSqrt, formula.Promise{Ulps: 3.5}},
	} {
		c := elementary(f, model.Binary32, from)
		c.Found = found[f.name]
		l.Claims = append(l.Claims, c)
	}
	return l
}
