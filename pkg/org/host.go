package org

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"chatserver.dev/pkg/gateway"
)

// Config is the server's configuration for its organizations.
type Config struct {
	// ExternalHost is the name of the server's root domain as clients write it, with the port unless
	// it is the scheme's default: chat.example, or localhost:8080.
	ExternalHost string `env:"EXTERNAL_HOST" envDefault:"localhost:8080"`
	// ExternalScheme is the scheme that clients use: https, or http if no proxy terminates TLS.
	ExternalScheme string `env:"EXTERNAL_SCHEME" envDefault:"http"`
	// SignUp permits people to sign up organizations at the root domain.
	SignUp bool `env:"ORGANIZATION_SIGNUP" envDefault:"false"`
	// MaxStreams is the default of organizations' setting max_streams. 0: that of [Defaults].
	MaxStreams uint16 `env:"MAX_STREAMS" envDefault:"5000"`
	// MaxStreamsPerDay is the default of organizations' setting max_streams_per_day. 0: that of [Defaults].
	MaxStreamsPerDay uint16 `env:"MAX_STREAMS_PER_DAY" envDefault:"500"`
	// Methods are the ways to sign in that the server offers besides an address with a password.
	Methods []Method
	// MailIn is the pattern of the addresses of incoming mail.
	MailIn gateway.Pattern `env:"MAIL_IN"`
	// UploadQuota is the default of organizations' setting upload_quota, in bytes. 0: no limit.
	UploadQuota uint64 `env:"UPLOAD_QUOTA" envDefault:"0"`
	// JitsiServerURL is the server of the video calls that clients offer where an organization's video_chat_provider is 1.
	JitsiServerURL string `env:"JITSI_SERVER_URL" envDefault:"https://meet.jit.si"`
}

// Check fails if the configuration is invalid.
func (c Config) Check() error {
	if u, err := url.Parse("http://" + c.ExternalHost); err != nil || u.Host != c.ExternalHost || u.Hostname() == "" {
		return fmt.Errorf("EXTERNAL_HOST: %q is not a host such as chat.example or localhost:8080 (the scheme is in EXTERNAL_SCHEME)", c.ExternalHost)
	}
	if c.ExternalScheme != "http" && c.ExternalScheme != "https" {
		return fmt.Errorf("EXTERNAL_SCHEME: %q is neither http nor https", c.ExternalScheme)
	}
	if u, err := url.Parse(c.JitsiServerURL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("JITSI_SERVER_URL: %q is not an address such as https://meet.jit.si", c.JitsiServerURL)
	}
	return c.MailIn.Check()
}

// Defaults returns the default settings of this server's organizations.
func (c Config) Defaults() Settings {
	settings := Defaults()
	settings.MaxStreams = cmp.Or(int(c.MaxStreams), settings.MaxStreams)
	settings.MaxStreamsPerDay = cmp.Or(int(c.MaxStreamsPerDay), settings.MaxStreamsPerDay)
	settings.UploadQuota = int64(min(c.UploadQuota, maxQuota))
	return settings
}

// DefaultsOf returns [Config.Defaults] with the ways to sign in that are open by default in the organization with a
// subdomain.
func (c Config) DefaultsOf(subdomain string) Settings {
	settings := c.Defaults()
	settings.AuthenticationMethods = c.methods(subdomain, nil)
	return settings
}

// Subdomain returns the subdomain in a request's host, as the client wrote it. It is empty for the external host
// itself and for every host that isn't below it. Subdomain allocates nothing.
func (c Config) Subdomain(host string) string {
	name, root := withoutPort(host), withoutPort(c.ExternalHost)
	at := len(name) - len(root) - 1
	if at < 1 || name[at] != '.' || !strings.EqualFold(name[at+1:], root) {
		return ""
	}
	return name[:at]
}

// IsOwn reports whether a request's host is one of this server's names, localhost, or an IP address. Browsers send another
// name if a website's name resolves to this server (DNS rebinding); the website's pages could then read the answers.
func (c Config) IsOwn(host string) bool {
	name, root := withoutPort(host), withoutPort(c.ExternalHost)
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil || c.Subdomain(host) != "" || strings.EqualFold(name, root) || strings.EqualFold(name, "localhost")
}

// Is reports whether a request's host is that of the organization with a subdomain.
func (c Config) Is(host, subdomain string) bool {
	return strings.EqualFold(c.Subdomain(host), subdomain)
}

// URI returns the URL of the organization with a subdomain, without a trailing slash.
func (c Config) URI(subdomain string) string {
	return c.ExternalScheme + "://" + below(subdomain, c.ExternalHost)
}

// Secure reports whether clients reach the server by TLS.
func (c Config) Secure() bool { return c.ExternalScheme == "https" }

// Domain returns the name of the server's root domain without a port. It is the domain of the addresses of bots, and
// of those shown instead of hidden ones (rest-api.md, section 8.7).
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
