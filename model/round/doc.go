// Package round is floating-point arithmetic by integers: correctly rounded addition, subtraction,
// multiplication, division, fused multiplication and addition, square root and conversion in every
// format of package model, in every direction, with and without flushing. Start here.
//
//	half := round.Arith{F: model.Binary16}     // to nearest even, no flush
//	s := half.Add(0x3c00, 0x1400)              // 1 + 2^-10 = 0x3c01
//	up := round.Arith{F: model.E4M3, R: model.TowardPositive}
//	b := round.Convert(up, model.Binary32, 0x3f800001)
//
// Only the judge imports it: a kernel or device never rounds by this code, and this code never
// rounds by the machine's floating-point unit; not one operation here is on a float.
//
// # How a result is rounded
//
// The exact result is taken to 64 bits or more, of which the last stands for itself and for
// everything below it ("jammed": set when anything was lost). With P <= 53 at least eleven bits lie
// below the last one kept, so that the jammed bit decides ties and directions as the whole would.
// Then one rounding follows, at the precision that the result's exponent has: P bits, fewer for
// subnormals. So nothing is ever rounded twice.
//
// # Special values
//
// NaN operands come first, before any other rule, fma(inf, 0, NaN) included: the result is the
// first signaling NaN from left to right, else the first quiet one, made quiet, with its sign and
// payload kept. An invalid operation on numbers (inf-inf, 0·inf, inf/inf, 0/0, the root of a
// number below zero) gives Format.NaNBits, the canonical NaN.
//
// A sum that is exactly zero with operands of both signs is +0, toward negative -0; of one sign it
// keeps that sign. The root of -0 is -0. A result that underflows, or is flushed, to zero keeps the
// sign of the exact one.
//
// A result overflows when rounding with unbounded exponents would take it beyond MaxFinite. Where
// the direction leads back to zero it becomes ±MaxFinite; otherwise Format.Overflow decides:
// infinity, NaN with the sign of the result, or ±MaxFinite. An exact infinity, from an
// infinite operand or a division by zero, is an infinity; in every direction, a format that saturates
// gives ±MaxFinite instead, and one that has no infinity a NaN with the sign of the infinity. These are the conversion rules of [OCP FP8 2023], for infinities and for
// numbers out of range, applied to every operation.
//
// # Flushing
//
// Flush.In replaces each subnormal operand by a zero of its sign before anything else. That is one of the zeros that Flush.AnySign admits.
// Flush.Out replaces a tiny result by a zero of the exact result's sign. Tiny is what lies below
// 2^Emin after a rounding to P bits with unbounded exponent, the detection after rounding of
// [IEEE 754-2019] §7.5, which x86 uses: 2^Emin·(1-2^-P) is tiny, though it rounds to 2^Emin where
// subnormals are kept, and to nearest anything from 2^Emin·(1-2^(-P-1)) on is not. With
// Flush.Before the exact result decides: any result below 2^Emin becomes zero, in every direction.
//
// Keys in brackets are those of package model.
package round
