package boot

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// A duration in the log has its unit, in each format.
func TestDurationsInLog(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"text": "after=2m2.8s\n", "json": `"after":"2m2.8s"}` + "\n"} {
		out := bytes.Buffer{}
		newLogger(Config{LogFormat: format}, &out).Info("done", slog.Duration("after", 122800*time.Millisecond))
		if got := out.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", format, got)
		}
	}
}
