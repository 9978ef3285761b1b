package store

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Config is where the database is and how it is used.
type Config struct {
	// URL is the database's. A migration needs its owner as the user; without Logins, services need it, too.
	URL string `env:"DATABASE_URL,unset"`
	// Host, Port, Name, User and Password say where the database is in place of URL, under the names that
	// PostgreSQL's own programs know.
	Host     string `env:"PGHOST"`
	Port     string `env:"PGPORT"`
	Name     string `env:"PGDATABASE"`
	User     string `env:"PGUSER"`
	Password string `env:"PGPASSWORD,unset"`
	// ReplicaURL is that of streaming replicas of the database, for large reads; with several hosts, each connection takes
	// the first that answers. It needs no user where there are Logins. Empty: the primary does all.
	ReplicaURL string `env:"DATABASE_REPLICA_URL,unset"`
	// Logins are who services log in as. URL, or Host and Name, then say where the database is, and needn't name a user.
	Logins
	// FormerUsers are logins that services had before: a migration takes their right to log in.
	FormerUsers []string `env:"DATABASE_FORMER_USERS"`
	// SSLMode is one of PostgreSQL's modes, from disable to verify-full; it counts where URL doesn't say
	// sslmode. Empty: prefer, which is as good as none.
	SSLMode string `env:"PGSSLMODE"`
	// SSLRootCert is the file with the certificates of who may sign the server's; it counts where URL doesn't
	// say sslrootcert. Empty: the system's.
	SSLRootCert string `env:"PGSSLROOTCERT"`
	// Connections bounds the connections of this process for requests; 0: four per processor core.
	// More than that only queue inside PostgreSQL.
	Connections int32 `env:"DATABASE_CONNECTIONS" envDefault:"0"`
	// StatementTimeout ends a statement that takes longer. A transaction has AnswerTimeout more.
	StatementTimeout time.Duration `env:"DATABASE_STATEMENT_TIMEOUT" envDefault:"30s"`
	// IdleTimeout ends a transaction that waits for its client longer; an open write transaction
	// holds back the delivery of every later event.
	IdleTimeout time.Duration `env:"DATABASE_IDLE_TRANSACTION_TIMEOUT" envDefault:"10s"`
	// AnswerTimeout is how long the server is waited for where it usually answers at once: when a message is
	// stored, a transaction begins or a key is looked up. A connection that takes longer is closed. 0: 3 s.
	AnswerTimeout time.Duration `env:"DATABASE_ANSWER_TIMEOUT" envDefault:"3s"`
}

func (c Config) answerTimeout() time.Duration { return cmp.Or(c.AnswerTimeout, 3*time.Second) }

// Check says what is missing.
func (c Config) Check() error {
	if c.AnswerTimeout < 0 {
		return fmt.Errorf("DATABASE_ANSWER_TIMEOUT: %s is less than nothing: it is 3s, or what suits the database", c.AnswerTimeout)
	}
	if err := c.Logins.Check(); err != nil {
		return err
	}
	if c.ReplicaURL != "" {
		if _, err := pgx.ParseConfig(c.ReplicaURL); err != nil {
			return fmt.Errorf("DATABASE_REPLICA_URL: %w", err) // without the password
		}
	}
	if c.URL != "" {
		return nil
	}
	if !c.Given() {
		return errors.New("DATABASE_URL is missing: it is the PostgreSQL database's, postgres://user:password@host/name; or say it by " +
			"PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD")
	}
	return nil
}

// Given reports whether a database is configured: by a URL, or by host, name and user.
func (c Config) Given() bool {
	return c.URL != "" || c.Host != "" && c.Name != "" && (c.User != "" || c.Logins.Given())
}

// ConnString is what connects to the database as the owner, or as whomever URL or User names, in one of PostgreSQL's
// two forms. It has the password.
func (c Config) ConnString() string {
	tls := [][2]string{{"sslmode", c.SSLMode}, {"sslrootcert", c.SSLRootCert}}
	if c.URL == "" {
		where := [][2]string{{"host", c.Host}, {"port", c.Port}, {"dbname", c.Name}, {"user", c.User}, {"password", c.Password}}
		return keywords(append(where, tls...))
	}
	tls = slices.DeleteFunc(tls, func(setting [2]string) bool { return setting[1] == "" || strings.Contains(c.URL, setting[0]+"=") })
	if !strings.HasPrefix(c.URL, "postgres://") && !strings.HasPrefix(c.URL, "postgresql://") {
		return strings.TrimSpace(c.URL + " " + keywords(tls))
	}
	parameters := url.Values{}
	for _, setting := range tls {
		parameters.Set(setting[0], setting[1])
	}
	switch {
	case len(parameters) == 0:
		return c.URL
	case strings.Contains(c.URL, "?"):
		return c.URL + "&" + parameters.Encode()
	default:
		return c.URL + "?" + parameters.Encode()
	}
}

// keywords makes a list like "host='db' port='5432'" of what has a value.
func keywords(settings [][2]string) string {
	escape, list := strings.NewReplacer(`\`, `\\`, `'`, `\'`), []string(nil)
	for _, setting := range settings {
		if setting[1] != "" {
			list = append(list, setting[0]+"='"+escape.Replace(setting[1])+"'")
		}
	}
	return strings.Join(list, " ")
}
