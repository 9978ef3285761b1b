// Package lmtp takes mail by LMTP (RFC 2033) from a mail server in front, and makes messages of it (package received).
//
// Whoever reaches the address can send mail, as anybody can by way of the mail server: keep it within your own network. With a
// certificate mail comes over TLS, by STARTTLS (RFC 3207). Connections,
// the size of mails, how many are read at a time, how long one takes to arrive, and the time for each command are bounded. Each recipient has its own answer:
// with a temporary one (4xx) the mail server tries again, with a permanent one (5xx) it notifies the sender.
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
	"chatserver.dev/pkg/received"
)

const (
	// maxBytes is the size of the largest mail.
	maxBytes = 25 << 20
	// maxLine is how long a line may be, in bytes: some programs write longer ones than they should.
	maxLine = 64 << 10
	// maxConnections is how many connections there may be; further ones wait.
	maxConnections = 50
	// maxRecipients is how many recipients a mail may have on a connection. Mail servers divide what has more.
	maxRecipients = 20
	// atOnce is how many mails are in memory at a time.
	atOnce = 2
	// commandTime bounds how long a client may take for a line, and we for an answer.
	commandTime = time.Minute
	// arriveTime bounds how long a mail may take to arrive, once there is room for it.
	arriveTime = time.Minute
	// deliverTime bounds how long making messages of a mail may take.
	deliverTime = time.Minute
	// endTime is how long mails may take that are being taken when the process ends.
	endTime = 10 * time.Second
)

// Deps are what a [Server] works with.
type Deps struct {
	Mail *received.Service
	// Domain is what the server calls itself.
	Domain string
	// TLS is the configuration for STARTTLS; nil: there is none.
	TLS *tls.Config
	// TLSRequired refuses mail of clients that don't begin with STARTTLS.
	TLSRequired bool
	// ArriveTime bounds how long a mail may take to arrive; 0: a minute. The client is cut off then.
	ArriveTime time.Duration
	// Count is called with what became of a mail for a recipient; nil: nobody counts.
	Count  func(ctx context.Context, outcome string)
	Logger *slog.Logger
}

// Server takes mail.
type Server struct {
	Deps
	room chan struct{}
}

// New makes a server.
func New(d Deps) *Server {
	if d.Count == nil {
		d.Count = func(context.Context, string) {}
	}
	d.ArriveTime = cmp.Or(d.ArriveTime, arriveTime)
	return &Server{Deps: d, room: make(chan struct{}, atOnce)}
}

// Part is a server that listens at an address while the process runs.
func Part(c Config, d Deps) boot.Part {
	return boot.Part{Name: "lmtp", Run: func(ctx context.Context) error {
		listener, err := boot.Listen(ctx, "LMTP_ADDR", c.Addr)
		if err != nil {
			return err
		}
		return New(d).Serve(ctx, listener)
	}}
}

// Serve takes mail until ctx ends; it closes the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		_, secured := c.TLSConnectionState() // STARTTLS begins another session
		return &session{server: s, conn: c, ctx: ctx, refused: s.TLSRequired && !secured}, nil
	}))
	server.LMTP, server.Domain, server.EnableSMTPUTF8 = true, s.Domain, true
	server.TLSConfig = s.TLS
	server.MaxMessageBytes, server.MaxRecipients = maxBytes, maxRecipients
	server.MaxLineLength = maxLine
	server.ReadTimeout, server.WriteTimeout = commandTime, commandTime
	server.ErrorLog = slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(listener, maxConnections)) }()
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
