package password

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// lowest is the lowest priority.
const lowest = 19

// yield sets the lowest priority for all threads of this process. On Linux each thread has its own priority, and new
// threads inherit that of the thread that starts them.
func yield() error {
	for range 2 { // the second pass is for threads that others started during the first
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
	// Outside of containers, Linux may divide the processors evenly among sessions, whatever the priorities of their
	// processes are (sched(7), autogroup). Therefore the priority of this session is lowered too, if the system
	// allows it.
	_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(lowest)), 0)
	return nil
}
