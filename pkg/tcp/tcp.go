package tcp

import (
	"net"
	"time"
)

const (
	// serverGone is how long a server may be silent. The kernel of a reachable server answers probes at once, however
	// busy the server is.
	serverGone = 5 * time.Second
	// clientGone is how long a client may be silent. It may be on a train.
	clientGone = 30 * time.Second
	// maxUnsentTime is the maximum number of bytes of a response that wait in the kernel for the network. Without it,
	// clients that request large responses and don't read them would cost the kernel megabytes each, and the time to
	// copy them there.
	maxUnsentTime = 64 << 10
)

// Dialer returns a dialer for connections to servers of this installation, such as PostgreSQL and Redis. A connection
// fails when its server is silent for about five seconds; on systems other than Linux, only while no data are being
// sent. Connecting takes at most timeout; 0: as long as the context allows.
func Dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: timeout, KeepAliveConfig: keepAlive(serverGone), Control: options(serverGone, 0)}
}

// ListenConfig returns a configuration of listeners for clients. A connection fails when its client is silent for
// about half a minute, with the exception of [Dialer].
func ListenConfig() *net.ListenConfig {
	return &net.ListenConfig{KeepAliveConfig: keepAlive(clientGone), Control: options(clientGone, maxUnsentTime)}
}

// keepAlive returns a configuration with which an idle connection fails after gone.
func keepAlive(gone time.Duration) net.KeepAliveConfig {
	const probes = 3
	interval := max(time.Second, gone/(probes+2))
	return net.KeepAliveConfig{Enable: true, Idle: gone - probes*interval, Interval: interval, Count: probes}
}
