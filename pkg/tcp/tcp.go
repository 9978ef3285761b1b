package tcp

import (
	"net"
	"time"
)

const (
	// serverGone is how long a server may be silent. A server that lives answers the kernel's probes at once, however
	// busy it is.
	serverGone = 5 * time.Second
	// clientGone is how long a client may be silent: it may be on a train.
	clientGone = 30 * time.Second
	// mostUnsent is how many bytes of an answer wait in the kernel until the network can take them. Clients that ask for
	// large answers and read none of them cost neither its memory, megabytes for each, nor the time to copy them there.
	mostUnsent = 64 << 10
)

// Dialer makes connections to servers of our own, such as PostgreSQL and Redis. One whose server is silent for about
// five seconds fails, on systems other than Linux only where nothing is being sent. Making a connection takes at most
// timeout; 0: as long as its context lasts.
func Dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: timeout, KeepAliveConfig: keepAlive(serverGone), Control: options(serverGone, 0)}
}

// ListenConfig makes listeners for clients. A connection whose client is silent for about half a minute fails, as with
// [Dialer].
func ListenConfig() *net.ListenConfig {
	return &net.ListenConfig{KeepAliveConfig: keepAlive(clientGone), Control: options(clientGone, mostUnsent)}
}

// keepAlive sends probes on a connection that is quiet, so that it fails when gone is over.
func keepAlive(gone time.Duration) net.KeepAliveConfig {
	const probes = 3
	interval := max(time.Second, gone/(probes+2))
	return net.KeepAliveConfig{Enable: true, Idle: gone - probes*interval, Interval: interval, Count: probes}
}
