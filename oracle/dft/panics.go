package dft

// A caller's mistake.
const panicPoints = "dft: a transform has from 1 to MaxN points"
