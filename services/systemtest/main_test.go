package systemtest_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// With -short there is no test: the programs take longer to build.
func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Fprintln(os.Stderr, "left out by -short")
		os.Exit(0)
	}
	os.Exit(m.Run())
}
