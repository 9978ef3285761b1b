package tcp

import (
	"context"
	"math/rand/v2"
	"net"
	"time"
)

const (
	// serverGone is how long a server may be silent. The kernel of a reachable server answers probes at once, however
	// busy the server is.
	serverGone = 5 * time.Second
	// clientGone is how long a client may be silent. It may be on a train.
	clientGone = 30 * time.Second
	// spread is how much sooner or later an idle client is probed first.
	spread = 6 * time.Second
	// maxUnsent is the maximum number of bytes of a response that wait in the kernel for the network. Without it,
	// clients that request large responses and don't read them would cost the kernel megabytes each, and the time to
	// copy them there.
	maxUnsent = 64 << 10
)

// Dialer returns a dialer for connections to servers of this installation, such as PostgreSQL and Redis. A connection
// fails when its server is silent for about five seconds; on systems other than Linux, only while no data are being
// sent. Connecting takes at most timeout; 0: as long as the context allows.
func Dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: timeout, KeepAliveConfig: keepAlive(serverGone), Control: options(serverGone, 0)}
}

// Listen listens for clients. A connection fails when its client is silent for about half a minute, with the exception of
// [Dialer].
func Listen(ctx context.Context, network, addr string) (net.Listener, error) {
	config := net.ListenConfig{KeepAlive: -1, Control: options(clientGone, maxUnsent)} // Accept enables keep-alive
	accepting, err := config.Listen(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return listener{accepting}, nil
}

type listener struct{ net.Listener }

// Accept returns a connection that is probed at its own time. Clients that come together, such as all of them after
// a restart, would otherwise be probed together, and a kernel drops packets between its own interfaces, such as those of
// containers, while more than 1000 of them wait. Connections whose probes or answers are lost three times would fail.
func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		config := keepAlive(clientGone)
		config.Idle += rand.N(2*spread) - spread //nolint:gosec // chance, not secrecy
		_ = tcp.SetKeepAliveConfig(config)       // it fails if the client has gone, which the first read reports
	}
	return conn, err
}

// keepAlive returns a configuration with which an idle connection fails after gone.
func keepAlive(gone time.Duration) net.KeepAliveConfig {
	const probes = 3
	interval := max(time.Second, gone/(probes+2))
	return net.KeepAliveConfig{Enable: true, Idle: gone - probes*interval, Interval: interval, Count: probes}
}
