package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
)

const (
	slots = 5
	// maxFile is the maximum size of the file in bytes.
	maxFile = 256 << 10
)

// Config is the configuration of the providers.
type Config struct {
	// File is a JSON file with the providers by slot; empty: there are none.
	File string `env:"IDENTITY_PROVIDERS_FILE"`
}

// Check returns an error if the file is invalid.
func (c Config) Check() error {
	_, err := c.Load()
	return err
}

// entry is a provider in the file.
type entry struct {
	Issuer        string            `json:"issuer"`
	ClientID      string            `json:"client_id"`
	ClientSecret  string            `json:"client_secret"`
	DisplayName   string            `json:"display_name"`
	DisplayIcon   *string           `json:"display_icon"`
	Scopes        []string          `json:"scopes"`
	GroupsClaim   string            `json:"groups_claim"`
	Roles         map[string]string `json:"roles"`
	TrustEmails   bool              `json:"trust_emails"`
	Organizations []string          `json:"organizations"`
}

// Load reads the providers, ordered by slot. Errors name the file and the slot, and contain no secrets.
func (c Config) Load() ([]Provider, error) {
	if c.File == "" {
		return nil, nil
	}
	all, err := load(c.File)
	if err != nil {
		return nil, fmt.Errorf("IDENTITY_PROVIDERS_FILE: %w", err)
	}
	return all, nil
}

func load(path string) ([]Provider, error) {
	file, err := os.Open(path) //nolint:gosec // the path is the operator's
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxFile:
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return parse(path, text)
}

func parse(path string, text []byte) ([]Provider, error) {
	entries := map[string]entry{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&entries); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if decoder.More() {
		return nil, fmt.Errorf("%s: there is more than one JSON value", path)
	}
	known := []string{}
	for n := range slots {
		known = append(known, fmt.Sprintf("idp_%d", n+1))
	}
	all := []Provider{}
	for _, slot := range slices.Sorted(maps.Keys(entries)) {
		if !slices.Contains(known, slot) {
			return nil, fmt.Errorf("%s: there is no slot %q, only %v", path, slot, known)
		}
		p, err := entries[slot].provider(slot)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, slot, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func (e entry) provider(slot string) (Provider, error) {
	p := Provider{
		Slot: slot, Issuer: e.Issuer, ClientID: e.ClientID, ClientSecret: e.ClientSecret, DisplayName: e.DisplayName, DisplayIcon: e.DisplayIcon,
		Scopes: e.Scopes, GroupsClaim: e.GroupsClaim, Roles: map[string]actor.Role{}, TrustEmails: e.TrustEmails, Organizations: e.Organizations,
	}
	if p.Scopes == nil {
		p.Scopes = []string{"email", "profile"}
	}
	err := cmp.Or(checkIssuer(e.Issuer), checkIcon(e.DisplayIcon), checkSubdomains(e.Organizations))
	switch {
	case err != nil:
		return Provider{}, err
	case e.ClientID == "" || e.DisplayName == "":
		return Provider{}, errors.New("client_id and display_name must not be empty")
	case len(e.Roles) > 0 && e.GroupsClaim == "":
		return Provider{}, errors.New("roles are set without groups_claim: set it to the name of the claim with the groups")
	}
	names := map[string]actor.Role{"owner": actor.Owner, "administrator": actor.Administrator, "member": actor.Member, "guest": actor.Guest}
	unknown := []string(nil)
	for _, group := range slices.Sorted(maps.Keys(e.Roles)) {
		role, ok := names[e.Roles[group]]
		if !ok {
			unknown = append(unknown, fmt.Sprintf("the role of the group %q is %q", group, e.Roles[group]))
		}
		p.Roles[group] = role
	}
	if len(unknown) > 0 {
		return Provider{}, fmt.Errorf("%s: roles are owner, administrator, member and guest", strings.Join(unknown, ", "))
	}
	return p, nil
}

// checkIssuer returns an error if an address can't be an issuer's. It must use TLS or be on this machine, because
// tokens and secrets are sent to it.
func checkIssuer(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("the issuer %q is not an address such as https://login.example", address)
	case u.Scheme == "https" || isPlainLocal(u):
		return nil
	}
	return fmt.Errorf("the issuer %q must begin with https://, unless it is on this machine", address)
}

// isPlainLocal reports whether an address is on this machine, without TLS.
func isPlainLocal(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// checkSubdomains returns an error if a name can't be an organization's subdomain. Empty, it is the organization of the root
// domain.
func checkSubdomains(names []string) error {
	for _, name := range names {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return fmt.Errorf("the organization %q is not a subdomain, such as acme, or empty for the root domain", name)
		}
	}
	return nil
}

func checkIcon(address *string) error {
	if address == nil {
		return nil
	}
	if u, err := url.Parse(*address); err != nil || u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the display_icon %q is not an address such as https://login.example/icon.png", *address)
	}
	return nil
}
