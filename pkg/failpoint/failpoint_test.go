package failpoint_test

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"chatserver.dev/pkg/failpoint"
)

// inChild is set in the child process that is to be killed. It contains the name of the failpoint.
const inChild = "FAILPOINT_TEST_MEETS"

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(inChild); ok {
		set, err := failpoint.Parse(os.Getenv("FAILPOINT_TEST_SETTING"))
		if err != nil {
			os.Exit(3)
		}
		for range 100 {
			set.Meet(name)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestMeet(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		setting, meets string
		dies           bool
	}{
		"nothing set":  {"", failpoint.AfterSend, false},
		"certain":      {"after-send=1", failpoint.AfterSend, true},
		"never":        {"after-send=0", failpoint.AfterSend, false},
		"by chance":    {"after-send=0.5", failpoint.AfterSend, true}, // 100 times
		"another one":  {"before-dispatch=1", failpoint.AfterSend, false},
		"second named": {"after-register=0,after-dispatch=1", failpoint.AfterDispatch, true},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), inChild+"="+test.meets, "FAILPOINT_TEST_SETTING="+test.setting)
			err := child.Run()
			exit := (*exec.ExitError)(nil)
			killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
			if killed != test.dies || !killed && err != nil {
				t.Errorf("killed %v, %v", killed, err)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for setting, fine := range map[string]bool{
		"": true, "after-send=1": true, "after-send=0.01,before-dispatch=0": true,
		"after-send": false, "after-send=": false, "after-send=2": false, "after-send=-1": false, "after-send=NaN": false,
		"after-lunch=1": false, "after-send=1,": false, "after-send=1, after-register=1": false,
	} {
		if _, err := failpoint.Parse(setting); (err == nil) != fine {
			t.Errorf("%q: %v", setting, err)
		}
	}
	var none *failpoint.Set
	none.Meet(failpoint.AfterSend)
}
