package testbed

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//nolint:gochecknoglobals // a flag has to be registered before the test binary reads its command line.
var update = flag.Bool("update", false, "write the golden files that tests compare with, instead of comparing")

// Golden compares got with the file testdata/<name> of the tested package and reports the difference. Run the test
// with -update to write the file, and review the change before you commit it.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // part of the source tree.
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil { //nolint:gosec // part of the source tree.
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path) //nolint:gosec // the test names its own file.
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s does not exist: run the test with -update to write it", path)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got); run the test with -update if that is intended:\n%s", path, diff)
	}
}
