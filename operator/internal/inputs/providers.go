package inputs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"chatserver.dev/operator/api/v1alpha1"
)

// The keys of [ProvidersSecret].
const (
	// ProvidersKey is the key with the file for api, where people sign in.
	ProvidersKey = "providers.json"
	// PublicProvidersKey is the key with the file for other services, without clients' secrets.
	PublicProvidersKey = "providers-public.json"
)

// ProvidersSecret is the Secret with a server's identity providers, see [Providers].
func ProvidersSecret(server *v1alpha1.ChatServer) string { return server.Name + "-providers" }

// provider is an identity provider as the services read it.
type provider struct {
	Issuer        string            `json:"issuer"`
	ClientID      string            `json:"client_id"`
	ClientSecret  string            `json:"client_secret,omitempty"`
	DisplayName   string            `json:"display_name"`
	DisplayIcon   string            `json:"display_icon,omitempty"`
	Scopes        []string          `json:"scopes,omitempty"`
	GroupsClaim   string            `json:"groups_claim,omitempty"`
	Roles         map[string]string `json:"roles,omitempty"`
	TrustEmails   bool              `json:"trust_emails,omitempty"`
	Organizations []string          `json:"organizations,omitempty"`
}

// Providers reads the secrets of identity providers, and returns the data of [ProvidersSecret], the files about them that the services
// read; nil: there are none. The error is a [*MissingError] or an error of the API server.
func Providers(ctx context.Context, secrets *Secrets, server *v1alpha1.ChatServer) (map[string][]byte, error) {
	if len(server.Spec.IdentityProviders) == 0 {
		return nil, nil
	}
	file, public := map[string]provider{}, map[string]provider{}
	for i := range server.Spec.IdentityProviders {
		p := &server.Spec.IdentityProviders[i]
		roles := map[string]string{}
		for group, role := range p.Roles {
			roles[group] = strings.ToLower(string(role))
		}
		entry := provider{
			Issuer: p.Issuer, ClientID: p.ClientID, DisplayName: p.DisplayName, DisplayIcon: p.DisplayIcon, Scopes: p.Scopes,
			GroupsClaim: p.GroupsClaim, Roles: roles, TrustEmails: p.TrustEmails, Organizations: p.Organizations,
		}
		public[p.Slot] = entry
		if p.ClientSecretRef != nil {
			value, err := secrets.value(ctx, Key{p.ClientSecretRef.Name, p.ClientSecretRef.Key})
			if err != nil {
				return nil, err
			}
			entry.ClientSecret = string(value)
		}
		file[p.Slot] = entry
	}
	data := map[string][]byte{}
	for key, providers := range map[string]map[string]provider{ProvidersKey: file, PublicProvidersKey: public} {
		text, err := json.Marshal(providers) //nolint:gosec // it goes into a Secret
		if err != nil {
			return nil, fmt.Errorf("encode the identity providers: %w", err)
		}
		data[key] = text
	}
	return data, nil
}

// providerKeys returns the keys of Secrets whose values are in the file.
func providerKeys(server *v1alpha1.ChatServer) (keys []Key) {
	for i := range server.Spec.IdentityProviders {
		if from := server.Spec.IdentityProviders[i].ClientSecretRef; from != nil {
			keys = append(keys, Key{from.Name, from.Key})
		}
	}
	return keys
}
