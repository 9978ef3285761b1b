package main

import (
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	const passed = `{"Time":"2026-01-02T03:04:05Z","Action":"run","Package":"chatserver.dev/pkg/a","Test":"TestA"}
{"Time":"2026-01-02T03:04:07Z","Action":"pass","Package":"chatserver.dev/pkg/a","Test":"TestA","Elapsed":2}
{"Time":"2026-01-02T03:04:07Z","Action":"pass","Package":"chatserver.dev/pkg/a","Elapsed":2}
`
	for _, test := range []struct {
		name, in string
		bad      bool
		want     []string
	}{
		{"passed", passed, false, []string{"PASSED: 1 tests passed, 0 failed, 0 skipped; 1 packages passed, 0 failed, 0 without tests; 2 s", "2.0 s  pkg/a TestA"}},
		{"nothing ran", "", true, []string{"FAILED: 0 tests passed"}},
		{"words of the compiler", "# chatserver.dev/pkg/a\n" + passed, false, []string{"PASSED: 1 tests"}},
		{
			"skipped", passed +
				`{"Action":"output","Package":"chatserver.dev/pkg/b","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"chatserver.dev/pkg/b","Test":"TestB","Output":"    b_test.go:7: no such thing\n"}
{"Action":"skip","Package":"chatserver.dev/pkg/b","Test":"TestB"}
`,
			false,
			[]string{"Skipped:\n  pkg/b TestB: b_test.go:7: no such thing", "1 skipped"},
		},
		{
			"failed", passed +
				`{"Action":"fail","Package":"chatserver.dev/pkg/b","Test":"TestB"}
{"Action":"fail","Package":"chatserver.dev/pkg/b"}
`,
			true,
			[]string{"Failed:\n  pkg/b TestB\n\nFAILED: 1 tests passed, 1 failed, 0 skipped; 1 packages passed, 1 failed"},
		},
		{
			"not built", passed + `{"Action":"fail","Package":"chatserver.dev/pkg/b"}` + "\n", true,
			[]string{"Failed:\n  pkg/b (the package itself)"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, err := read(strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			s.print(&out)
			if s.bad() != test.bad {
				t.Errorf("bad is %v, want %v", s.bad(), test.bad)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in:\n%s", want, out.String())
				}
			}
		})
	}
}
