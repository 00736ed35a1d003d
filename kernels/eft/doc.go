// Package eft implements error-free transforms, which give a sum, a product or a number exactly as two words. Start here: TwoSum and
// TwoProductFMA; All lists every transform with the algorithm of package word that it is, bit for bit.
//
// All are generic over float32 and float64 and use only operations of the format, with two exceptions for float32, which has no
// fused multiply-add in Go: FMA and TwoProductFMA compute through float64, exactly, and round once.
//
// # Special values
//
// A transform whose first result is not finite returns the result of the plain operation, and a meaningless second:
// NaN or infinite. Where a step overflows although the first result is finite, the second is NaN: see each function. The
// error-free products round their second word where it would need bits below the format's smallest.
package eft
