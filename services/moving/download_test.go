package moving_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/moving"
	"chatserver.dev/services/servicetest"
)

// elsewhere returns the export of the tests, with files at another address.
func elsewhere(t *testing.T, address string) string {
	t.Helper()
	dir := t.TempDir()
	err := filepath.WalkDir("testdata/slack", func(name string, entry fs.DirEntry, err error) error {
		to := filepath.Join(dir, strings.TrimPrefix(name, "testdata/slack"))
		if err != nil || entry.IsDir() {
			return errors.Join(err, os.MkdirAll(to, 0o700))
		}
		text, err := os.ReadFile(name)
		for _, host := range []string{"https://files.slack.example", "https://avatars.slack-edge.example"} {
			text = bytes.ReplaceAll(text, []byte(host), []byte(address))
		}
		return errors.Join(err, os.WriteFile(to, text, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Files are downloaded only if that is requested, and only from public addresses.
func TestDownload(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	asked, content := atomic.Int32{}, atomic.Value{}
	content.Store("PNG!")
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/ann.png":
			_, _ = out.Write([]byte("no picture"))
		case r.URL.Query().Get("t") != "xoxe-secret":
			out.WriteHeader(http.StatusForbidden)
		case asked.Add(1) == 1:
			out.WriteHeader(http.StatusTooManyRequests)
		default:
			_, _ = out.Write([]byte(content.Load().(string)))
		}
	}))
	defer server.Close()
	everywhere := func(string, string, syscall.RawConn) error { return nil }
	load := func(subdomain string, to moving.IO) string {
		t.Helper()
		log := bytes.Buffer{}
		to.Out, to.Log, to.Now = &log, &log, time.Now
		environ := []string{"DATABASE_URL=" + w.DatabaseURL, "EXTERNAL_HOST=" + servicetest.Host, "FILES_DIR=" + t.TempDir()}
		args := []string{elsewhere(t, server.URL), "--subdomain", subdomain, "--download", "--work", t.TempDir()}
		if err := moving.Run(t.Context(), "import", args, environ, to); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(log.String(), "xoxe") {
			t.Errorf("a key is in the report: %s", log.String())
		}
		return log.String()
	}
	message := func(subdomain string) string {
		t.Helper()
		return storetest.Values[string](storetest.Connect(t, w.DatabaseURL), `select content from messages m join organizations o using (org_id)
			where o.subdomain = $1 and content like 'Two files%'`, subdomain)[0]
	}
	if log := load("private", moving.IO{}); !strings.Contains(log, "uploaded files that can't be downloaded") || asked.Load() != 0 {
		t.Errorf("%d requests to this host: %s", asked.Load(), log)
	}
	if !strings.Contains(message("private"), "[pic.png]("+server.URL+"/F2/download/pic.png)") {
		t.Error(message("private"))
	}
	log := load("public", moving.IO{Permit: everywhere})
	if !strings.Contains(log, "2 uploaded files") || !strings.Contains(log, "pictures of people that are invalid") || !strings.Contains(message("public"), "[pic.png](/user_uploads/") {
		t.Errorf("%s%s", log, message("public"))
	}
	content.Store("<html>please sign in</html>")
	if log := load("signin", moving.IO{Permit: everywhere}); !strings.Contains(log, "its size isn't") || !strings.Contains(message("signin"), server.URL+"/F2/") {
		t.Errorf("%s%s", log, message("signin"))
	}
}
