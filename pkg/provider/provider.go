package provider

import (
	"fmt"
	"net/url"

	"chatserver.dev/pkg/actor"
)

// Everybody is the key in [Provider.Roles] for people who are in none of the groups.
const Everybody = "*"

// Provider is an OpenID Connect identity provider.
type Provider struct {
	Slot         string // idp_1 to idp_5
	Issuer       string // the provider's address, exactly as in its tokens
	ClientID     string
	ClientSecret string // empty: the provider authenticates the server by its client ID and PKCE alone
	DisplayName  string
	DisplayIcon  *string  // address of a picture; nil: none
	Scopes       []string // requested in addition to openid
	GroupsClaim  string   // name of the claim with a person's groups; empty: groups have no effect
	// Roles maps groups to roles. At each login a person gets the highest role of their groups, or else that of
	// [Everybody], or else [actor.Member].
	Roles map[string]actor.Role
	// TrustEmails treats addresses as verified if the provider doesn't report whether they are.
	TrustEmails bool
	// Organizations are the subdomains of the organizations that use the provider; nil: all do.
	Organizations []string
}

// Role returns the role of a person with groups. ok is false if groups have no effect on roles.
func (p Provider) Role(groups []string) (role actor.Role, ok bool) {
	if p.GroupsClaim == "" || len(p.Roles) == 0 {
		return 0, false
	}
	of := func(group string) {
		// Higher roles have lower numbers (rest-api.md, section 8.2).
		if r, known := p.Roles[group]; known && (role == 0 || r < role) {
			role = r
		}
	}
	for _, group := range groups {
		if group != Everybody {
			of(group)
		}
	}
	if role == 0 {
		of(Everybody)
	}
	if role == 0 {
		role = actor.Member
	}
	return role, true
}

// CheckEndpoint returns an error if browsers, tokens and secrets must not be sent to an address that the provider's
// discovery document names. It must use TLS. Only a provider on this machine without TLS may name such addresses on this
// machine: another one could reach what listens only here.
func (p Provider) CheckEndpoint(address string) error {
	u, err := url.Parse(address)
	if err == nil && u.Host != "" && u.Scheme == "https" {
		return nil
	}
	issuer, issuerErr := url.Parse(p.Issuer)
	if err == nil && issuerErr == nil && isPlainLocal(u) && isPlainLocal(issuer) {
		return nil
	}
	return fmt.Errorf("the provider names the address %q, which doesn't begin with https://", address)
}
