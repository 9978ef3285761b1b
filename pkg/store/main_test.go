package store_test

import (
	"os"
	"testing"

	"chatserver.dev/pkg/testbed"
)

func TestMain(m *testing.M) {
	testbed.Histories(25)
	os.Exit(m.Run())
}
