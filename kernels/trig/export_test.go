package trig

// TwoOverPiBits is for the test that computes it.
var TwoOverPiBits = twoOverPiBits[:]
