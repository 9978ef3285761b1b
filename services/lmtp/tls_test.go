package lmtp_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/lmtp"
	"chatserver.dev/services/servicetest"
)

// files are the files of a certificate.
type files struct{ cert, key string }

func newFiles(t *testing.T) files {
	t.Helper()
	return files{filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key")}
}

// renew writes another certificate, and returns a client's configuration that trusts it.
func (f files) renew(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"chat.example"}}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, content := range map[string][]byte{f.cert: cert, f.key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(cert)
	return &tls.Config{RootCAs: trusted, ServerName: "chat.example"}
}

func (f files) config() lmtp.Config {
	return lmtp.Config{TLSCertFile: f.cert, TLSKeyFile: f.key}
}

// with returns a function that configures a server with the certificate.
func (f files) with(t *testing.T, required bool) func(*lmtp.Deps) {
	t.Helper()
	secured, err := f.config().TLS(testbed.Logger(t))
	if err != nil {
		t.Fatal(err)
	}
	return func(d *lmtp.Deps) { d.TLS, d.TLSRequired = secured, required }
}

// say sends lines at once, and returns the last line of the answer to the first of them.
func say(t *testing.T, conn io.ReadWriter, lines string) string {
	t.Helper()
	if _, err := io.WriteString(conn, lines); err != nil {
		t.Fatal(err)
	}
	return readLine(t, bufio.NewReader(conn))
}

func readLine(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if len(line) > 3 && line[3] == ' ' {
			return strings.TrimSpace(line)
		}
	}
}

// startTLS sends STARTTLS, followed by more in the same packet.
func (w *world) startTLS(trusting *tls.Config, more string) (*tls.Conn, error) {
	w.t.Helper()
	conn := w.dial()
	w.t.Cleanup(func() { conn.Close() })
	if got := readLine(w.t, bufio.NewReader(conn)); !strings.HasPrefix(got, "220 ") {
		w.t.Fatal(got)
	}
	if got := say(w.t, conn, "LHLO mail.example\r\n"); !strings.HasPrefix(got, "250 ") {
		w.t.Fatal(got)
	}
	if got := say(w.t, conn, "STARTTLS\r\n"+more); !strings.HasPrefix(got, "220 ") {
		w.t.Fatal(got)
	}
	secured := tls.Client(conn, trusting)
	return secured, secured.Handshake()
}

// greeted is a connection that adds a greeting, for which the client waits, and which a server doesn't repeat after
// STARTTLS.
type greeted struct {
	net.Conn
	first io.Reader
}

func (g greeted) Read(p []byte) (int, error) { return g.first.Read(p) }

// over returns a client that begins with STARTTLS.
func (w *world) over(trusting *tls.Config) *smtp.Client {
	w.t.Helper()
	conn, err := w.startTLS(trusting, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return smtp.NewClientLMTP(greeted{conn, io.MultiReader(strings.NewReader("220 chat.example\r\n"), conn)})
}

// Mail is accepted over TLS, with the current certificate of the files.
func TestStartTLS(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	first := f.renew(t)
	w := newWorld(t, f.with(t, false))
	plain := strings.Replace(w.hall, ".show-sender", "", 1)
	servicetest.Same(t, "over TLS", map[string]int{plain: 0}, w.sendBy(w.over(first), "b@x.example", "Subject: a\n\nx", plain))
	servicetest.Same(t, "in clear text", map[string]int{plain: 0}, w.send("b@x.example", "Subject: b\n\nx", plain))
	second := f.renew(t)
	servicetest.Same(t, "with another certificate", map[string]int{plain: 0}, w.sendBy(w.over(second), "b@x.example", "Subject: c\n\nx", plain))
	if _, err := w.startTLS(first, ""); !errors.As(err, &x509.UnknownAuthorityError{}) {
		t.Errorf("the certificate before: %v", err)
	}
	servicetest.Same(t, "messages", 3, len(w.said()))
}

// If TLS is required, no mail is accepted in clear text, neither before STARTTLS nor in the same packet.
func TestTLSRequired(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	trusting := f.renew(t)
	w := newWorld(t, f.with(t, true))
	open := smtp.NewClientLMTP(w.dial())
	defer open.Close()
	refusal := (*smtp.SMTPError)(nil)
	if err := open.Mail("b@x.example", nil); !errors.As(err, &refusal) || refusal.Code != 530 {
		t.Errorf("in clear text: %v", err)
	}
	if err := open.Rcpt(w.hall, nil); !errors.As(err, &refusal) || refusal.Code/100 != 5 {
		t.Errorf("in clear text, without MAIL: %v", err)
	}
	servicetest.Same(t, "over TLS", map[string]int{w.hall: 0}, w.sendBy(w.over(trusting), "b@x.example", "Subject: a\n\nx", w.hall))

	conn, err := w.startTLS(trusting, "LHLO eve.example\r\nMAIL FROM:<eve@x.example>\r\nRCPT TO:<"+w.hall+">\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := say(t, conn, "DATA\r\n"); !strings.HasPrefix(got, "502 ") && !strings.HasPrefix(got, "503 ") {
		t.Errorf("clear text in the packet of STARTTLS was processed: %q", got)
	}
	servicetest.Same(t, "messages", 1, len(w.said()))
}

func TestTLSConfig(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	f.renew(t)
	for _, c := range []struct {
		config lmtp.Config
		want   string // empty: it works
	}{
		{lmtp.Config{}, ""},
		{f.config(), ""},
		{lmtp.Config{TLSRequired: true}, "LMTP_TLS_REQUIRED needs a certificate"},
		{lmtp.Config{TLSCertFile: f.cert}, "LMTP_TLS_CERT_FILE and LMTP_TLS_KEY_FILE must both be set"},
		{lmtp.Config{TLSCertFile: f.key, TLSKeyFile: f.cert}, "LMTP_TLS_CERT_FILE and LMTP_TLS_KEY_FILE: "},
		{lmtp.Config{TLSCertFile: f.cert, TLSKeyFile: "/nowhere"}, "LMTP_TLS_KEY_FILE: open /nowhere"},
	} {
		secured, err := c.config.TLS(testbed.Logger(t))
		if c.want == "" && (err != nil || (secured != nil) != (c.config.TLSCertFile != "")) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.config, err, c.want)
		}
	}
}
