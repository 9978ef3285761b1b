package org

// reserved reports whether an organization that signs up can't have a subdomain, because people would take it for the
// server's own or, in other letters, for that of another organization, or programs expect other services there.
func reserved(subdomain string) bool {
	// Browsers show xn--80ak6aa92e as letters that look like apple's (RFC 5891, section 4.2.3.1).
	if len(subdomain) >= 4 && subdomain[2:4] == "--" {
		return true
	}
	switch subdomain {
	case "abuse", "account", "accounts", "admin", "administrator", "api", "app", "assets", "auth", "billing", "blog", "cdn", "chat", "contact",
		"dashboard", "demo", "dev", "docs", "download", "downloads", "events", "files", "help", "info", "internal", "legal", "login", "logout",
		"news", "oauth", "official", "operator", "password", "payment", "privacy", "register", "root", "security", "server", "settings",
		"signin", "signup", "sso", "staging", "static", "status", "support", "system", "test", "uploads", "webhook", "www":
		return true
	case "autoconfig", "autodiscover", "broadcasthost", "dns", "email", "ftp", "host", "hostmaster", "imap", "isatap", "localdomain", "localhost",
		"mail", "mta-sts", "ns1", "ns2", "pop", "pop3", "postmaster", "sip", "smtp", "ssl", "tls", "webmail", "webmaster", "wpad":
		return true
	}
	return false
}
