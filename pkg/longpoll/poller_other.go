//go:build !linux

package longpoll

import (
	"errors"
	"time"
)

// poller is implemented only on Linux. On other systems, each connection has a goroutine.
type poller struct{}

func newPoller() (*poller, error)         { return nil, errors.ErrUnsupported }
func (*poller) run(time.Duration, func()) {}
func (*poller) add(*conn) error           { return errors.ErrUnsupported }
func (*poller) remove(*conn)              {}
func (*poller) close()                    {}

func readNow(uintptr, []byte) (int, error)  { return 0, errors.ErrUnsupported }
func writeNow(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }
