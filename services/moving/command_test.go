package moving_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/moving"
	"chatserver.dev/services/servicetest"
)

// run runs a command with the world's database and its own storage.
func run(t *testing.T, w *servicetest.World, command string, args ...string) (out, log string, err error) {
	t.Helper()
	environ := []string{"DATABASE_URL=" + w.DatabaseURL, "EXTERNAL_HOST=" + servicetest.Host, "FILES_DIR=" + t.TempDir()}
	printed, shown := bytes.Buffer{}, bytes.Buffer{}
	err = moving.Run(t.Context(), command, args, environ, moving.IO{Out: &printed, Log: &shown, Now: time.Now})
	return printed.String(), shown.String(), err
}

func TestCommands(t *testing.T) {
	t.Parallel()
	w := full(t)
	packed := filepath.Join(t.TempDir(), "plant.tar.gz")
	if _, log, err := run(t, w, "export", "--organization", "", "--output", packed); err != nil || !strings.Contains(log, "messages") {
		t.Fatalf("%s, %v", log, err)
	}
	for _, output := range []string{packed, t.TempDir()} {
		if _, _, err := run(t, w, "export", "--output", output); err == nil || !strings.Contains(err.Error(), "exists: remove it") {
			t.Errorf("%s is written over: %v", output, err)
		}
	}
	work := t.TempDir()
	out, log, err := run(t, w, "import", packed, "--subdomain", "Twice", "--work", work)
	if err != nil || !strings.Contains(out, "twice."+servicetest.Host+" is complete") || !strings.Contains(log, "14 messages") {
		t.Fatalf("%s%s, %v", out, log, err)
	}
	if left, _ := os.ReadDir(work); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
	n := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select count(*) from messages m join organizations o using (org_id) where o.subdomain = 'twice' and not o.deactivated")[0]
	if n != 14 {
		t.Errorf("%d messages", n)
	}
	piped, _, err := run(t, w, "export", "--organization", "twice", "--output", "-")
	if err != nil || !strings.HasPrefix(piped, "\x1f\x8b") {
		t.Errorf("%.20q, %v", piped, err)
	}
	environ, reported := []string{"DATABASE_URL=" + w.DatabaseURL, "EXTERNAL_HOST=" + servicetest.Host, "FILES_DIR=" + t.TempDir()}, bytes.Buffer{}
	through := moving.IO{In: strings.NewReader(piped), Out: &bytes.Buffer{}, Log: &reported, Now: time.Now}
	if err := moving.Run(t.Context(), "import", []string{"-", "--subdomain", "thrice", "--work", work}, environ, through); err != nil ||
		!strings.Contains(reported.String(), "14 messages") {
		t.Errorf("%s, %v", reported.String(), err)
	}
}

// Asking for the usage of a command isn't an error, and needs no server.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"export", "import"} {
		printed := bytes.Buffer{}
		if err := moving.Run(t.Context(), command, []string{"-h"}, nil, moving.IO{Out: &printed}); err != nil || printed.String() != moving.Usage {
			t.Errorf("%s -h: %q, %v", command, printed.String(), err)
		}
	}
}

func TestCommandsRefuse(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	for want, args := range map[string][]string{
		"--output is missing":                {"export"},
		`there is no organization "nowhere"`: {"export", "--organization", "nowhere", "--output", "-"},
		"the archive is missing":             {"import", "--subdomain", "x"},
		`it has no argument "works"`:         {"export", "works"},
		"more than one archive":              {"import", "a", "--subdomain", "x", "b"},
		"no such file":                       {"import", filepath.Join(t.TempDir(), "none"), "--subdomain", "x"},
		"realm.json":                         {"import", t.TempDir(), "--subdomain", "x"},
		"flag provided but not defined":      {"import", "a", "--force"},
	} {
		if _, _, err := run(t, w, args[0], args[1:]...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
