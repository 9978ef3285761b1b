package org

import (
	"cmp"
	"net"
	"net/netip"
	"strings"

	"chatserver.dev/pkg/gateway"
)

// Config is where the server is.
type Config struct {
	// ExternalHost is the name of the server's root domain as clients write it, with the port where
	// it isn't the scheme's usual one: chat.example, or localhost:8080.
	ExternalHost string `env:"EXTERNAL_HOST" envDefault:"localhost:8080"`
	// ExternalScheme is how clients reach it: https, or http where nothing is in front that ends TLS.
	ExternalScheme string `env:"EXTERNAL_SCHEME" envDefault:"http"`
	// SignUp lets people sign up organizations at the root domain.
	SignUp bool `env:"ORGANIZATION_SIGNUP" envDefault:"false"`
	// MaxStreams is the setting max_streams of organizations that say nothing else. 0: that of [Defaults].
	MaxStreams uint16 `env:"MAX_STREAMS" envDefault:"5000"`
	// MaxStreamsPerDay is the same for max_streams_per_day.
	MaxStreamsPerDay uint16 `env:"MAX_STREAMS_PER_DAY" envDefault:"500"`
	// Methods are the ways to sign in that the server has besides an address with a password.
	Methods []Method
	// MailIn is what addresses look like that mail comes in at.
	MailIn gateway.Pattern `env:"MAIL_IN"`
	// UploadQuota is the setting upload_quota of organizations that say nothing else, in bytes. 0: no limit.
	UploadQuota uint64 `env:"UPLOAD_QUOTA" envDefault:"0"`
}

// Defaults are the settings of an organization of this server that has chosen nothing.
func (c Config) Defaults() Settings {
	settings := Defaults()
	settings.MaxStreams = cmp.Or(int(c.MaxStreams), settings.MaxStreams)
	settings.MaxStreamsPerDay = cmp.Or(int(c.MaxStreamsPerDay), settings.MaxStreamsPerDay)
	settings.UploadQuota = int64(min(c.UploadQuota, mostQuota))
	return settings
}

// DefaultsOf are [Config.Defaults] with the ways to sign in that are open in the organization with a subdomain as long as it has chosen none.
func (c Config) DefaultsOf(subdomain string) Settings {
	settings := c.Defaults()
	settings.AuthenticationMethods = c.methods(subdomain, nil)
	return settings
}

// Subdomain is the subdomain that a request's host names: what is before the external host's name,
// as the client wrote it, and empty for the external host itself and for everything not below it.
// It allocates nothing.
func (c Config) Subdomain(host string) string {
	name, root := withoutPort(host), withoutPort(c.ExternalHost)
	at := len(name) - len(root) - 1
	if at < 1 || name[at] != '.' || !strings.EqualFold(name[at+1:], root) {
		return ""
	}
	return name[:at]
}

// IsOwn reports whether a request's host is one of this server's names, this machine, or an IP address. A browser may send another
// name: a website can have its own name lead here (DNS rebinding), and then its pages read the answers.
func (c Config) IsOwn(host string) bool {
	name, root := withoutPort(host), withoutPort(c.ExternalHost)
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil || c.Subdomain(host) != "" || strings.EqualFold(name, root) || strings.EqualFold(name, "localhost")
}

// Is reports whether a request's host names the organization with a subdomain.
func (c Config) Is(host, subdomain string) bool {
	return strings.EqualFold(c.Subdomain(host), subdomain)
}

// URI is the address of the organization with a subdomain, without a slash at the end.
func (c Config) URI(subdomain string) string {
	return c.ExternalScheme + "://" + below(subdomain, c.ExternalHost)
}

// Secure reports whether clients reach the server by TLS.
func (c Config) Secure() bool { return c.ExternalScheme == "https" }

// Domain is the name of the server's root domain without a port: what the addresses of bots, and of
// people whose address is hidden, end with (rest-api.md, section 8.7).
func (c Config) Domain() string { return withoutPort(c.ExternalHost) }

func below(subdomain, host string) string {
	if subdomain == "" {
		return host
	}
	return subdomain + "." + host
}

func withoutPort(host string) string {
	if strings.IndexByte(host, ':') < 0 {
		return host // SplitHostPort would make an error
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return host // an IPv6 address without port
	}
	return name
}
