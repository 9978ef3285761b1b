// Package failpoint kills the process at named places, so that tests can show the effects of a crash there.
// Failpoints do nothing unless they are enabled, which they never are in production.
package failpoint

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
)

// The failpoints.
const (
	// BeforeDispatch is after reading events from the log and before appending them to queues.
	BeforeDispatch = "before-dispatch"
	// AfterDispatch is after appending events to queues and moving the cursor in Redis, which is the only record of
	// it.
	AfterDispatch = "after-dispatch"
	// AfterSend is after the commit of a message and before waking polls and responding.
	AfterSend = "after-send"
	// AfterRegister is after registering a queue and before reading its initial state.
	AfterRegister = "after-register"
)

// Set is a set of enabled failpoints. In a nil Set, none is enabled.
type Set struct {
	chance map[string]float64
	die    func()
}

// Parse parses a setting such as "after-dispatch=0.01,after-send=1": names of failpoints with the probability that
// they kill the process. It returns nil for an empty setting.
func Parse(setting string) (*Set, error) {
	if setting == "" {
		return nil, nil //nolint:nilnil // a nil Set is what switches nothing on
	}
	s := &Set{chance: map[string]float64{}, die: func() {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // until the signal arrives
	}}
	for part := range strings.SplitSeq(setting, ",") {
		name, text, _ := strings.Cut(part, "=")
		switch name {
		case BeforeDispatch, AfterDispatch, AfterSend, AfterRegister:
		default:
			return nil, fmt.Errorf("unknown failpoint %q", name)
		}
		chance, err := strconv.ParseFloat(text, 64)
		if err != nil || !(chance >= 0 && chance <= 1) { // false for NaN, too
			return nil, fmt.Errorf("failpoint %s: %q is not a probability between 0 and 1", name, text)
		}
		s.chance[name] = chance
	}
	return s, nil
}

// Meet kills the process with the probability of the failpoint.
func (s *Set) Meet(name string) {
	if s != nil && rand.Float64() < s.chance[name] { //nolint:gosec // chance, not secrecy
		s.die()
	}
}
