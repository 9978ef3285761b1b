package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCertificates(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pki")
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	if err := writeCertificates(dir, now); err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		t.Fatal("the authority's certificate can't be read")
	}
	for _, tt := range []struct {
		file, name, group string
		usage             x509.ExtKeyUsage
		hosts             []string
	}{
		{"apiserver", "kube-apiserver", "", x509.ExtKeyUsageServerAuth, []string{"172.30.250.2", "127.0.0.1", "10.96.0.1", "kubernetes.default.svc"}},
		{"kubelet-server", "node1", "", x509.ExtKeyUsageServerAuth, []string{"node1", "172.30.250.2"}},
		{"kubelet-client", "apiserver-kubelet-client", "system:masters", x509.ExtKeyUsageClientAuth, nil},
		{"admin", "admin", "system:masters", x509.ExtKeyUsageClientAuth, nil},
		{"controller-manager", "system:kube-controller-manager", "", x509.ExtKeyUsageClientAuth, nil},
		{"scheduler", "system:kube-scheduler", "", x509.ExtKeyUsageClientAuth, nil},
		{"kubelet", "system:node:node1", "system:nodes", x509.ExtKeyUsageClientAuth, nil},
		{"proxy", "system:kube-proxy", "", x509.ExtKeyUsageClientAuth, nil},
	} {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, tt.file+".crt"), filepath.Join(dir, tt.file+".key"))
		if err != nil {
			t.Fatal(err)
		}
		for _, when := range []time.Time{now, now.Add(9 * 365 * 24 * time.Hour)} {
			options := x509.VerifyOptions{Roots: pool, CurrentTime: when, KeyUsages: []x509.ExtKeyUsage{tt.usage}}
			if _, err := pair.Leaf.Verify(options); err != nil {
				t.Errorf("%s at %s: %v", tt.file, when, err)
			}
		}
		for _, host := range tt.hosts {
			if err := pair.Leaf.VerifyHostname(host); err != nil {
				t.Errorf("%s: %v", tt.file, err)
			}
		}
		if got := pair.Leaf.Subject.CommonName; got != tt.name {
			t.Errorf("%s is of %q, want %q", tt.file, got, tt.name)
		}
		if got := strings.Join(pair.Leaf.Subject.Organization, " "); got != tt.group {
			t.Errorf("%s is of group %q, want %q", tt.file, got, tt.group)
		}
		_, err = os.Stat(filepath.Join(dir, tt.file+".kubeconfig"))
		if client := tt.hosts == nil; client != (err == nil) {
			t.Errorf("%s: kubeconfig: %v", tt.file, err)
		}
	}
}

func TestKubeconfig(t *testing.T) {
	t.Parallel()
	got := string(kubeconfig([]byte("authority"), []byte("certificate"), []byte("key")))
	for _, want := range []string{
		"current-context: chatserver-test\n", `server: "https://172.30.250.2:6443"`,
		"certificate-authority-data: YXV0aG9yaXR5}", "client-certificate-data: Y2VydGlmaWNhdGU=,", "client-key-data: a2V5}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("kubeconfig lacks %q:\n%s", want, got)
		}
	}
}
