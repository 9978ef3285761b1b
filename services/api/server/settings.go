package server

import (
	"context"
	"errors"
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/product"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/services/api/openid"
	"chatserver.dev/services/compat"
)

// blockedClient is the product in the User-Agent of a client that is reported to be incompatible, so that authors of
// clients can test this case.
const blockedClient = "ZulipInvalid"

// noDescription is the description of an organization without one.
const noDescription = "<p>A place to talk and to work together.</p>"

// AuthenticationMethods has the ways to log in, and whether they are enabled.
type AuthenticationMethods struct {
	Password   bool `json:"password"`   // with a password of whatever kind
	Dev        bool `json:"dev"`        // as anybody, without a password; for development
	Email      bool `json:"email"`      // with an email address and a password
	LDAP       bool `json:"ldap"`       // with a password of the directory service
	RemoteUser bool `json:"remoteuser"` // by a web server in front of this one
	SAML       bool `json:"saml"`       // by SAML
	IDP1       bool `json:"idp_1"`      // the slots for identity providers
	IDP2       bool `json:"idp_2"`      // as idp_1
	IDP3       bool `json:"idp_3"`      // as idp_1
	IDP4       bool `json:"idp_4"`      // as idp_1
	IDP5       bool `json:"idp_5"`      // as idp_1
}

// ExternalMethod is a way to log in by an identity provider.
type ExternalMethod struct {
	Name        string  `json:"name"`         // unique, for programs
	DisplayName string  `json:"display_name"` // for people
	DisplayIcon *string `json:"display_icon"` // address of a picture; null: none
	LoginURL    string  `json:"login_url"`    // where to log in
	SignupURL   string  `json:"signup_url"`   // where to make an account
}

type settingsParams struct{}

type settingsReply struct {
	// Ways to log in, and whether they are enabled; deprecated in favour of external_authentication_methods.
	AuthenticationMethods AuthenticationMethods `json:"authentication_methods"`
	// Identity providers, in the order to show them.
	ExternalAuthenticationMethods []ExternalMethod `json:"external_authentication_methods"`
	// The server's version.
	ServiceVersion string `json:"service_version"`
	// The level of the interface.
	ServiceFeatureLevel int `json:"service_feature_level"`
	// Whether the server can notify mobile devices.
	PushNotificationsEnabled bool `json:"push_notifications_enabled"`
	// Whether the client is incompatible with the server.
	IsIncompatible bool `json:"is_incompatible"`
	// Whether people can log in with their email address and a password.
	EmailAuthEnabled bool `json:"email_auth_enabled"`
	// Whether user names are email addresses.
	RequireEmailFormatUsernames bool `json:"require_email_format_usernames"`
	// The organization's canonical address, without a trailing slash.
	RealmURI string `json:"realm_uri"`
	*compat.Version
	// The organization; absent if the host names none.
	*realmReply
}

type realmReply struct {
	// The organization's name.
	RealmName string `json:"realm_name"`
	// Address of its picture, which may be relative to realm_uri.
	RealmIcon string `json:"realm_icon"`
	// Its description as HTML.
	RealmDescription string `json:"realm_description"`
	// Whether the organization was deactivated, so that nobody can log in; absent otherwise.
	RealmDeactivated bool `json:"realm_deactivated,omitempty"`
}

// Settings returns the information that a client needs before it logs in. The response of the root domain has no fields
// about an organization, unless there is one at it.
func Settings(orgs *org.Service, providers []provider.Provider, version string) endpoint.Endpoint {
	return endpoint.Public(endpoint.About{
		Route: "GET /server_settings", Faults: endpoint.Faults{org.ErrInvalidSubdomain},
	}, func(ctx context.Context, from endpoint.Request, _ settingsParams) (settingsReply, error) {
		reply := settingsReply{
			ExternalAuthenticationMethods: []ExternalMethod{},
			ServiceVersion:                version,
			ServiceFeatureLevel:           product.FeatureLevel,
			IsIncompatible:                productOf(from.UserAgent) == blockedClient,
			RequireEmailFormatUsernames:   true,
			Version:                       compat.VersionFor(ctx),
		}
		o, err := orgs.ByHost(ctx, from.Host)
		switch {
		case err == nil:
			reply.realmReply = &realmReply{o.Name, o.PictureURL(org.Icon), o.RenderedDescription, o.Deactivated}
			if o.RenderedDescription == "" {
				reply.RealmDescription = noDescription
			}
		case errors.Is(err, org.ErrInvalidSubdomain) && orgs.Config().Subdomain(from.Host) == "":
			o = org.Org{Settings: org.Settings{AuthenticationMethods: map[string]bool{org.Passwords: true}}, URI: orgs.Config().URI("")}
		default:
			return settingsReply{}, err
		}
		reply.RealmURI = o.URI
		open := o.Settings.AuthenticationMethods
		reply.EmailAuthEnabled = open["Email"]
		reply.AuthenticationMethods = AuthenticationMethods{
			Password: open["Email"], Email: open["Email"], Dev: open[org.Development],
			IDP1: open["idp_1"], IDP2: open["idp_2"], IDP3: open["idp_3"], IDP4: open["idp_4"], IDP5: open["idp_5"],
		}
		for _, p := range providers {
			if open[p.Slot] {
				reply.ExternalAuthenticationMethods = append(reply.ExternalAuthenticationMethods, ExternalMethod{
					p.Slot, p.DisplayName, p.DisplayIcon, openid.LoginURL(p.Slot), openid.SignUpURL(p.Slot),
				})
			}
		}
		return reply, nil
	})
}

// productOf returns the first product in a User-Agent, without its version.
func productOf(userAgent string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(userAgent), "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}
