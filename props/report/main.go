// Command report makes of the lines that a run leaves in summary.jsonl one page that can be handed on.
//
//	go run . run.jsonl… -o report.html
//	go run . $GAMMA_DIR -o report.html -o report.md -before last-week.jsonl -matrix ../testdata/kill-matrix.txt
//
// Arguments are files of JSON lines, or folders, which stand for all files called summary.jsonl below them; together they are one run. A page whose
// name ends in .md is Markdown, any other HTML.
//
// It exits with 0 where all was read, with 1 where the report was made and something in it is missing, which the page and standard error name, and with
// 2 where no report was made, or one of several was not; then the one that was there is as it was.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gamma/props/internal/lines"
	"gamma/props/report/page"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// list is a flag that may be given more than once.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// run makes the reports that the arguments ask for, and returns the exit code.
func run(args []string, stderr io.Writer) int {
	var out, before, matrices list
	var o page.Options
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Var(&out, "o", "file to write: Markdown if it ends in .md, else HTML; may be given more than once")
	flags.Var(&before, "before", "lines of an earlier run, to compare with; may be given more than once")
	flags.Var(&matrices, "matrix", "a kill matrix, such as props/testdata/kill-matrix.txt; may be given more than once")
	flags.StringVar(&o.Title, "title", "", "title of the page")
	flags.IntVar(&o.Figures, "figures", 0, "how many figures of error against n are drawn at most (default 36; -1: none)")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run . run.jsonl… -o report.html")
		flags.PrintDefaults()
	}
	var files []string
	for {
		if err := flags.Parse(args); err != nil {
			return 2
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		files, args = append(files, args[0]), args[1:]
	}
	if len(files) == 0 || len(out) == 0 {
		flags.Usage()
		return 2
	}
	missing, err := write(files, before, matrices, out, o, stderr)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "report: %v\n", err)
		return 2
	case missing:
		return 1
	}
	return 0
}

// write reads a run and writes its reports; missing says that something of it could not be read or drawn.
func write(files, before, matrices, out []string, o page.Options, stderr io.Writer) (missing bool, err error) {
	r, err := page.Read(files...)
	if err != nil {
		return false, err
	}
	if len(before) > 0 {
		if o.Before, err = page.Read(before...); err != nil {
			return false, fmt.Errorf("the run to compare with: %w", err)
		}
		r.Problems = append(r.Problems, o.Before.Problems...)
	}
	for _, name := range matrices {
		list, err := page.ReadMatrix(name)
		if err != nil {
			r.Problems = append(r.Problems, page.Problem{Where: name, Text: err.Error()})
		}
		o.Matrices = append(o.Matrices, list...)
	}
	var errs []error
	var problems []page.Problem
	for _, name := range out {
		make := page.HTML
		if strings.HasSuffix(name, ".md") {
			make = page.Markdown
		}
		if err := lines.Apart(name, slices.Concat(files, before, matrices)...); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, page.Save(name, func(w io.Writer) (err error) {
			problems, err = make(w, r, o)
			return err
		}))
	}
	for i, p := range problems {
		if i == maxProblems {
			fmt.Fprintf(stderr, "report: … %d more\n", len(problems)-i)
			break
		}
		fmt.Fprintf(stderr, "report: %v\n", p)
	}
	return len(problems) > 0, errors.Join(errs...)
}

// maxProblems is how many problems standard error names; the page names more.
const maxProblems = 20
