// Package lmtp receives mail by LMTP (RFC 2033) from a mail server, and makes messages of it (package incomingmail).
//
// Clients aren't authenticated, so the address must be reachable only within the operator's own network. With a
// certificate, clients can use TLS, by STARTTLS (RFC 3207). There are limits on connections, in total and from an
// address, on the size of mails, on the number of mails in memory, and on the time for each mail, for each command, and
// between mails. Each recipient has its own response: after a temporary error (4xx) the mail server tries again, after a
// permanent one (5xx) it notifies the sender.
package lmtp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/emersion/go-smtp"
	"golang.org/x/net/netutil"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/incomingmail"
	"chatserver.dev/pkg/limit"
)

const (
	// maxBytes is the maximum size of a mail.
	maxBytes = 25 << 20
	// maxLine is the maximum length of a line, in bytes: some programs write longer lines than the standard allows.
	maxLine = 64 << 10
	// maxConnections is the maximum number of connections; further ones wait.
	maxConnections = 50
	// maxPerClient is the maximum number of connections from an address; further ones are refused. It is more than mail servers open
	// by default.
	maxPerClient = maxConnections / 2
	// maxRecipients is the maximum number of recipients of a mail on a connection. Mail servers split mail with more
	// recipients.
	maxRecipients = 20
	// maxInMemory is the maximum number of mails in memory.
	maxInMemory = 2
	// commandTime is the timeout for reading a line and for writing a response.
	commandTime = time.Minute
	// mailTime is how long a connection may be without a mail.
	mailTime = 5 * time.Minute
	// arriveTime is the timeout for reading a mail, once there is room for it.
	arriveTime = time.Minute
	// deliverTime is the timeout for making messages of a mail.
	deliverTime = time.Minute
	// endTime is how long the end of the process waits for mails that are being received.
	endTime = 10 * time.Second
)

// Deps are the dependencies of a [Server].
type Deps struct {
	Mail *incomingmail.Service
	// Domain is the server's name in its greeting.
	Domain string
	// TLS is the configuration for STARTTLS; nil: there is none.
	TLS *tls.Config
	// TLSRequired refuses mail of clients that don't use STARTTLS.
	TLSRequired bool
	// ArriveTime is the timeout for reading a mail; 0: a minute. After it, the connection is closed.
	ArriveTime time.Duration
	// MailTime is how long a connection may be without a mail before it is closed; 0: five minutes.
	MailTime time.Duration
	// Count is called with the outcome of a mail for each recipient; nil: outcomes aren't counted.
	Count  func(ctx context.Context, outcome string)
	Logger *slog.Logger
}

// Server receives mail.
type Server struct {
	Deps
	room *room
}

// New returns a server, which is started by [Server.Serve].
func New(d Deps) *Server {
	if d.Count == nil {
		d.Count = func(context.Context, string) {}
	}
	d.ArriveTime, d.MailTime = cmp.Or(d.ArriveTime, arriveTime), cmp.Or(d.MailTime, mailTime)
	return &Server{Deps: d, room: newRoom(maxInMemory)}
}

// Part returns the part of a process that runs a server at the configured address.
func Part(c Config, d Deps) boot.Part {
	return boot.Part{Name: "lmtp", Run: func(ctx context.Context) error {
		listener, err := boot.Listen(ctx, "LMTP_ADDR", c.Addr)
		if err != nil {
			return err
		}
		return New(d).Serve(ctx, listener)
	}}
}

// Serve receives mail until ctx ends. It closes the listener.
func (s *Server) Serve(ctx context.Context, at net.Listener) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx)) // mails that are being received when ctx ends are delivered
	defer stop()
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		_, secured := c.TLSConnectionState() // STARTTLS begins another session
		return &session{server: s, conn: c, ctx: working, refused: s.TLSRequired && !secured}, nil
	}))
	server.LMTP, server.Domain, server.EnableSMTPUTF8 = true, s.Domain, true
	server.TLSConfig = s.TLS
	server.MaxMessageBytes, server.MaxRecipients = maxBytes, maxRecipients
	server.MaxLineLength = maxLine
	server.ReadTimeout, server.WriteTimeout = commandTime, commandTime
	server.ErrorLog = slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug)
	ended := make(chan error, 1)
	go func() {
		ended <- server.Serve(listener{netutil.LimitListener(at, maxConnections), s.MailTime, limit.NewConcurrent[string](maxPerClient)})
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("take mail: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		_ = server.Close() // clients that are cut off deliver again
	}
	if err := <-ended; err != nil && !errors.Is(err, smtp.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("take mail: %w", err)
	}
	return nil
}
