// Package reduce makes failing inputs smaller, whatever their kind: start at New.
//
// A caller says what is smaller in its inputs, as steps that offer candidates to a Loop. The Loop owns the rest: the budget, the deadline,
// the memory of answers, panics of the predicate, going back where the predicate is flaky, the search through lists and numbers,
// plainer behaviours, and launches, which it keeps to those that the subject declares for the size of each candidate.
package reduce
