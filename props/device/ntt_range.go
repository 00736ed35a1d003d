package device

import (
	"fmt"
	"maps"
	"slices"

	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/ranges"
)

// proved proves that no kernel of n's lets a word leave its type, for the greatest modulus that is claimed. The error names the place,
// and the greatest modulus for which it is proved.
func (n *NTT) proved() error {
	library, err := msl.Compile(n.Source, msl.Options(n.Options))
	if err != nil {
		return err
	}
	most := n.Claim.Moduli.MaxModulus(n.Claim.Bits)
	kernels := map[string]*ir.Kernel{}
	for f := range n.Facts(most) {
		if kernels[f], err = library.Kernel(f, n.Constants); err != nil {
			return fmt.Errorf("device: NTT %s: Facts: %w", n.Name, err)
		}
	}
	// open returns a store that is not proved for a modulus, or nil.
	open := func(q uint64) (string, *ranges.Store, error) {
		facts := n.Facts(q)
		for _, f := range slices.Sorted(maps.Keys(kernels)) {
			r, err := ranges.Analyse(kernels[f], facts[f])
			if err != nil {
				return f, nil, fmt.Errorf("device: NTT %s: kernel %s: %w", n.Name, f, err)
			}
			for i := range r.Stores {
				if !r.Stores[i].Proved {
					return f, &r.Stores[i], nil
				}
			}
		}
		return "", nil, nil
	}
	f, s, err := open(most)
	if s == nil || err != nil {
		return err
	}
	// The greatest odd modulus for which everything is proved; below it everything is.
	lo, hi := n.Claim.Moduli.MinModulus()-1, most
	for hi-lo > 1 {
		q := lo + (hi-lo)/2
		switch _, bad, err := open(q | 1); {
		case err != nil:
			return err
		case bad == nil:
			lo = q
		default:
			hi = q
		}
	}
	can := fmt.Sprintf("it is proved up to %d = %#x: set Claim.Moduli.Max to that, or reduce more", lo|1, lo|1)
	if lo < n.Claim.Moduli.MinModulus() {
		can = "it is proved for no modulus of the claim: reduce before it, or say more in Facts"
	}
	return fmt.Errorf("device: NTT %s: kernel %s stores a word at %v that is not proved to be one modulo %d, the greatest modulus claimed: at %v %s; %s",
		n.Name, f, s.Pos, most, s.Wrap, s.Why, can)
}
