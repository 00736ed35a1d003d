package props

import "testing"

func (r *modularRun) replay(t testing.TB) {}
func (f *ModularFailure) save(s settings) { f.NotSaved = "stand-in" }
