package password

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// lowest is the lowest priority.
const lowest = 19

// yield sets the lowest priority for all threads of this process: each has its own on Linux, and new threads have that of the one
// that starts them.
func yield() error {
	for range 2 { // the second time for threads that others started before their turn came
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err //nolint:wrapcheck // it says all
		}
		for _, thread := range threads {
			tid, err := strconv.Atoi(thread.Name())
			if err == nil {
				err = syscall.Setpriority(syscall.PRIO_PROCESS, tid, lowest)
			}
			if err != nil && !errors.Is(err, syscall.ESRCH) { // it has ended
				return err //nolint:wrapcheck // it says all
			}
		}
	}
	// Outside of containers, sessions share the processors evenly whatever their processes' priorities are, where there are such
	// groups of sessions (sched(7), autogroup): this one's is lowered as well, if the system lets it.
	_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(lowest)), 0)
	return nil
}
