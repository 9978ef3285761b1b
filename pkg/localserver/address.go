package localserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// lowestPort and highestPort are the range of [FreeAddr]. Linux takes ports for outgoing connections from 32768 on: such a
// connection could otherwise take the port before the server does.
const (
	lowestPort  = 12_000
	highestPort = 32_767
)

// FreeAddr returns an address of this machine that nothing listens on, for a server that must know its address before it starts.
func FreeAddr(ctx context.Context) (addr string, err error) {
	for range attempts {
		port := lowestPort + rand.IntN(highestPort-lowestPort+1) //nolint:gosec // anybody may know it
		listener, failed := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err = failed; err == nil {
			return listener.Addr().String(), listener.Close()
		}
	}
	return "", fmt.Errorf("look for a free port: %w", err)
}
