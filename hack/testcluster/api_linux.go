package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// api is the API server, talked to as the administrator. It is for the little that is needed before
// there is anything to run kubectl on, or all the time.
type api struct {
	address string
	client  *http.Client
}

// newAPI takes the folder of the certificates, by which the server has to prove itself.
func newAPI(pki, address string) (*api, error) {
	ca, err := os.ReadFile(filepath.Join(pki, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("read the authority's certificate: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	admin, err := tls.LoadX509KeyPair(filepath.Join(pki, "admin.crt"), filepath.Join(pki, "admin.key"))
	if err != nil {
		return nil, fmt.Errorf("read the administrator's certificate: %w", err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{admin}, MinVersion: tls.VersionTLS13}}
	return &api{address: address, client: &http.Client{Transport: transport, Timeout: 10 * time.Second}}, nil
}

// statusError is an answer that isn't a success.
type statusError struct {
	code int
	text string
}

func (e statusError) Error() string {
	return fmt.Sprintf("answer %d: %s", e.code, e.text)
}

func isStatus(err error, code int) bool {
	var status statusError
	return errors.As(err, &status) && status.code == code
}

// do sends a body, unless it is nil, and decodes the answer into result, unless that is nil.
func (a *api) do(ctx context.Context, method, path string, body, result any) error {
	var content io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.address+path, content)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %w", method, path, statusError{response.StatusCode, strings.TrimSpace(string(answer))})
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// waitReady waits until the server says that it is.
func (a *api) waitReady(ctx context.Context) error {
	if err := poll(ctx, time.Minute, func() error { return a.do(ctx, http.MethodGet, "/readyz", nil, nil) }); err != nil {
		return fmt.Errorf("wait for the API server: %w", err)
	}
	return nil
}
