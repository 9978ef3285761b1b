package inputs

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"chatserver.dev/operator/api/v1alpha1"
)

// AddressKey is the key of [AddressSecret] with the address.
const AddressKey = "url"

// Address reads the connection string of an external database, and returns it without user and password. Empty: the spec
// names no connection string. The error is a [*MissingError], an [*InvalidError] or an error of the API server.
func Address(ctx context.Context, secrets *Secrets, server *v1alpha1.ChatServer) (string, error) {
	key := database(server).URL
	if key == nil || server.Spec.Database.Mode != v1alpha1.DatabaseExternal {
		return "", nil
	}
	value, err := secrets.value(ctx, *key)
	if err != nil {
		return "", err
	}
	address, err := withoutCredentials(string(value))
	if err != nil {
		return "", &InvalidError{key.Secret, key.Key, err.Error()}
	}
	return address, nil
}

// credentials are the settings of a connection string that identify the client.
func credentials() []string { return []string{"user", "password", "passfile", "sslpassword"} }

// errNoAddress doesn't include the value, which may be a password.
var errNoAddress = errors.New("it contains no address such as postgres://user:password@host:5432/name")

// withoutCredentials removes user and password from a connection string, in either of PostgreSQL's two forms.
func withoutCredentials(connection string) (string, error) {
	if !strings.HasPrefix(connection, "postgres://") && !strings.HasPrefix(connection, "postgresql://") {
		return keywordsWithoutCredentials(connection)
	}
	address, err := url.Parse(connection)
	if err != nil || address.Host == "" && !address.Query().Has("host") {
		return "", errNoAddress
	}
	address.User = nil
	parameters := address.Query()
	for _, name := range credentials() {
		parameters.Del(name)
	}
	address.RawQuery = parameters.Encode()
	return address.String(), nil
}

// keywordsWithoutCredentials is withoutCredentials for settings like host=db password='it”s', as libpq reads them.
func keywordsWithoutCredentials(text string) (string, error) {
	kept := []string(nil)
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		name, after, found := strings.Cut(rest, "=")
		if !found {
			return "", errNoAddress
		}
		after = strings.TrimLeft(after, " \t\r\n")
		n := valueLength(after)
		if n < 0 {
			return "", errNoAddress
		}
		if name = strings.TrimSpace(name); !slices.Contains(credentials(), name) {
			kept = append(kept, name+"="+after[:n])
		}
		rest = after[n:]
	}
	if len(kept) == 0 {
		return "", errNoAddress
	}
	return strings.Join(kept, " "), nil
}

// valueLength returns the length of the value at the beginning of a text, in bytes. Negative: a quote isn't closed.
func valueLength(text string) int {
	quoted := strings.HasPrefix(text, "'")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quoted && c == '\'' && i > 0:
			return i + 1
		case !quoted && strings.IndexByte(" \t\r\n", c) >= 0:
			return i
		}
	}
	if quoted {
		return -1
	}
	return len(text)
}
