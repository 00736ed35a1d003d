package props

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// option is one setting: a flag -gamma.name, mirrored by the variable GAMMA_NAME, which is read when
// it is used, so that Go's test cache sees it and packages without the flag do not fail.
type option struct {
	name, text string
	value      *string
}

var (
	optChecks  = newOption("checks", "cases to draw for each subject and law (default: 2000, or 20000 at level thorough)")
	optLevel   = newOption("level", "quick or thorough (default quick)")
	optSeed    = newOption("seed", "'fixed', 'random' or a number that all seeds follow from (default fixed: a run repeats)")
	optMaxN    = newOption("maxn", "longest vector to draw (default 70001)")
	optBudget  = newOption("budget", "longest time to search for each subject and law (default 5s, or 5m at level thorough)")
	optLaw     = newOption("law", "judge only laws whose ID begins so, such as sum.tree")
	optCase    = newOption("case", "replay this case file alone")
	optDir     = newOption("dir", "directory for summaries and records of runs (default: below the temporary directory)")
	optSave    = newOption("save", "directory for new counterexamples (default testdata/gamma); 'off' saves none")
	optIsolate = newOption("isolate", "true: run subjects in a child process, where hangs and deaths become verdicts")
	optDevice  = newOption("device", "where to judge: a comma list of cpu, sim, cuda, metal, opencl (default: cpu, sim, and the hardware that is linked in and present; opencl has to be named)")
	optTimeout = newOption("timeout", "longest time for one run of a kernel in isolation (default 10s)")
)

func newOption(name, text string) *option {
	return &option{name, text, flag.String("gamma."+name, "", "gamma: "+text)}
}

// env returns the variable that mirrors the flag.
func (o *option) env() string { return "GAMMA_" + strings.ToUpper(o.name) }

// String returns the flag's value, or else the variable's, or "".
func (o *option) String() string {
	if *o.value != "" {
		return *o.value
	}
	return os.Getenv(o.env())
}

// settings are the options of one run, checked.
type settings struct {
	checks   int
	thorough bool
	seed     uint64
	seedText string
	maxN     int
	budget   time.Duration
	law      string
	caseFile string
	save     string
	isolate  bool
	timeout  time.Duration
	devices  []string // nil: all
}

// fixedSeed is where a run starts that nobody gave a seed.
const fixedSeed = 1

// readSettings reads every option, and names the one that is wrong.
func readSettings() (settings, error) {
	s := settings{law: optLaw.String(), caseFile: optCase.String(), save: optSave.String()}
	bad := func(o *option, want string) error {
		return fmt.Errorf("props: -gamma.%s (or %s) is %q; it has to be %s", o.name, o.env(), o.String(), want)
	}
	switch optLevel.String() {
	case "", "quick":
	case "thorough":
		s.thorough = true
	default:
		return s, bad(optLevel, "quick or thorough")
	}
	s.checks, s.maxN, s.budget, s.timeout = 2000, 70001, 5*time.Second, 10*time.Second
	if s.thorough {
		s.checks, s.maxN, s.budget = 20000, 70001, 5*time.Minute
	}
	for _, o := range []struct {
		*option
		dst  *int
		most int
		want string
	}{
		{optChecks, &s.checks, math.MaxInt32, "a positive number"},
		{optMaxN, &s.maxN, maxRecipeN, fmt.Sprintf("a positive number of at most %d", maxRecipeN)},
	} {
		if text := o.String(); text != "" {
			v, err := strconv.Atoi(text)
			if err != nil || v < 1 || v > o.most {
				return s, bad(o.option, o.want)
			}
			*o.dst = v
		}
	}
	for _, o := range []struct {
		*option
		dst *time.Duration
	}{{optBudget, &s.budget}, {optTimeout, &s.timeout}} {
		if text := o.String(); text != "" {
			v, err := time.ParseDuration(text)
			if err != nil || v <= 0 {
				return s, bad(o.option, "a duration such as 30s")
			}
			*o.dst = v
		}
	}
	switch text := optIsolate.String(); text {
	case "", "false", "0", "off":
	case "true", "1", "on":
		s.isolate = true
	default:
		return s, bad(optIsolate, "true or false")
	}
	switch text := optSeed.String(); text {
	case "", "fixed":
		s.seed, s.seedText = fixedSeed, "fixed"
	case "random":
		s.seed = uint64(time.Now().UnixNano())
		s.seedText = strconv.FormatUint(s.seed, 10)
	default:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return s, bad(optSeed, "fixed, random or a number")
		}
		s.seed, s.seedText = v, text
	}
	if s.save == "" {
		s.save = "testdata/gamma"
	}
	devices, ok := parseDevices(optDevice.String())
	if !ok {
		return s, bad(optDevice, "a comma list of "+strings.Join(knownDevices(), ", "))
	}
	s.devices = devices
	return s, nil
}

// seedFor returns the seed of one law on one subject: a hash of both and of the run's seed.
func (s *settings) seedFor(law, subject string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s\x00%s", s.seed, law, subject)
	return h.Sum64() | 1
}
