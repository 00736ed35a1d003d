package mutants

import "fmt"

func noTwin(name, twin string) string {
	return fmt.Sprintf("mutants: the twin %s of %s is not a kernel of package shaders; correct its name", twin, name)
}

func noSource(name string, err error) string {
	return fmt.Sprintf("mutants: the source of %s is missing: %v", name, err)
}

func notOnce(name, old string, n int) string {
	return fmt.Sprintf("mutants: %s replaces %q, which is there %d times and has to be there once; correct it after a change of the twin", name, old, n)
}

func notThere(name, old string) string {
	return fmt.Sprintf("mutants: %s replaces %q, which is not there; correct it after a change of the twin", name, old)
}
