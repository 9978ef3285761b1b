package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// validity is longer than the life of any test cluster.
const validity = 10 * 365 * 24 * time.Hour

// identity is the subject of a certificate: a server if it has hosts, or else a client.
type identity struct {
	file  string
	name  string
	group string
	hosts []string // names and addresses
}

// identities returns the identities of the cluster's components and of the administrator.
func identities() []identity {
	return []identity{
		{file: "apiserver", name: "kube-apiserver", hosts: []string{
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "localhost",
			"127.0.0.1", firstService, nodeAddress,
		}},
		{file: "kubelet-server", name: nodeName, hosts: []string{nodeName, nodeAddress, "127.0.0.1"}},
		{file: "kubelet-client", name: "apiserver-kubelet-client", group: "system:masters"},
		{file: "admin", name: "admin", group: "system:masters"},
		{file: "controller-manager", name: "system:kube-controller-manager"},
		{file: "scheduler", name: "system:kube-scheduler"},
		{file: "kubelet", name: "system:node:" + nodeName, group: "system:nodes"},
		{file: "proxy", name: "system:kube-proxy"},
	}
}

// authority signs the certificates of one cluster.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	from time.Time
}

func newAuthority(now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	// An hour ago: clocks of tests may be set back a little.
	from := now.Add(-time.Hour)
	signer, err := cert.NewSelfSignedCACert(cert.Config{CommonName: clusterName, NotBefore: from}, key)
	if err != nil {
		return nil, fmt.Errorf("sign the authority's certificate: %w", err)
	}
	return &authority{cert: signer, key: key, from: from}, nil
}

// issue returns a certificate and its key, in PEM.
func (a *authority) issue(who identity) (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, fmt.Errorf("make a serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: who.name},
		NotBefore: a.from, NotAfter: a.from.Add(validity),
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if who.group != "" {
		template.Subject.Organization = []string{who.group}
	}
	for _, host := range who.hosts {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, private.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("sign the certificate of %s: %w", who.name, err)
	}
	key, err = keyutil.MarshalPrivateKeyToPEM(private)
	return certPEM(der), key, err
}

func certPEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// writeCertificates writes all certificates and keys of a new cluster to the folder, and a kubeconfig for each client.
func writeCertificates(dir string, now time.Time) error {
	signer, err := newAuthority(now)
	if err != nil {
		return err
	}
	files := map[string][]byte{"ca.crt": certPEM(signer.cert.Raw)}
	if files["ca.key"], err = keyutil.MarshalPrivateKeyToPEM(signer.key); err != nil {
		return err
	}
	for _, who := range identities() {
		certificate, key, err := signer.issue(who)
		if err != nil {
			return err
		}
		files[who.file+".crt"], files[who.file+".key"] = certificate, key
		if len(who.hosts) == 0 {
			files[who.file+".kubeconfig"] = kubeconfig(files["ca.crt"], certificate, key)
		}
	}
	// Service accounts' tokens are signed with their own key.
	if files["tokens.key"], err = keyutil.MakeEllipticPrivateKeyPEM(); err != nil {
		return fmt.Errorf("make the tokens' key: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the keys: %w", err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return fmt.Errorf("write a key: %w", err)
		}
	}
	return nil
}

func kubeconfig(ca, cert, key []byte) []byte {
	encode := base64.StdEncoding.EncodeToString
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: %[1]s
contexts:
- {name: %[1]s, context: {cluster: %[1]s, user: %[1]s}}
clusters:
- {name: %[1]s, cluster: {server: %[2]q, certificate-authority-data: %[3]s}}
users:
- {name: %[1]s, user: {client-certificate-data: %[4]s, client-key-data: %[5]s}}
`, clusterName, apiServer, encode(ca), encode(cert), encode(key))
}
