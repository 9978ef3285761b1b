package systemtest_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// With -short, all tests are skipped, since building the programs takes too long.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Fprintln(os.Stderr, "skipped in short mode")
		os.Exit(0)
	}
	os.Exit(m.Run())
}
