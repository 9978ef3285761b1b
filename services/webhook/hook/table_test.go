package hook_test

import (
	"strings"
	"testing"

	"chatserver.dev/services/webhook/hook"
)

func TestTable(t *testing.T) {
	t.Parallel()
	rows := make([][]hook.Markdown, 30)
	for i := range rows {
		rows[i] = make([]hook.Markdown, 1+i*5)
		rows[i][0] = hook.Code("a|b")
	}
	lines := strings.Split(hook.Table(rows...).String(), "\n")
	first, last := "| `a\\|b` |"+strings.Repeat("  |", 19), "… and 9 more"
	if got := lines[0]; got != first {
		t.Errorf("the head is %q, want %q", got, first)
	}
	if got := lines[len(lines)-1]; got != last || len(lines) != 24 {
		t.Errorf("the last of %d lines is %q, want %q after 23", len(lines), got, last)
	}
	if got := hook.Table(nil, nil).String(); got != "" {
		t.Errorf("a table without cells is %q", got)
	}
}
