package store

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The roles that rights are granted to; nobody logs in as them.
const (
	serviceRole    = "chatserver_service"    // restricted to one organization by row-level security
	everywhereRole = "chatserver_everywhere" // for queries across organizations
)

// Logins are the two roles that services log in as. They own nothing and can't become the owner. All databases of a
// PostgreSQL server share its roles, so each database needs its own names.
type Logins struct {
	// ServiceUser is a member of the role chatserver_service, EverywhereUser of chatserver_everywhere. Empty: services
	// log in as the user of the URL and switch to those roles.
	ServiceUser    string `env:"DATABASE_SERVICE_USER"`
	EverywhereUser string `env:"DATABASE_EVERYWHERE_USER"`
	// ServicePassword and EverywherePassword are their passwords; empty: they need none.
	ServicePassword    string `env:"DATABASE_SERVICE_PASSWORD,unset"`
	EverywherePassword string `env:"DATABASE_EVERYWHERE_PASSWORD,unset"`
}

// login is one of [Logins]. variable is the beginning of the names of its environment variables.
type login struct{ user, password, role, variable string }

func (l Logins) list() []login { return []login{l.service(), l.everywhere()} }

func (l Logins) service() login {
	return login{l.ServiceUser, l.ServicePassword, serviceRole, "DATABASE_SERVICE"}
}

func (l Logins) everywhere() login {
	return login{l.EverywhereUser, l.EverywherePassword, everywhereRole, "DATABASE_EVERYWHERE"}
}

// Given reports whether services have logins of their own.
func (l Logins) Given() bool { return l.ServiceUser != "" && l.EverywhereUser != "" }

// use makes connections log in as l or, if l has no user, switch to its role.
func (l login) use(config *pgx.ConnConfig) {
	if l.user == "" {
		config.RuntimeParams["role"] = l.role
		return
	}
	config.User, config.Password = l.user, l.password
}

// Check returns an error that says what is invalid.
func (l Logins) Check() error {
	if (l.ServiceUser == "") != (l.EverywhereUser == "") {
		return errors.New("DATABASE_SERVICE_USER and DATABASE_EVERYWHERE_USER must both be set: one of them is missing")
	}
	if l.Given() && l.ServiceUser == l.EverywhereUser {
		return fmt.Errorf("DATABASE_SERVICE_USER and DATABASE_EVERYWHERE_USER are both %s: use two different roles", l.ServiceUser)
	}
	for _, one := range l.list() {
		if len(one.user) > 63 {
			return fmt.Errorf("%s_USER: a role's name has at most 63 bytes", one.variable)
		}
		if strings.ContainsFunc(one.password, func(r rune) bool { return r < ' ' || r > '~' }) {
			return fmt.Errorf("%s_PASSWORD: use only ASCII letters, digits and punctuation", one.variable)
		}
	}
	return nil
}

// OwnLogins returns logins for a program that connects as the owner and as the services. They are named after the
// database, with passwords derived from the owner's, or without passwords if the owner has none.
func OwnLogins(cfg Config) (Logins, error) {
	config, err := pgx.ParseConfig(cfg.ConnString())
	if err != nil {
		return Logins{}, fmt.Errorf("read DATABASE_URL: %w", err)
	}
	name := strings.ToValidUTF8(config.Database[:min(len(config.Database), 40)], "")
	password := func(what string) string {
		if config.Password == "" {
			return ""
		}
		mac := hmac.New(sha256.New, []byte(config.Password))
		_, _ = mac.Write([]byte("chatserver login " + what + " " + config.Database)) // a hash never fails
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return Logins{name + "_service", name + "_everywhere", password("service"), password("everywhere")}, nil
}

// MakeLogins creates the logins in a migrated database, or sets the passwords of existing ones if passwords are
// configured. Afterwards, only they, the owner and roles with an explicit grant may connect to the database. If the owner
// may not create roles, the logins must exist; otherwise the error is a sentence that says how to create them.
func MakeLogins(ctx context.Context, connString string, logins Logins) error {
	if err := logins.Check(); err != nil || !logins.Given() {
		return err
	}
	return locked(ctx, connString, func(conn *pgx.Conn) error {
		for _, one := range logins.list() {
			if err := one.make(ctx, conn); err != nil {
				return err
			}
		}
		return onlyLogins(ctx, conn, logins)
	})
}

func (l login) make(ctx context.Context, conn *pgx.Conn) error {
	found, err := l.look(ctx, conn)
	if err != nil || !found.mayChange {
		return err
	}
	statements := []string(nil)
	switch {
	case !found.exists:
		statements = []string{l.statement("null")}
	case !found.member:
		statements = []string{"alter role " + quote(l.user) + " login", "grant " + l.role + " to " + quote(l.user)}
	}
	if l.password != "" {
		hashed, err := scram(l.password)
		if err != nil {
			return err
		}
		statements = append(statements, "alter role "+quote(l.user)+" password '"+hashed+"'")
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("create or change the role %s: %w", l.user, err)
		}
	}
	return nil
}

// loginState is the state of a login in the database.
type loginState struct {
	exists    bool
	member    bool // it may log in, and is a member of its role
	mayChange bool // the current role may create or change it
}

// look returns the login's state. It fails if the login can be neither used nor created, or must not be used.
func (l login) look(ctx context.Context, conn *pgx.Conn) (found loginState, err error) {
	excessive := false
	err = conn.QueryRow(ctx, `select r.oid is not null,
			coalesce(pg_has_role(r.oid, g.oid, 'usage') and r.rolcanlogin, false),
			me.rolsuper or me.rolcreaterole and (r.oid is null or current_setting('server_version_num')::integer < 160000 or pg_has_role(r.oid, 'member with admin option')),
			coalesce(r.rolsuper or r.rolbypassrls or r.oid = me.oid or pg_has_role(r.oid, o.relowner, 'member')
				or g.rolname = 'chatserver_service' and pg_has_role(r.oid, e.oid, 'member'), false)
		from pg_roles me
			left join pg_roles r on r.rolname = $1 left join pg_roles g on g.rolname = $2 left join pg_roles e on e.rolname = 'chatserver_everywhere'
			left join pg_class o on o.oid = to_regclass('installation')
		where me.rolname = current_user`, l.user, l.role).Scan(&found.exists, &found.member, &found.mayChange, &excessive)
	switch {
	case err != nil:
		err = fmt.Errorf("look for the role %s: %w", l.user, err)
	case excessive:
		err = fmt.Errorf("the role %s has more rights than services may have (a superuser's, the table owner's or those of %s): name another role in %s_USER",
			l.user, everywhereRole, l.variable)
	case !found.mayChange && !found.member:
		err = fmt.Errorf("the role %s may not create the role %s that services log in as: as a superuser, run `alter role %s createrole` or `%s`",
			conn.Config().User, l.user, quote(conn.Config().User), l.statement("'…'"))
	}
	return found, err
}

// PreflightLogins checks whether [MakeLogins] will work. If not, the error is a sentence that says what to do. It changes
// nothing.
func PreflightLogins(ctx context.Context, connString string, logins Logins) error {
	if err := logins.Check(); err != nil || !logins.Given() {
		return err
	}
	conn, err := connect(ctx, connString)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the connection is no longer needed
	for _, one := range logins.list() {
		if _, err := one.look(ctx, conn); err != nil {
			return err
		}
	}
	return nil
}

// statement returns the SQL that creates the role.
func (l login) statement(password string) string {
	return "create role " + quote(l.user) + " login password " + password + " in role " + l.role
}

// onlyLogins grants the logins the right to connect, and revokes it from public: the logins of another chat server on the
// same PostgreSQL server are members of the same roles.
func onlyLogins(ctx context.Context, conn *pgx.Conn, logins Logins) error {
	database, owns := conn.Config().Database, false
	err := conn.QueryRow(ctx, "select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()").Scan(&owns)
	if err != nil || !owns {
		return wrap(err, "look for the database's owner")
	}
	for _, statement := range []string{
		"grant connect on database " + quote(database) + " to " + quote(logins.ServiceUser) + ", " + quote(logins.EverywhereUser),
		"revoke connect on database " + quote(database) + " from public",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("change who may connect to the database %s: %w", database, err)
		}
	}
	return nil
}

// scram returns the hash of a password as PostgreSQL stores it. It is computed here because servers may log statements,
// which must not contain a password.
func scram(password string) (string, error) {
	const iterations = 4096 // PostgreSQL's default
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // it never fails
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	sign := func(text string) []byte {
		mac := hmac.New(sha256.New, salted)
		_, _ = mac.Write([]byte(text)) // a hash never fails
		return mac.Sum(nil)
	}
	stored, encode := sha256.Sum256(sign("Client Key")), base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, encode(salt), encode(stored[:]), encode(sign("Server Key"))), nil
}
