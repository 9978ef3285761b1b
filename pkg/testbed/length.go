package testbed

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// longer is how many times as many histories tests try when they may take long, and few how many with -short.
const longer, few = 20, 2

// longVariable names the environment variable that `make test/long` sets.
const longVariable = "TEST_LONG"

// runVariable names the environment variable that hack/test sets to another text in each run.
const runVariable = "TEST_RUN"

// Uncached keeps Go from taking the result of the calling test's package from its cache in a later run of hack/test. It is for
// packages that build programs of this repository, or have programs read its files: Go notices only what tests read themselves.
func Uncached() { _ = os.Getenv(runVariable) }

// Long reports whether tests may take minutes each.
func Long() bool { return os.Getenv(longVariable) != "" }

// Slow leaves a test out of `go test -short`. It is for those that take longer than a second.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short")
	}
}

// Histories sets how many histories each test of package rapid tries, unless -rapid.checks does: so many, 20 times as
// many in a long run, and 2 with -short. It is called by TestMain, as the number is the process's.
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
