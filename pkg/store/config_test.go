package store_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

func TestConnString(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config store.Config
		want   string // the settings that pgx parses
	}{
		{store.Config{Host: "user.example", Port: "5433", Name: "chat", User: "ann", Password: `it's a \ "b"`, SSLMode: "disable"}, `ann:it's a \ "b"@user.example:5433/chat`},
		{store.Config{URL: "postgres://bob:pw@db/chat", Host: "other", Password: "unused"}, "bob:pw@db:5432/chat tls"},
		{store.Config{URL: "postgres://bob:pw@db/chat", SSLMode: "disable"}, "bob:pw@db:5432/chat"},
		{store.Config{URL: "postgres://bob:pw@db/chat?sslmode=disable", SSLMode: "verify-full"}, "bob:pw@db:5432/chat"},
		{store.Config{URL: "postgresql://bob:pw@db/chat?connect_timeout=3", SSLMode: "verify-full"}, "bob:pw@db:5432/chat tls for db"},
		{store.Config{URL: "host=db user=bob password=pw dbname=chat", SSLMode: "verify-full"}, "bob:pw@db:5432/chat tls for db"},
		{store.Config{URL: "host=db user=bob password=pw dbname=chat sslmode=disable", SSLMode: "verify-full"}, "bob:pw@db:5432/chat"},
	} {
		config, err := pgx.ParseConfig(c.config.ConnString())
		if err != nil {
			t.Errorf("%+v: %v", c.config, err)
			continue
		}
		got := config.User + ":" + config.Password + "@" + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))) + "/" + config.Database
		if config.TLSConfig != nil {
			got += " tls"
			if name := config.TLSConfig.ServerName; !config.TLSConfig.InsecureSkipVerify {
				got += " for " + name
			}
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.config, got, c.want)
		}
	}
}

// authority is a certificate authority.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // with its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, file: filepath.Join(t.TempDir(), "ca.crt")}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert, a.key = template, newKey(t)
	signed := a.sign(template, a.key)
	var err error
	if a.cert, err = x509.ParseCertificate(signed); err != nil {
		t.Fatal(err)
	}
	a.write(a.file, "CERTIFICATE", signed)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(template *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	signed, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return signed
}

func (a *authority) write(file, kind string, content []byte) {
	a.t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// issue writes a certificate for localhost and its key into a directory, with the directory's owner.
func (a *authority) issue(dir string) {
	a.t.Helper()
	key := newKey(a.t)
	encoded, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(filepath.Join(dir, "server.crt"), "CERTIFICATE", a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour),
	}, key))
	a.write(filepath.Join(dir, "server.key"), "EC PRIVATE KEY", encoded)
	info, err := os.Stat(dir)
	if err != nil {
		a.t.Fatal(err)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		for _, name := range []string{"server.crt", "server.key"} {
			if err := os.Chown(filepath.Join(dir, name), int(owner.Uid), int(owner.Gid)); err != nil {
				a.t.Fatal(err)
			}
		}
	}
}

// A PostgreSQL with TLS and passwords, as in a cluster.
func TestTLS(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	_, port, _ := net.SplitHostPort(testbed.FreeAddr(t))
	server, err := localserver.StartPostgres(context.WithoutCancel(t.Context()), localserver.Options{Settings: map[string]string{"listen_addresses": "127.0.0.1", "port": port}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	ours := newAuthority(t)
	ours.issue(server.DataDir())
	if err := os.WriteFile(filepath.Join(server.DataDir(), "pg_hba.conf"), []byte("local chat,postgres postgres trust\nhostssl chat all localhost scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	super := storetest.Connect(t, server.URL("postgres")+"&port="+port)
	super.Exec("create role chat login createrole password 'it''s secret'")
	super.Exec("create database chat owner chat")
	super.Exec("alter system set ssl = on")
	super.Exec("select pg_reload_conf()")

	whole := store.Config{Host: "localhost", Port: port, Name: "chat", User: "chat", Password: "it's secret", SSLMode: "verify-full", SSLRootCert: ours.file}
	migrated := false
	for deadline := time.Now().Add(time.Minute); !migrated && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		_, err = store.Migrate(t.Context(), whole.ConnString()) // the new settings take effect with a delay
		migrated = err == nil
	}
	if !migrated {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), whole, &waker{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if encrypted := storetest.Values[bool](super, "select bool_and(ssl) from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'chat'"); !encrypted[0] {
		t.Error("a connection isn't encrypted")
	}
	password := "postgres://chat:it%27s%20secret@"
	for name, c := range map[string]struct {
		config store.Config
		want   string // empty: no error
	}{
		"URL":             {store.Config{URL: password + "localhost:" + port + "/chat", SSLMode: "verify-full", SSLRootCert: ours.file}, ""},
		"URL says it":     {store.Config{URL: password + "localhost:" + port + "/chat?sslmode=verify-full&sslrootcert=" + ours.file}, ""},
		"other authority": {store.Config{URL: password + "localhost:" + port + "/chat", SSLMode: "verify-full", SSLRootCert: newAuthority(t).file}, "certificate"},
		"other name":      {store.Config{URL: password + "127.0.0.1:" + port + "/chat", SSLMode: "verify-full", SSLRootCert: ours.file}, "certificate"},
		"no authority":    {store.Config{URL: password + "localhost:" + port + "/chat", SSLMode: "verify-full"}, "certificate"},
		"no TLS":          {store.Config{URL: password + "localhost:" + port + "/chat", SSLMode: "disable"}, "doesn't let the user chat connect to the database chat from here: add a line to its pg_hba.conf, or set sslmode"},
		"no such file":    {store.Config{URL: password + "localhost:" + port + "/chat", SSLMode: "verify-full", SSLRootCert: "/nowhere/ca.crt"}, "/nowhere/ca.crt"},
		"wrong password":  {store.Config{Host: "localhost", Port: port, Name: "chat", User: "chat", Password: "x", SSLMode: "verify-full", SSLRootCert: ours.file}, "refuses the user chat"},
	} {
		_, err := store.Preflight(t.Context(), c.config.ConnString(), release)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refused(t, err, c.want)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
