// Package failpoint makes a process die between two steps, so that tests can show what a crash
// there does. Without a setting, which is how every real server runs, a failpoint does nothing.
package failpoint

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
)

// The failpoints that there are.
const (
	// BeforeDispatch is when events were read from the log and no queue has them yet.
	BeforeDispatch = "before-dispatch"
	// AfterDispatch is when queues have them and the cursor has moved, which only Redis knows.
	AfterDispatch = "after-dispatch"
	// AfterSend is when a message is committed and nobody was woken or answered.
	AfterSend = "after-send"
	// AfterRegister is when a queue collects and its initial state isn't read yet.
	AfterRegister = "after-register"
)

// Set is the failpoints that are switched on. A nil Set has none.
type Set struct {
	chance map[string]float64
	die    func()
}

// Parse reads a setting such as "after-dispatch=0.01,after-send=1": each named failpoint with the
// chance that it kills the process when it is met. It returns nil for an empty setting.
func Parse(setting string) (*Set, error) {
	if setting == "" {
		return nil, nil //nolint:nilnil // a nil Set is what switches nothing on
	}
	s := &Set{chance: map[string]float64{}, die: func() {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // until the signal is there
	}}
	for part := range strings.SplitSeq(setting, ",") {
		name, text, _ := strings.Cut(part, "=")
		switch name {
		case BeforeDispatch, AfterDispatch, AfterSend, AfterRegister:
		default:
			return nil, fmt.Errorf("unknown failpoint %q", name)
		}
		chance, err := strconv.ParseFloat(text, 64)
		if err != nil || !(chance >= 0 && chance <= 1) { // NaN is neither
			return nil, fmt.Errorf("failpoint %s: %q is not a probability between 0 and 1", name, text)
		}
		s.chance[name] = chance
	}
	return s, nil
}

// Meet dies here with the failpoint's chance.
func (s *Set) Meet(name string) {
	if s != nil && rand.Float64() < s.chance[name] { //nolint:gosec // chance, not secrecy
		s.die()
	}
}
