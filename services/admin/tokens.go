package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
)

// Config configures the admin interface.
type Config struct {
	// Addr is the address to listen at, host:port; an empty host: all addresses. Empty: it isn't served.
	Addr string `env:"ADMIN_ADDR"`
	// Token is the token of callers, or two of them, separated by a space, during a rotation.
	Token string `env:"ADMIN_TOKEN,unset"`
	// TokenFile is a file with the token, or two on a line each. It is read for each call.
	TokenFile string `env:"ADMIN_TOKEN_FILE"`
	// TLSCertFile and TLSKeyFile are files with a certificate, its chain, and its key, as PEM. See [Config.TLS].
	TLSCertFile string `env:"ADMIN_TLS_CERT_FILE"`
	TLSKeyFile  string `env:"ADMIN_TLS_KEY_FILE"`
}

// Errors of the configuration.
var (
	errNoToken   = errors.New("ADMIN_ADDR needs ADMIN_TOKEN, or ADMIN_TOKEN_FILE, the name of a file with the token")
	errTwoPlaces = errors.New("ADMIN_TOKEN and ADMIN_TOKEN_FILE can't both be set")
	errTokens    = errors.New("ADMIN_TOKEN, or the file ADMIN_TOKEN_FILE, must have one or two tokens of at least 24 characters, such as openssl rand -hex 24 prints")
)

const (
	minToken  = 24 // characters
	maxTokens = 2
)

// Check returns an error if the configuration is invalid.
func (c Config) Check() error {
	if c.Addr == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return fmt.Errorf("ADMIN_ADDR: %q is not an address such as 127.0.0.1:8090 or :8090", c.Addr)
	}
	switch {
	case c.Token == "" && c.TokenFile == "":
		return errNoToken
	case c.Token != "" && c.TokenFile != "":
		return errTwoPlaces
	}
	if _, err := (Tokens{c}).read(); err != nil {
		return err
	}
	return c.checkTransport()
}

// Tokens are the valid tokens.
type Tokens struct{ config Config }

// NewTokens returns the tokens of a configuration.
func NewTokens(config Config) Tokens { return Tokens{config} }

// read returns the current tokens.
func (t Tokens) read() ([]string, error) {
	text := t.config.Token
	if t.config.TokenFile != "" {
		content, err := os.ReadFile(t.config.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("ADMIN_TOKEN_FILE: %w", err)
		}
		text = string(content)
	}
	tokens := strings.Fields(text)
	if len(tokens) < 1 || len(tokens) > maxTokens {
		return nil, errTokens
	}
	for _, token := range tokens {
		if len(token) < minToken {
			return nil, errTokens
		}
	}
	return tokens, nil
}

// Allow reports whether a header Authorization has one of the tokens. It takes constant time. If the tokens can't be
// read, it returns false and the error.
func (t Tokens) Allow(header string) (bool, error) {
	tokens, err := t.read()
	if err != nil {
		return false, err
	}
	scheme, shown, _ := strings.Cut(header, " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(shown)))
	found := 0
	for _, token := range tokens {
		sum := sha256.Sum256([]byte(token))
		found |= subtle.ConstantTimeCompare(given[:], sum[:])
	}
	return found == 1 && strings.EqualFold(scheme, "Bearer"), nil
}
