package command

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/pkg/boot"
)

// usage is the help text.
//
//nolint:dupword // a line ends with the word that the next begins with
const usage = `Manage organizations and their contents by the admin interface of a server:

  chatserver admin status
  chatserver admin health
  chatserver admin organization put|get|delete KEY
  chatserver admin scim-token   post|delete KEY
  chatserver admin owner        put|get|rotate-key|revoke-key ORGANIZATION EMAIL
  chatserver admin user         put|get|delete ORGANIZATION KEY
  chatserver admin identity-link delete ORGANIZATION EMAIL
  chatserver admin stream       put|get|delete ORGANIZATION KEY
  chatserver admin bot          put|get|delete|rotate-key|revoke-key ORGANIZATION KEY
  chatserver admin webhook      put|get|delete|rotate-key|revoke-key ORGANIZATION KEY

KEY is a name that you choose for the object. It stays the same if the object is renamed; "put" with --adopt-from KEY changes
it. Flags follow the keys; "put" and "rotate-key" have one for each field of the document, and -h lists them:

  -f FILE        the document as JSON; - is the standard input. Flags come on top
  -o json        print the response as JSON

The server's admin address is ADMIN_URL, such as https://localhost:8090, or by default that of ADMIN_ADDR, with https if
ADMIN_TLS_CERT_FILE is set. ADMIN_CA_FILE is a file with the certificates to trust instead of the system's.
The token is ADMIN_TOKEN, or in the file ADMIN_TOKEN_FILE.
`

// settings are the address and the token of the server.
type settings struct {
	URL         string `env:"ADMIN_URL"`
	Addr        string `env:"ADMIN_ADDR"`
	Token       string `env:"ADMIN_TOKEN,unset"`
	TokenFile   string `env:"ADMIN_TOKEN_FILE"`
	CAFile      string `env:"ADMIN_CA_FILE"`
	TLSCertFile string `env:"ADMIN_TLS_CERT_FILE"` // the server's
}

// Run runs a command, whose arguments follow "admin".
func Run(ctx context.Context, args, environ []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		_, err := io.WriteString(out, usage)
		return err
	}
	asksHelp := slices.Contains(args, "-h") || slices.Contains(args, "--help")
	todo, rest, err := find(args)
	if err != nil && asksHelp {
		_, err := io.WriteString(out, usage)
		return err
	}
	if err != nil {
		return err
	}
	if asksHelp { // even if keys are missing
		rest = append(slices.Clone(todo.keys), "-h")
	}
	isNone := func(word string) bool { return word == "" || strings.HasPrefix(word, "-") }
	if len(rest) < len(todo.keys) || slices.ContainsFunc(rest[:len(todo.keys)], isNone) {
		return fmt.Errorf("%s needs %s\n%s", todo.name, strings.Join(todo.keys, " and "), usage)
	}
	keys, rest := rest[:len(todo.keys)], rest[len(todo.keys):]
	document, asJSON, err := todo.read(rest, in, out)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", todo.name, err)
	}
	client, err := connect(environ)
	if err != nil {
		return err
	}
	answer, err := todo.call(ctx, client, keys, document)
	if untrusted := (*tls.CertificateVerificationError)(nil); errors.As(err, &untrusted) {
		err = fmt.Errorf("the server's certificate isn't trusted: set ADMIN_CA_FILE to it or to its authority's: %w", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(append([]string{todo.name}, keys...), " "), err)
	}
	return show(out, answer, asJSON)
}

// connect returns a client for the server in the environment.
func connect(environ []string) (*adminclient.Client, error) {
	s := settings{}
	if err := boot.Read(environ, &s); err != nil {
		return nil, err
	}
	switch {
	case s.URL != "":
	case s.Addr != "" && s.TLSCertFile != "":
		s.URL = "https://" + reachable(s.Addr)
	case s.Addr != "":
		s.URL = "http://" + reachable(s.Addr)
	default:
		return nil, errors.New("ADMIN_URL is missing: set it to the server's admin address, such as http://127.0.0.1:8090, or set ADMIN_ADDR as for the server")
	}
	if s.Token == "" && s.TokenFile == "" {
		return nil, errors.New("ADMIN_TOKEN is missing: set it to the server's token, or ADMIN_TOKEN_FILE to the name of a file with it")
	}
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	token, err := s.token()
	if err != nil {
		return nil, err
	}
	return adminclient.New(s.URL, token, client)
}

// client returns an HTTP client that trusts the certificates of the file; nil: no file is set.
func (s settings) client() (*http.Client, error) {
	if s.CAFile == "" {
		return nil, nil //nolint:nilnil // documented
	}
	if !strings.HasPrefix(s.URL, "https://") {
		return nil, fmt.Errorf("ADMIN_CA_FILE is set, but the address %s is without TLS: set ADMIN_URL to one that begins with https://", s.URL)
	}
	trusted, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, fmt.Errorf("ADMIN_CA_FILE: %w", err)
	}
	secured, err := adminclient.TLS(trusted, "")
	if err != nil {
		return nil, fmt.Errorf("ADMIN_CA_FILE: %s: %w", s.CAFile, err)
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: secured}, Timeout: adminclient.CallTime}, nil
}

// token returns the first one of the server's tokens.
func (s settings) token() (string, error) {
	text := s.Token
	if text == "" {
		content, err := os.ReadFile(s.TokenFile)
		if err != nil {
			return "", fmt.Errorf("ADMIN_TOKEN_FILE: %w", err)
		}
		text = string(content)
	}
	tokens := strings.Fields(text)
	if len(tokens) == 0 {
		return "", errors.New("the admin token is empty")
	}
	return tokens[0], nil
}

// reachable returns the address at which a client on this machine reaches a server that listens at addr.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
