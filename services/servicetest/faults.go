package servicetest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
)

// faultsVariable is the environment variable with the folder in which [Declared] records the faults that occur in
// tests; empty: they aren't recorded. `make test` sets it, and compares the recorded faults of all packages with those
// that the endpoints declare, see hack/faults. The folder is kept, for packages whose test results Go takes from its
// cache: each has a file, which its tests overwrite when they run.
const faultsVariable = "SERVICETEST_FAULTS"

// Declared is for [endpoint.Config.Failed] of a test's router: it fails the test if an endpoint's handler returns a
// fault that the endpoint doesn't declare, and records declared ones. Endpoints don't declare faults of the framework,
// faults that every endpoint may return for a parameter or for a caller who can't act any more, and internal errors.
func Declared(t testing.TB) func(e endpoint.Endpoint, f *fault.Fault, handled bool) {
	t.Helper()
	return func(e endpoint.Endpoint, f *fault.Fault, handled bool) {
		for _, declared := range e.About().Faults {
			if errors.Is(f, declared) {
				if err := note(e, declared); err != nil {
					t.Errorf("note a fault: %v", err)
				}
				return
			}
		}
		if handled && f.Kind < fault.Internal && f.Kind != fault.Unauthenticated && !ofParameters(f) {
			t.Errorf("%s doesn't declare its fault %q %q", e.Route(), f.Code, f.Msg)
		}
	}
}

// ofParameters reports whether a fault is one of the framework's about parameters.
func ofParameters(f *fault.Fault) bool {
	return errors.Is(f, fault.ErrMissing) || errors.Is(f, fault.ErrBadValue) || errors.Is(f, fault.ErrConfusing)
}

// notes are the lines that this process has written, and their file.
//
//nolint:gochecknoglobals // all tests of a process write to one file.
var notes struct {
	mu   sync.Mutex
	done map[string]bool
	file *os.File
}

// note writes the endpoint's route and its fault, once per process.
func note(e endpoint.Endpoint, declared *fault.Fault) error {
	folder := os.Getenv(faultsVariable)
	if folder == "" {
		return nil
	}
	line := fmt.Sprintf("%s\t%d %s %s\n", e.Route(), declared.Kind, declared.Code, declared.Msg)
	notes.mu.Lock()
	defer notes.mu.Unlock()
	if notes.file == nil {
		file, err := createNotes(folder)
		if err != nil {
			return err
		}
		notes.file, notes.done = file, map[string]bool{}
	}
	if notes.done[line] {
		return nil
	}
	notes.done[line] = true
	_, err := notes.file.WriteString(line)
	return err
}

// createNotes opens the file of the package under test. It truncates the file, unless only some of the package's tests
// run: they add to the faults of the others.
func createNotes(folder string) (*os.File, error) {
	program, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, errors.New("the package under test is unknown")
	}
	name := filepath.Join(folder, filepath.FromSlash(strings.TrimSuffix(program.Path, ".test"))+".faults")
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil { //nolint:gosec // the folder is the test run's own.
		return nil, err
	}
	how := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if run := flag.Lookup("test.run"); run == nil || run.Value.String() == "" {
		how |= os.O_TRUNC
	}
	return os.OpenFile(name, how, 0o600) //nolint:gosec // as above.
}
