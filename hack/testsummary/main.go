// Command testsummary ends a test run for a person. It reads what `go test -json` wrote, from the named
// file, and prints how many packages and tests passed, failed and were skipped, which were skipped and
// why, which failed and which were slowest. It exits with 1 when anything failed or nothing was run.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// slowest is how many tests are named, and from when on a test is slow.
const (
	slowest = 10
	slow    = 0.5
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: testsummary file")
		os.Exit(2)
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	s, err := read(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	s.print(os.Stdout)
	if s.bad() {
		os.Exit(1)
	}
}

// event is a line of `go test -json`: see `go doc test2json`.
type event struct {
	Time    time.Time `json:"Time"`
	Action  string    `json:"Action"`
	Package string    `json:"Package"`
	Test    string    `json:"Test"`
	Elapsed float64   `json:"Elapsed"` // seconds
	Output  string    `json:"Output"`
}

// name is a test's name with its package, without the part that all packages share.
func (e event) name() string {
	return strings.TrimSpace(strings.TrimPrefix(e.Package, "chatserver.dev/") + " " + e.Test)
}

type summary struct {
	packages, tests     map[string]int // by outcome: pass, fail, skip
	failed, skipped     []string
	timed               []event // tests that passed or failed, not their parts
	started, finished   time.Time
	output              map[string]string // of the tests that are not done
	brokenPackages      map[string]bool   // packages with a failed test
	failedPackageEvents []event
}

func read(in io.Reader) (*summary, error) {
	s := &summary{
		packages: map[string]int{}, tests: map[string]int{},
		output: map[string]string{}, brokenPackages: map[string]bool{},
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // the compiler's words between the events
		}
		s.add(e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the events: %w", err)
	}
	// A package that fails without a failed test did not build, panicked or ran out of time.
	for _, e := range s.failedPackageEvents {
		if !s.brokenPackages[e.Package] {
			s.failed = append(s.failed, e.name()+" (the package itself)")
		}
	}
	return s, nil
}

func (s *summary) add(e event) {
	if !e.Time.IsZero() {
		if s.started.IsZero() {
			s.started = e.Time
		}
		s.finished = e.Time
	}
	switch e.Action {
	case "output":
		if e.Test != "" && len(s.output[e.name()]) < 1000 {
			s.output[e.name()] += e.Output
		}
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	if e.Test == "" {
		if e.Package == "" {
			return
		}
		s.packages[e.Action]++
		if e.Action == "fail" {
			s.failedPackageEvents = append(s.failedPackageEvents, e)
		}
		return
	}
	s.tests[e.Action]++
	switch e.Action {
	case "fail":
		s.brokenPackages[e.Package] = true
		s.failed = append(s.failed, e.name())
	case "skip":
		s.skipped = append(s.skipped, e.name()+reason(s.output[e.name()]))
	}
	if e.Action != "skip" && !strings.Contains(e.Test, "/") {
		s.timed = append(s.timed, e)
	}
	delete(s.output, e.name())
}

// reason is what a skipped test said, without the lines that `go test` adds.
func reason(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			return ": " + line
		}
	}
	return ""
}

// bad says whether the run must count as failed.
func (s *summary) bad() bool {
	return len(s.failed) > 0 || s.packages["fail"] > 0 || s.tests["pass"] == 0
}

func (s *summary) print(out io.Writer) {
	list(out, "Skipped", s.skipped)
	slices.SortFunc(s.timed, func(a, b event) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	var times []string
	for _, e := range s.timed[:min(slowest, len(s.timed))] {
		if e.Elapsed >= slow {
			times = append(times, fmt.Sprintf("%6.1f s  %s", e.Elapsed, e.name()))
		}
	}
	list(out, "Slowest", times)
	list(out, "Failed", s.failed)

	verdict := "PASSED"
	if s.bad() {
		verdict = "FAILED"
	}
	fmt.Fprintf(out, "\n%s: %d tests passed, %d failed, %d skipped; %d packages passed, %d failed, %d without tests; %.0f s\n",
		verdict, s.tests["pass"], s.tests["fail"], s.tests["skip"],
		s.packages["pass"], s.packages["fail"], s.packages["skip"], s.finished.Sub(s.started).Seconds())
}

func list(out io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", title)
	for _, line := range lines {
		fmt.Fprintln(out, "  "+line)
	}
}
