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

// Config says where the database is and how to connect to it.
type Config struct {
	// URL is the database's. Its user must be the database's owner for a migration and, without Logins, for services.
	URL string `env:"DATABASE_URL,unset"`
	// Host, Port, Name, User and Password can be set instead of URL. Their variables are those of PostgreSQL's own
	// programs.
	Host     string `env:"PGHOST"`
	Port     string `env:"PGPORT"`
	Name     string `env:"PGDATABASE"`
	User     string `env:"PGUSER"`
	Password string `env:"PGPASSWORD,unset"`
	// ReplicaURL is the URL of streaming replicas of the database, for large reads. If it has several hosts, each
	// connection uses the first that answers. It needs no user if there are Logins. Empty: the primary does all reads.
	ReplicaURL string `env:"DATABASE_REPLICA_URL,unset"`
	// Logins are the roles that services log in as. With them, URL (or Host and Name) needs no user.
	Logins
	// FormerUsers are logins that services had before: a migration revokes their right to log in.
	FormerUsers []string `env:"DATABASE_FORMER_USERS"`
	// SSLMode is one of PostgreSQL's modes, from disable to verify-full. It applies unless URL has sslmode. Empty:
	// prefer, which is as insecure as disable.
	SSLMode string `env:"PGSSLMODE"`
	// SSLRootCert is the file with the certificates of the authorities that may sign the server's certificate. It applies
	// unless URL has sslrootcert. Empty: the system's.
	SSLRootCert string `env:"PGSSLROOTCERT"`
	// Connections is the maximum number of this process's connections for requests. 0: four per processor core, and at
	// most 32; with more, requests only queue inside PostgreSQL.
	Connections int32 `env:"DATABASE_CONNECTIONS" envDefault:"0"`
	// StatementTimeout ends a statement that takes longer. A transaction may take AnswerTimeout longer than that.
	StatementTimeout time.Duration `env:"DATABASE_STATEMENT_TIMEOUT" envDefault:"30s"`
	// IdleTimeout ends a transaction that waits for its client for longer. An open write transaction holds back the delivery
	// of all later events.
	IdleTimeout time.Duration `env:"DATABASE_IDLE_TRANSACTION_TIMEOUT" envDefault:"10s"`
	// AnswerTimeout is how long to wait for the server in operations that usually take no time: storing a message,
	// beginning a transaction, looking up a key. A connection that takes longer is closed. 0: 3 s.
	AnswerTimeout time.Duration `env:"DATABASE_ANSWER_TIMEOUT" envDefault:"3s"`
}

func (c Config) answerTimeout() time.Duration { return cmp.Or(c.AnswerTimeout, 3*time.Second) }

// Check returns an error that says what is missing or invalid.
func (c Config) Check() error {
	if c.Connections < 0 {
		return errors.New("DATABASE_CONNECTIONS must be 0 or more")
	}
	negative := []string(nil)
	for _, timeout := range []struct {
		name  string
		value time.Duration
	}{
		{"DATABASE_STATEMENT_TIMEOUT", c.StatementTimeout},
		{"DATABASE_IDLE_TRANSACTION_TIMEOUT", c.IdleTimeout},
		{"DATABASE_ANSWER_TIMEOUT", c.AnswerTimeout},
	} {
		if timeout.value < 0 {
			negative = append(negative, timeout.name)
		}
	}
	if len(negative) > 0 {
		return errors.New(strings.Join(negative, ", ") + " must be 0s or more")
	}
	if err := c.Logins.Check(); err != nil {
		return err
	}
	if c.ReplicaURL != "" {
		if _, err := pgx.ParseConfig(c.ReplicaURL); err != nil {
			return fmt.Errorf("DATABASE_REPLICA_URL: %w", err) // without the password
		}
	}
	if !c.Given() {
		return errors.New("DATABASE_URL is missing: set it to the address of the PostgreSQL database, postgres://user:password@host/name, " +
			"or set PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD")
	}
	if _, err := pgx.ParseConfig(c.ConnString()); err != nil {
		if c.URL == "" {
			return fmt.Errorf("PGHOST, PGPORT, PGDATABASE and PGUSER are not the address of a database: %w", err)
		}
		return fmt.Errorf("DATABASE_URL is not an address such as postgres://user:password@host/name: %w", err) // without the password
	}
	return nil
}

// Given reports whether a database is configured: by a URL, or by host, name and user.
func (c Config) Given() bool {
	return c.URL != "" || c.Host != "" && c.Name != "" && (c.User != "" || c.Logins.Given())
}

// ConnString returns the connection string, in one of PostgreSQL's two forms, with the user of URL or User, usually the
// owner. It contains the password.
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

// keywords returns a list like "host='db' port='5432'" of the settings that aren't empty.
func keywords(settings [][2]string) string {
	escape, list := strings.NewReplacer(`\`, `\\`, `'`, `\'`), []string(nil)
	for _, setting := range settings {
		if setting[1] != "" {
			list = append(list, setting[0]+"='"+escape.Replace(setting[1])+"'")
		}
	}
	return strings.Join(list, " ")
}
