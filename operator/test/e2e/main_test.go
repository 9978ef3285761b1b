//go:build e2e

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Names that everything shares.
const (
	system    = "chat-system" // the namespace of the operator
	chat      = "chat"        // and the one of the server
	server    = "main"        // its name, and that of its first organization
	host      = "chat.localhost"
	owner     = "ada@corp.example"
	version   = "0.1.0"
	patched   = "0.1.1"      // the same, with another version
	failing   = "0.2.0-rc.1" // its migration fails
	next      = "0.2.0"      // it has one more migration
	deploy    = "operator-chatserver-operator"
	upgraded  = "upgraded" // the server, and its namespace, of [TestUpgrade]
	lender    = "lender"   // the same, of [TestBadReferencesAreSaid]
	artifacts = ".local/e2e/artifacts"
)

func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..", "..")); err != nil { // the repository, which charts and examples are in
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, name := range []string{"KUBECONFIG", "HELM"} {
		if os.Getenv(name) == "" {
			fmt.Fprintf(os.Stderr, "%s is missing: run the tests with `make e2e`\n", name)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// long skips a test that takes minutes, or that holds in a cluster what is tested without one, too: `make test/long` runs it.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_LONG") == "" {
		t.Skip("it takes long: set TEST_LONG=1")
	}
}
