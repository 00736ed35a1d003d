package behaviours_test

import "gamma/props"

// ownLaw is the ID of a law of the subject's own, which panics whatever the kernel does.
const ownLaw = "mine.panics"

// explodes stands for the place in a law that panics.
func explodes() props.Verdict { panic("the judge's own") }

// laws are a subject's own, of vectors.
func (k *kernel) laws(op props.Op) []props.Law {
	if k.fault != lawPanics {
		return nil
	}
	return []props.Law{{ID: ownLaw, Op: op, Statement: "it panics", Judge: func(*props.Trial) props.Verdict { return explodes() }}}
}

// wordLaws are an operation's own.
func (k *kernel) wordLaws() []props.WordLaw {
	if k.fault != lawPanics {
		return nil
	}
	return []props.WordLaw{{ID: ownLaw, Statement: "it panics", Judge: func(*props.WordRow) props.Verdict { return explodes() }}}
}

// modularLaws are those of an operation on residues.
func (k *kernel) modularLaws() []props.ModularLaw {
	if k.fault != lawPanics {
		return nil
	}
	return []props.ModularLaw{{ID: ownLaw, Statement: "it panics", Judge: func(*props.ModularRow) props.Verdict { return explodes() }}}
}

// nttLaws are a transform's own.
func (k *kernel) nttLaws() []props.NTTLaw {
	if k.fault != lawPanics {
		return nil
	}
	return []props.NTTLaw{{ID: ownLaw, Statement: "it panics", Judge: func(*props.NTTCase) props.Verdict { return explodes() }}}
}

// wrappingLaws are those of a sum of integers.
func (k *kernel) wrappingLaws() []props.WrappingLaw {
	if k.fault != lawPanics {
		return nil
	}
	return []props.WrappingLaw{{ID: ownLaw, Statement: "it panics", Judge: func(*props.WrappingTrial) props.Verdict { return explodes() }}}
}

// kernelLaws are those of a kernel that computes a formula.
func (k *kernel) kernelLaws() []props.KernelLaw {
	if k.fault != lawPanics {
		return nil
	}
	return []props.KernelLaw{{ID: ownLaw, Statement: "it panics", Judge: func(*props.KernelCall) props.Verdict { return explodes() }}}
}

// fftLaws are those of a Fourier transform.
func (k *kernel) fftLaws() []props.FFTLaw {
	if k.fault != lawPanics {
		return nil
	}
	return []props.FFTLaw{{ID: ownLaw, Statement: "it panics", Judge: func(*props.FFTTrial) props.Verdict { return explodes() }}}
}
