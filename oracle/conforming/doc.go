// Package conforming evaluates formulas as kernels may that keep to a claim: Evaluation.Run, with choices at random, or steered so that errors add up. What it returns has to
// lie in the enclosures of package enclosure, with which it shares no arithmetic: tests hold the one against the other, and an attack shows with it how near to
// the end of an enclosure a result can come.
package conforming
