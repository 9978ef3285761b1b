package inbox_test

import (
	"os"
	"testing"

	"chatserver.dev/pkg/testbed"
)

func TestMain(m *testing.M) {
	testbed.Histories(15)
	os.Exit(m.Run())
}
