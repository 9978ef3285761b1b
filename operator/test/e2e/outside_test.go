//go:build e2e

package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// machine is the address of this machine in the cluster, see hack/testcluster.
	machine = "172.30.250.1"
	// outsideName is the Service for what is outside of the cluster.
	outsideName = "outside"
	// bucket is the one for files, and password the one for everything.
	bucket   = "chat-files"
	password = "eleven gulls over the pier"
)

// outside is what a server uses that isn't in the cluster: a mail server, an S3 server and an identity provider, on this machine. In the
// cluster they are a Service, whose name is in their certificate.
type outside struct {
	host                 string // the Service's
	authority            []byte // the certificate, which is its own authority
	pair                 tls.Certificate
	mails                chan string
	smtp, bucket, openID net.Addr
	storage              *minio.Client
}

// newOutside starts it for a server in a namespace, to whose site the provider leads back.
func newOutside(t *testing.T, namespace, site string) *outside {
	t.Helper()
	o := &outside{host: outsideName + "." + namespace + ".svc", mails: make(chan string, 100)}
	o.certify(t)
	o.takeMail(t)
	o.keepFiles(t)
	o.provide(t, site)
	return o
}

func (o *outside) certify(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{o.host}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &about, &about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	o.pair = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	o.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func listen(t *testing.T, host string) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// free returns an address of this machine that nobody listens at.
func free(t *testing.T, host string) net.Addr {
	t.Helper()
	listener := listen(t, host)
	defer listener.Close()
	return listener.Addr()
}

// background runs a program until the test ends.
func background(t *testing.T, name string, args ...string) {
	t.Helper()
	program := exec.Command(name, args...)
	program.Stdout, program.Stderr = t.Output(), t.Output()
	if _, err := program.StdinPipe(); err != nil { // s3server ends with its input
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
}

// takeMail has a mail server, which takes nothing without TLS and a login.
func (o *outside) takeMail(t *testing.T) {
	t.Helper()
	mail := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &letter{mails: o.mails}, nil }))
	mail.Domain, mail.TLSConfig = o.host, &tls.Config{Certificates: []tls.Certificate{o.pair}}
	listener := listen(t, machine)
	o.smtp = listener.Addr()
	go func() { _ = mail.Serve(listener) }()
	t.Cleanup(func() { _ = mail.Close() })
}

// letter is a mail on its way in.
type letter struct {
	mails    chan<- string
	loggedIn bool
}

func (*letter) Reset()                               {}
func (*letter) Logout() error                        { return nil }
func (*letter) AuthMechanisms() []string             { return []string{sasl.Plain} }
func (*letter) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (l *letter) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, secret string) error {
		if user != "chat" || secret != password {
			return errors.New("wrong login")
		}
		l.loggedIn = true
		return nil
	}), nil
}

func (l *letter) Mail(string, *smtp.MailOptions) error {
	if !l.loggedIn {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (l *letter) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	l.mails <- string(text)
	return err
}

// keepFiles has an S3 server with an empty bucket.
func (o *outside) keepFiles(t *testing.T) {
	t.Helper()
	o.bucket = free(t, machine)
	background(t, "s3server", o.bucket.String(), t.TempDir(), "chat", password)
	var err error
	o.storage, err = minio.New(o.bucket.String(), &minio.Options{
		Creds: credentials.NewStaticV4("chat", password, ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, func() error { return o.storage.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}) })
}

// stored counts the objects in the bucket.
func (o *outside) stored(t *testing.T) (n int) {
	t.Helper()
	for object := range o.storage.ListObjects(t.Context(), bucket, minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil {
			t.Fatal(object.Err)
		}
		n++
	}
	return n
}

// issuer is the provider's address.
func (o *outside) issuer() string { return "https://" + o.host }

// provide has an identity provider, that of hack/provider, and TLS in front of it.
func (o *outside) provide(t *testing.T, site string) {
	t.Helper()
	_, port, err := net.SplitHostPort(free(t, "127.0.0.1").String())
	if err != nil {
		t.Fatal(err)
	}
	background(t, "node", ".local/e2e/provider/provider.mjs", port, site+"/accounts/complete/idp_1", o.issuer())
	at := &url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", port)}
	eventually(t, 30*time.Second, func() error {
		conn, err := net.Dial("tcp", at.Host)
		if err == nil {
			_ = conn.Close()
		}
		return err
	})
	front := &http.Server{
		Handler: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(at)
			r.SetXForwarded()
			r.Out.Host = r.In.Host
		}},
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{o.pair}},
	}
	listener := listen(t, machine)
	o.openID = listener.Addr()
	go func() { _ = front.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = front.Close() })
}

// documents are its Service, and Secrets of the accounts that it accepts.
func (o *outside) documents() string {
	port := func(a net.Addr) string { return strconv.Itoa(a.(*net.TCPAddr).Port) }
	return fmt.Sprintf(`
apiVersion: v1
kind: Service
metadata: {name: %[1]s}
spec: {ports: [{name: smtp, port: 587}, {name: s3, port: 9000}, {name: openid, port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: %[1]s, labels: {kubernetes.io/service-name: %[1]s}}
addressType: IPv4
endpoints: [{addresses: [%[2]s]}]
ports: [{name: smtp, port: %[3]s}, {name: s3, port: %[4]s}, {name: openid, port: %[5]s}]
---
apiVersion: v1
kind: Secret
metadata: {name: %[1]s}
stringData: {username: chat, password: %[6]q, access-key: chat, secret-key: %[6]q, client-secret: hush, ca.crt: %[7]q}
`, outsideName, machine, port(o.smtp), port(o.bucket), port(o.openID), password, o.authority)
}
