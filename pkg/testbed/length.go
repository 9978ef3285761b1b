package testbed

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// longer is the factor for the number of histories in long runs, and few the number with -short.
const longer, few = 20, 2

// longVariable names the environment variable that `make test/long` sets.
const longVariable = "TEST_LONG"

// runVariable names the environment variable that hack/test sets to another text in each run.
const runVariable = "TEST_RUN"

// Uncached keeps Go from reusing a cached result for the calling test's package in a later run of hack/test. It is
// for packages that build programs of this repository, or run programs that read its files, because Go only tracks
// files that tests read themselves.
func Uncached() { _ = os.Getenv(runVariable) }

// Long reports whether tests may take minutes each.
func Long() bool { return os.Getenv(longVariable) != "" }

// Slow skips the test with `go test -short`. It is for tests that take longer than a second.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short")
	}
}

// Histories sets the number of histories for the tests of package rapid, unless -rapid.checks is set: usual, 20 times
// as many in a long run, and 2 with -short. Call it in TestMain, because the number applies to the whole process.
func Histories(usual int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given {
		return
	}
	switch {
	case testing.Short():
		usual = few
	case Long():
		usual *= longer
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(usual)); err != nil {
		panic(err) // the package doesn't use rapid
	}
}
