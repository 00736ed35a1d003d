// Package real encloses values of elementary functions, with proof. It belongs to the judge: no kernel may import it.
//
// It has two halves. The slow one is interval arithmetic of any length over math/big: methods of [Bits] on an [Interval]. Rounding errors need no
// proof there, since every operation rounds outward; each function's comment proves what is left, its argument's reduction and the remainder of
// its series. [Refine] raises the length until an interval is narrow enough.
//
// The fast one is for inner loops: [Exp], [Log] and their siblings take a binary64 number and return two, between which the exact value lies, a
// few units in the last place apart. Each comment counts the errors of its function: reduction, truncation, each rounding. Nothing relies on
// package math's elementary functions, which promise nothing, and no product is fused into a sum but by [math.FMA]. Their tables are computed by
// the slow half, and a test compares them.
package real
