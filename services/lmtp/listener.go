package lmtp

import (
	"crypto/tls"
	"net"
	"time"
)

// listener is a listener whose connections are closed if no mail comes for a time. The library's timeout is for each line, so a
// client that sends some commands, or a line a byte at a time, would keep its connection for ever.
type listener struct {
	net.Listener
	mailTime time.Duration
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: accepted, mailTime: l.mailTime, late: time.AfterFunc(l.mailTime, func() { _ = accepted.Close() })}, nil // the library notices
}

// conn is a connection of a listener.
type conn struct {
	net.Conn
	mailTime time.Duration
	late     *time.Timer // closes the connection
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
	return c.Conn.Close()
}
