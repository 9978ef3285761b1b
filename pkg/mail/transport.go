package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	gomail "github.com/wneessen/go-mail"

	"chatserver.dev/pkg/tcp"
)

// ErrRefused says that a mail has been refused permanently.
var ErrRefused = errors.New("the mail is permanently refused")

// sendTime is the timeout for sending a mail to a server.
const sendTime = 30 * time.Second

// Transport delivers mail.
type Transport interface {
	// Deliver returns when the mail has been accepted. If it fails with [ErrRefused], a retry is useless.
	Deliver(ctx context.Context, l Letter) error
}

// NewTransport returns the transport of a configuration that has been checked. It returns nil if none is configured.
func NewTransport(c Config, now func() time.Time) (Transport, error) {
	switch {
	case c.SMTP != "":
		s, err := c.server()
		if err != nil {
			return nil, err
		}
		return smtp{server: s, from: c.From, now: now}, nil
	case c.Dir != "":
		return NewFolder(c, now), nil
	default:
		return nil, nil //nolint:nilnil // nil is the documented answer
	}
}

// smtp sends mail to a server, each mail over its own connection.
type smtp struct {
	server server
	from   string
	now    func() time.Time
}

// Deliver implements [Transport].
func (s smtp) Deliver(ctx context.Context, l Letter) error {
	m, err := l.message(s.from, s.now())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	client, err := s.client(ctx)
	if err != nil {
		return err
	}
	err = client.DialAndSendWithContext(ctx, m)
	if m.IsDelivered() {
		return nil // what fails afterwards is only the end of the connection
	}
	refusal := (*gomail.SendError)(nil)
	if errors.As(err, &refusal) && !refusal.IsTemp() && refusal.ErrorCode() >= 500 {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err != nil {
		return fmt.Errorf("send by SMTP: %w", err)
	}
	return nil
}

// client returns a client whose connection is closed when ctx ends: the client itself only observes
// its deadline.
func (s smtp) client(ctx context.Context) (*gomail.Client, error) {
	dial := func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := tcp.Dialer(0).DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		if s.server.tls != tlsFirst {
			return conn, nil
		}
		secured := tls.Client(conn, &tls.Config{ServerName: s.server.host, MinVersion: tls.VersionTLS12})
		return secured, secured.HandshakeContext(dialing)
	}
	policy := gomail.TLSMandatory
	switch s.server.tls {
	case tlsFirst:
		policy = gomail.TLSOpportunistic // the connection is already encrypted
	case noTLS:
		policy = gomail.NoTLS
	}
	options := []gomail.Option{
		gomail.WithTimeout(sendTime), gomail.WithPort(s.server.port), gomail.WithDialContextFunc(dial), gomail.WithTLSPolicy(policy),
	}
	if s.server.user != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.server.user), gomail.WithPassword(s.server.password))
	}
	client, err := gomail.NewClient(s.server.host, options...)
	if err != nil {
		return nil, fmt.Errorf("prepare SMTP: %w", err)
	}
	return client, nil
}
