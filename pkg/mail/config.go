package mail

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
)

// Config configures the sending of mail.
type Config struct {
	// SMTP is the address of the SMTP server: smtps://user:password@host:465 with TLS from the start, or smtp://…:587 with STARTTLS.
	// Add ?tls=none for a server on the same machine. Empty: there is no server.
	SMTP string `env:"SMTP_URL,unset"`
	// User and Password are the credentials for the server, in place of those in SMTP. Unlike there, special characters aren't escaped.
	User     string `env:"SMTP_USER"`
	Password string `env:"SMTP_PASSWORD,unset"`
	// From is the sender's address of all mail.
	From string `env:"MAIL_FROM"`
	// Dir is a folder to which mail is written instead of being sent, for development. Empty: mail is sent.
	Dir string `env:"MAIL_DIR"`
	// Page shows the mail in the folder at /mailbox, to anyone who can reach the server.
	Page bool `env:"MAIL_PAGE"`
}

// Enabled reports whether mail can be sent.
func (c Config) Enabled() bool { return c.SMTP != "" || c.Dir != "" }

// Check fails if the configuration is invalid.
func (c Config) Check() error {
	if c.Page && c.Dir == "" {
		return errors.New("MAIL_PAGE is set without MAIL_DIR: set MAIL_DIR to the folder whose mail the page shows")
	}
	if c.SMTP == "" && (c.User != "" || c.Password != "") {
		return errors.New("SMTP_USER and SMTP_PASSWORD are for the server in SMTP_URL, which is missing")
	}
	if !c.Enabled() {
		return nil
	}
	if c.SMTP != "" && c.Dir != "" {
		return errors.New("SMTP_URL and MAIL_DIR are both set: set only the first to send mail, or only the second to write it to a folder")
	}
	from, err := mail.ParseAddress(c.From)
	if err != nil || from.Name != "" || from.Address != c.From {
		return fmt.Errorf("MAIL_FROM: %q is not an address such as chat@chat.example, which mail comes from", c.From)
	}
	if c.SMTP == "" {
		return nil
	}
	_, err = c.server()
	return err
}

// The kinds of encryption of a connection.
const (
	tlsFirst = "tls"      // from the start
	startTLS = "starttls" // or not at all
	noTLS    = "none"
)

// server is the parsed address of an SMTP server.
type server struct {
	host           string
	port           int
	tls            string
	user, password string
}

// server parses the address. Its error doesn't contain the password.
func (c Config) server() (server, error) {
	u, err := url.Parse(c.SMTP)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" {
		return server{}, errors.New("SMTP_URL: it is not an address such as smtps://user:password@host:465 or smtp://user:password@host:587")
	}
	s := server{host: u.Hostname(), port: 587, tls: startTLS, user: u.User.Username()}
	s.password, _ = u.User.Password()
	switch {
	case (c.User == "") != (c.Password == ""):
		return server{}, errors.New("SMTP_USER and SMTP_PASSWORD belong together: set both or neither")
	case c.User != "" && u.User != nil:
		return server{}, errors.New("SMTP_URL contains a user name, and SMTP_USER is set as well: keep one of them")
	case c.User != "":
		s.user, s.password = c.User, c.Password
	}
	switch mode := u.Query().Get("tls"); {
	case u.Scheme == "smtps" && mode == "":
		s.port, s.tls = 465, tlsFirst
	case u.Scheme == "smtp" && mode == "":
	case u.Scheme == "smtp" && mode == noTLS:
		s.port, s.tls = 25, noTLS
	default:
		return server{}, errors.New("SMTP_URL: it begins with smtps:// for TLS from the start, or with smtp:// for STARTTLS; smtp:// without any TLS ends with ?tls=none")
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return server{}, errors.New("SMTP_URL: its port isn't a number from 1 to 65535")
		}
	}
	if s.user != "" && s.tls == noTLS {
		return server{}, errors.New("SMTP_URL: a password isn't sent without TLS: leave ?tls=none out, or the name and the password")
	}
	return s, nil
}
