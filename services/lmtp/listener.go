package lmtp

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"chatserver.dev/pkg/limit"
)

// refusal is sent to a client with too many connections. Mail servers then use those that they have, or try again later.
const refusal = "421 4.7.0 Too many connections from your address\r\n"

// listener is a listener whose connections are closed if no mail comes for a time. The library's timeout is for each line, so a
// client that sends some commands, or a line a byte at a time, would keep its connection for ever. It refuses connections of a
// client that has too many, so that others can connect.
type listener struct {
	net.Listener
	mailTime time.Duration
	clients  *limit.Concurrent[string]
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := addressOf(accepted)
		if l.clients.Enter(client) {
			late := time.AfterFunc(l.mailTime, func() { _ = accepted.Close() }) // the library notices
			return &conn{Conn: accepted, mailTime: l.mailTime, late: late, client: client, leave: sync.OnceFunc(func() { l.clients.Leave(client) })}, nil
		}
		_, _ = accepted.Write([]byte(refusal)) // into the empty buffer of a new connection, so it doesn't block
		_ = accepted.Close()                   // nobody uses it
	}
}

// addressOf returns the address of a connection's client, without its port. Addresses of a network aren't counted together: it may
// be that of mail servers and of others, such as the pods of a node.
func addressOf(c net.Conn) string {
	address := c.RemoteAddr().String()
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// conn is a connection of a listener.
type conn struct {
	net.Conn
	mailTime time.Duration
	late     *time.Timer // closes the connection
	client   string      // the client's address
	leave    func()      // removes the connection from those of the client
}

// errEnd says that the client has closed the connection.
var errEnd = errors.New("the client has closed the connection")

// Read implements net.Conn. It doesn't return io.EOF: when a client disconnects within a part of a mail (BDAT), the library would
// take that for the end of the part, and deliver a mail that is cut off.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) {
		err = errEnd
	}
	return n, err
}

// ofMail returns the connection below one of the library's.
func ofMail(c net.Conn) *conn {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	below, _ := c.(*conn) // always the type
	return below
}

// begin notes that a mail comes. The result notes its end, after which another has to come in time.
func (c *conn) begin() (end func()) {
	c.late.Stop()
	return func() { c.late.Reset(c.mailTime) }
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.late.Stop()
	c.leave()
	return c.Conn.Close()
}
