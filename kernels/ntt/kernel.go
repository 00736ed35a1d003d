package ntt

import "gamma/model/modular"

// Kernel makes plans of one arithmetic, form and ring, with their claim.
type Kernel struct {
	Name  string // "ntt.Montgomery.DITNR.cyclic"
	Claim modular.TransformClaim
	// Plan makes the transforms of t, or returns an error that says why t is outside the claim.
	Plan func(t modular.Transform) (modular.Transforms, error)
}

// All returns every kernel.
func All() []Kernel {
	var list []Kernel
	for _, negacyclic := range []bool{false, true} {
		list = append(list, kernel("ntt.Plan."+ring(negacyclic), planClaim(negacyclic), NewPlan))
		for _, k := range []*kind{&montgomeryKind, &montgomeryDomainKind, &montgomeryEnteringKind, &montgomeryLazyKind, &shoupKind, &shoupLazyKind} {
			list = append(list, formed(k.name, k.forms, negacyclic, k.claim, k.plan)...)
		}
		list = append(list, formed("Goldilocks", tableForms(negacyclic), negacyclic, goldilocksClaim, NewGoldilocks)...)
		list = append(list, formed("Word31", tableForms(negacyclic), negacyclic, word31Claim, NewWord31)...)
	}
	return list
}

// formed returns the kernels of forms.
func formed[W Word](name string, forms []Form, negacyclic bool, claim func(f Form, negacyclic bool) modular.TransformClaim,
	plan func(t modular.Transform, f Form) (*Plan[W], error),
) []Kernel {
	list := make([]Kernel, len(forms))
	for i, f := range forms {
		list[i] = kernel(title(name, f, negacyclic), claim(f, negacyclic), func(t modular.Transform) (*Plan[W], error) { return plan(t, f) })
	}
	return list
}

// kernel returns the kernel of plans with a claim.
func kernel[W Word](name string, c modular.TransformClaim, plan func(t modular.Transform) (*Plan[W], error)) Kernel {
	return Kernel{Name: name, Claim: c, Plan: func(t modular.Transform) (modular.Transforms, error) {
		if t.Negacyclic != c.Negacyclic {
			return modular.Transforms{}, check(name, &c, t)
		}
		p, err := plan(t)
		if err != nil {
			return modular.Transforms{}, err
		}
		return p.Transforms(), nil
	}}
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
