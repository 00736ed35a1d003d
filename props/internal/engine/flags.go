package engine

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamma/props/internal/families"
)

// Option is one setting: a flag -gamma.name, mirrored by the variable GAMMA_NAME, which is read when
// it is used, so that Go's test cache sees it and packages without the flag do not fail.
type Option struct {
	Name, text string
	value      *string
}

// The options, each a flag -gamma.name and a variable GAMMA_NAME.
var (
	OptChecks = newOption("checks", "cases to draw for each subject and law; of transforms a twentieth of it, of shaders fewer, too (default: 2000, or 20000 at level thorough)")
	OptLevel  = newOption("level", "quick or thorough (default quick)")
	OptSeed   = newOption("seed", "'fixed', 'random' or a number that all seeds follow from (default fixed: a run repeats)")
	OptMaxN   = newOption("maxn", "longest vector to draw (default 70001)")
	OptBudget = newOption("budget", "longest time to search for each subject and law, and a fifth of it more for inputs beyond those that are drawn; an input that would end later is not begun, by what those before it took (default 5s, or 5m at level thorough)")
	OptTotal  = newOption("total", "time to search for all subjects and laws of a test binary, divided among them, or 'none' (default 32s; none if checks, budget, level or sweep is given): "+
		"each law judges a few cases, however little time there is")
	OptLaw     = newOption("law", "judge only laws whose ID begins so, such as sum.tree")
	OptCase    = newOption("case", "replay this case file alone, after the calls that it lists: its path, or the hex digits in its name")
	OptDir     = newOption("dir", "where each package has a directory for summaries and records of runs (default: below the temporary directory)")
	OptSave    = newOption("save", "directory for new counterexamples (default testdata/gamma); 'off' saves none")
	OptIsolate = newOption("isolate", "true: run subjects in a child process, where hangs and deaths become verdicts")
	OptSweep   = newOption("sweep", "all: judge every input instead of drawn ones where there are at most 2^32: those of a kernel whose formula is of one number, and the operands of "+
		"scalar arithmetic, such as all pairs of halfs; -gamma.shard divides them, and an interrupted sweep goes on where it ended (with go test, say -timeout 0 as well)")
	OptShard = newOption("shard", "I/N: judge the I-th of N parts of the work, which gamma merge puts together; checks say how much there is, and no time ends a search. "+
		"@K: judge block K of each law alone")
	OptDevice  = newOption("device", "where to judge: a comma list of cpu, sim, cuda, metal, opencl (default: cpu, sim, and the hardware that is linked in and present; opencl has to be named)")
	OptTimeout = newOption("timeout", "longest time for one call of a kernel, but for those on a device that are not isolated (default 10s)")
)

var options []*Option

func newOption(name, text string) *Option {
	o := &Option{name, text, flag.String("gamma."+name, "", "gamma: "+text)}
	options = append(options, o)
	return o
}

// Options returns all options.
func Options() []*Option { return slices.Clone(options) }

// Text says what the option is for.
func (o *Option) Text() string { return o.text }

// Env returns the variable that mirrors the flag.
func (o *Option) Env() string { return "GAMMA_" + strings.ToUpper(o.Name) }

// String returns the flag's value, or else the variable's, or "".
func (o *Option) String() string {
	if *o.value != "" {
		return *o.value
	}
	return os.Getenv(o.Env())
}

// Settings are the options of one run, checked.
type Settings struct {
	Checks   int
	Thorough bool
	Seed     uint64
	SeedText string
	MaxN     int
	Budget   time.Duration
	Total    time.Duration // 0: none
	Law      string
	CaseFile string
	Save     string
	Isolate  bool
	Timeout  time.Duration
	Devices  []string // nil: all
	Sweep    bool
	Shard    Part
	Again    string // the command that judges the subject once more, where that is no test; "" for go test's
	Afresh   bool   // cases on file are not read, so that no law is left out for a known open fault

	literal any // the subject that they are for
}

// defaultTotal leaves time to compile and to replay in the minute that a test binary should take.
const (
	defaultTotal = 32 * time.Second
	noTotal      = "none"
)

// FixedSeed is where a run starts that nobody gave a seed.
const FixedSeed = 1

// ReadSettings reads every option, and names the one that is wrong.
func ReadSettings() (Settings, error) {
	s := Settings{Law: OptLaw.String(), CaseFile: OptCase.String(), Save: OptSave.String()}
	bad := func(o *Option, want string) error {
		return fmt.Errorf("props: -gamma.%s (or %s) is %q; it has to be %s", o.Name, o.Env(), o.String(), want)
	}
	switch OptLevel.String() {
	case "", "quick":
	case "thorough":
		s.Thorough = true
	default:
		return s, bad(OptLevel, "quick or thorough")
	}
	s.Checks, s.MaxN, s.Budget, s.Timeout = 2000, 70001, 5*time.Second, 10*time.Second
	if s.Thorough {
		s.Checks, s.MaxN, s.Budget = 20000, 70001, 5*time.Minute
	}
	if OptChecks.String()+OptBudget.String()+OptLevel.String()+OptSweep.String() == "" {
		s.Total = defaultTotal
	}
	if OptTotal.String() == noTotal {
		s.Total = 0
	}
	for _, o := range []struct {
		*Option
		dst  *int
		most int
		want string
	}{
		{OptChecks, &s.Checks, math.MaxInt32, "a positive number"},
		{OptMaxN, &s.MaxN, families.MaxRecipeN, fmt.Sprintf("a positive number of at most %d", families.MaxRecipeN)},
	} {
		if text := o.String(); text != "" {
			v, err := strconv.Atoi(text)
			if err != nil || v < 1 || v > o.most {
				return s, bad(o.Option, o.want)
			}
			*o.dst = v
		}
	}
	for _, o := range []struct {
		*Option
		dst *time.Duration
	}{{OptBudget, &s.Budget}, {OptTimeout, &s.Timeout}, {OptTotal, &s.Total}} {
		if text := o.String(); text != "" && (o.Option != OptTotal || text != noTotal) {
			v, err := time.ParseDuration(text)
			if err != nil || v <= 0 {
				return s, bad(o.Option, "a duration such as 30s")
			}
			*o.dst = v
		}
	}
	switch text := OptIsolate.String(); text {
	case "", "false", "0", "off":
	case "true", "1", "on":
		s.Isolate = true
	default:
		return s, bad(OptIsolate, "true or false")
	}
	switch text := OptSeed.String(); text {
	case "", "fixed":
		s.Seed, s.SeedText = FixedSeed, "fixed"
	case "random":
		s.Seed = uint64(time.Now().UnixNano())
		s.SeedText = strconv.FormatUint(s.Seed, 10)
	default:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return s, bad(OptSeed, "fixed, random or a number")
		}
		s.Seed, s.SeedText = v, text
	}
	if s.Save == "" {
		s.Save = "testdata/gamma"
	}
	if err := s.readParts(bad); err != nil {
		return s, err
	}
	devices, ok := parseDevices(OptDevice.String())
	if !ok {
		return s, bad(OptDevice, "a comma list of "+strings.Join(knownDevices(), ", "))
	}
	s.Devices = devices
	return s, nil
}

// SeedFor returns the seed of one law on one subject: a hash of both and of the run's seed.
func (s *Settings) SeedFor(law, subject string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s\x00%s", s.Seed, law, subject)
	return h.Sum64() | 1
}
