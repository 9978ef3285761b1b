package mail_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"chatserver.dev/pkg/mail"
)

// server is an SMTP server that stores the mail it receives, and refuses addresses that begin with a code.
type server struct {
	addr string
	got  chan received
}

type received struct{ from, to, text string }

func newServer(t *testing.T, change func(*smtp.Server)) server {
	t.Helper()
	s := server{got: make(chan received, 10)}
	backend := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	backend.Domain, backend.ErrorLog = "mail.example", nothing{}
	if change != nil {
		change(backend)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	go backend.Serve(listener)
	t.Cleanup(func() { backend.Close() })
	return s
}

type nothing struct{}

func (nothing) Printf(string, ...any) {}
func (nothing) Println(...any)        {}

type session struct {
	server
	mail received
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mail.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	switch {
	case strings.HasPrefix(to, "550"):
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "nobody here"}
	case strings.HasPrefix(to, "451"):
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"}
	}
	s.mail.to = to
	return nil
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.mail.text = string(text)
	s.got <- s.mail
	return err
}

func deliver(ctx context.Context, t *testing.T, url, to string) error {
	t.Helper()
	config := mail.Config{SMTP: url, From: "chat@chat.example"}
	if err := config.Check(); err != nil {
		t.Fatal(err)
	}
	transport, err := mail.NewTransport(config, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return transport.Deliver(ctx, mail.Letter{To: to, From: "Harbour", Subject: "Hello", Before: []string{".", "..", "From here"}})
}

func TestSMTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	url := "smtp://" + s.addr + "?tls=none"
	if err := deliver(t.Context(), t, url, "ada@corp.example"); err != nil {
		t.Fatal(err)
	}
	got := <-s.got
	if got.from != "chat@chat.example" || got.to != "ada@corp.example" || !strings.Contains(got.text, "Subject: Hello") || !strings.Contains(got.text, "\r\n.\r\n") {
		t.Errorf("%+v", got)
	}
	if err := deliver(t.Context(), t, url, "550@corp.example"); !errors.Is(err, mail.ErrRefused) {
		t.Errorf("for good: %v", err)
	}
	if err := deliver(t.Context(), t, url, "451@corp.example"); err == nil || errors.Is(err, mail.ErrRefused) {
		t.Errorf("for now: %v", err)
	}
}

// Mail and passwords are sent without TLS only if that is configured.
func TestSMTPWantsTLS(t *testing.T) {
	t.Parallel()
	plain := newServer(t, nil)
	if err := deliver(t.Context(), t, "smtp://"+plain.addr, "ada@corp.example"); err == nil {
		t.Error("sent without TLS")
	}
	// An untrusted certificate.
	forged := newServer(t, func(s *smtp.Server) { s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate(t)}} })
	if err := deliver(t.Context(), t, "smtp://"+forged.addr, "ada@corp.example"); err == nil {
		t.Error("sent to a server with a forged certificate")
	}
	select {
	case got := <-plain.got:
		t.Errorf("%+v", got)
	case got := <-forged.got:
		t.Errorf("%+v", got)
	default:
	}
}

// The client disconnects from a server that doesn't respond.
func TestSMTPSilence(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := deliver(ctx, t, "smtp://"+listener.Addr().String()+"?tls=none", "ada@corp.example"); err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

// A mail that the server has accepted isn't sent again, whatever the server does afterwards.
func TestSMTPAccepted(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]string{"disconnects": "", "is going down": "421 4.3.2 Shutting down", "refuses what follows": "500 5.5.1 Unknown command"} {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		go acceptOnce(listener, answer)
		if err := deliver(t.Context(), t, "smtp://"+listener.Addr().String()+"?tls=none", "ada@corp.example"); err != nil {
			t.Errorf("the server accepts a mail and %s: %v", what, err)
		}
	}
}

// acceptOnce accepts a mail over one connection, and then answers each command with a line; empty: it disconnects.
func acceptOnce(listener net.Listener, then string) {
	raw, err := listener.Accept()
	if err != nil {
		return
	}
	conn := textproto.NewConn(raw)
	defer conn.Close()
	conn.PrintfLine("220 mail.example")
	for accepted := false; !accepted || then != ""; {
		line, err := conn.ReadLine()
		switch command, _, _ := strings.Cut(line, " "); {
		case err != nil:
			return
		case accepted:
			conn.PrintfLine("%s", then)
		case command == "DATA":
			conn.PrintfLine("354 Go on")
			_, err := conn.ReadDotBytes()
			accepted = err == nil
			fallthrough
		default:
			conn.PrintfLine("250 mail.example")
		}
	}
}

func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
