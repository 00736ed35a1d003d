package mutants

// The sentences of this package's panics, each a programmer's mistake.

func noAlgorithm(name string) string { return "mutants: package word has no algorithm called " + name }

func noKernel(name string) string { return "mutants: package nn has no kernel called " + name }
