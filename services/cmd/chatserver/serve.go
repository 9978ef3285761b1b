package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/neworg"
	"chatserver.dev/pkg/product"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/api/mailbox"
	"chatserver.dev/services/demo"
	"chatserver.dev/services/program"
)

// settings are the settings that this command needs before the configuration is complete.
type settings struct {
	Addr     string `env:"CHAT_ADDR" envDefault:"127.0.0.1:8080"`
	Host     string `env:"EXTERNAL_HOST"`
	LocalDir string `env:"CHAT_LOCAL_DIR" envDefault:".local"`
	RedisURL string `env:"REDIS_URL"`
	Topology string `env:"REDIS_TOPOLOGY" envDefault:"single"`
	LogLevel string `env:"LOG_LEVEL"`
	Grace    string `env:"SHUTDOWN_GRACE"`
	SMTP     string `env:"SMTP_URL"`
	MailDir  string `env:"MAIL_DIR"`
	MailPage string `env:"MAIL_PAGE"`
	MailFrom string `env:"MAIL_FROM"`
	Store    store.Config
	Files    blob.Config
	// Demo creates the demo organization. It is always true with a private PostgreSQL.
	Demo bool `env:"CHAT_DEMO"`
	// private reports whether this command has started PostgreSQL.
	private bool
	// local reports whether only programs on this machine can connect.
	local bool
}

// serve runs all services in this process until ctx ends.
func serve(ctx context.Context, environ []string, out, log io.Writer) (err error) {
	all, err := program.Hashing(program.All())
	if err != nil {
		return err
	}
	s := settings{}
	// All settings are checked before anything is started.
	if err := boot.Read(environ, append([]any{&s, &boot.Config{}}, all.Settings...)...); err != nil {
		return err
	}
	if err := s.checkServers(); err != nil {
		return err
	}
	// This comes first, since it fails most often.
	listener, err := boot.Listen(ctx, "CHAT_ADDR", s.Addr)
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // it is open only if the start fails
	s.local = isLoopback(listener.Addr())
	servers, err := startServers(ctx, &s)
	if err != nil {
		return err
	}
	defer func() { err = stopServers(servers, err) }()
	// The rest of the configuration is checked only now, since these servers' addresses belong to it.
	config, err := boot.Load(append(environ, s.variables()...), all.Settings...)
	if err != nil {
		return err
	}
	if _, err := store.Preflight(ctx, s.Store.ConnString(), product.Version()); err != nil {
		return err
	}
	if err := queue.Preflight(ctx, config.Queue); err != nil {
		return err
	}
	if _, err := store.Migrate(ctx, s.Store.ConnString()); err != nil {
		return err
	}
	if s.Store.Logins, err = makeLogins(ctx, s.Store, log); err != nil {
		return err
	}
	all.Listener, all.Development = listener, s.private && s.local
	if s.private && !s.local {
		if _, err := fmt.Fprintf(log, "chatserver: nobody can sign in without a password, since other machines can connect to CHAT_ADDR, %s\n", s.Addr); err != nil {
			return err
		}
	}
	if s.Demo {
		all = withDemo(all, filepath.Join(s.LocalDir, "demo.json"), out)
	}
	return boot.Run(ctx, append(environ, s.variables()...), log, all)
}

// makeLogins creates the services' roles in PostgreSQL. If the environment names none and they can't be created, it
// logs the error, and the services log in as the database's owner.
func makeLogins(ctx context.Context, config store.Config, log io.Writer) (store.Logins, error) {
	if config.Logins.Given() {
		return config.Logins, store.MakeLogins(ctx, config.ConnString(), config.Logins)
	}
	own, err := store.OwnLogins(config)
	if err == nil {
		err = store.MakeLogins(ctx, config.ConnString(), own)
	}
	if err == nil {
		config.Logins = own
		_, err = store.ReadSchemaOf(ctx, config)
	}
	if err != nil {
		_, err = fmt.Fprintf(log, "chatserver: the server runs as the database's owner, since it has no logins of its own: %v\n", err)
		return store.Logins{}, err
	}
	return own, nil
}

// withDemo adds the demo organization to a program. In development, it also adds links that sign a browser in.
func withDemo(p boot.Program, file string, out io.Writer) boot.Program {
	made, visits := (*demo.Demo)(nil), (*demo.Visits)(nil)
	if parts := p.Parts; p.Development {
		p.Parts = func(d boot.Deps) ([]boot.Part, error) {
			visits = demo.NewVisits(d.Logins, d.Orgs.Config().Secure())
			all, err := parts(d)
			return append(all, boot.Part{Name: "demo", Pages: map[string]http.Handler{demo.VisitRoute: visits}}), err
		}
	}
	p.Prepare = func(ctx context.Context, d boot.Deps) (err error) {
		made, err = demo.Seed(ctx, d, file)
		return err
	}
	p.Started = func(_ context.Context, d boot.Deps) error {
		if made == nil {
			return nil
		}
		if err := made.Print(out, file, visits); err != nil || d.Config.Mail.Dir == "" {
			return err
		}
		place := "in " + d.Config.Mail.Dir
		if d.Config.Mail.Page {
			place = "at " + made.BaseURL + mailbox.Path
		}
		text := fmt.Sprintf("Mail isn't sent: it is %s\n", place)
		if d.Orgs.Config().SignUp {
			text += fmt.Sprintf("Another organization is signed up at %s%s, by a link in a mail\n", made.BaseURL, neworg.Path)
		}
		_, err := fmt.Fprintln(out, text)
		return err
	}
	return p
}

// variables returns the variables that complete the environment.
func (s settings) variables() []string {
	add := []string{"DATABASE_URL=" + s.Store.ConnString(), "REDIS_URL=" + s.RedisURL}
	if l := s.Store.Logins; l.Given() {
		add = append(add, "DATABASE_SERVICE_USER="+l.ServiceUser, "DATABASE_SERVICE_PASSWORD="+l.ServicePassword,
			"DATABASE_EVERYWHERE_USER="+l.EverywhereUser, "DATABASE_EVERYWHERE_PASSWORD="+l.EverywherePassword)
	}
	if !s.Files.Given() {
		add = append(add, "FILES_DIR="+filepath.Join(s.LocalDir, "files"))
	}
	if s.Host == "" {
		add = append(add, "EXTERNAL_HOST="+reachable(s.Addr))
	}
	if !s.Demo {
		return add
	}
	if s.SMTP == "" && s.MailDir == "" {
		add = append(add, "MAIL_DIR="+filepath.Join(s.LocalDir, "mail"), "MAIL_PAGE="+cmp.Or(s.MailPage, strconv.FormatBool(s.local)), "MAIL_FROM="+cmp.Or(s.MailFrom, "chat@chat.example"))
	}
	if s.LogLevel == "" {
		add = append(add, "LOG_LEVEL=warn") // the output is for a person
	}
	if s.Grace == "" {
		add = append(add, "SHUTDOWN_GRACE=3s") // who waits for the end
	}
	return add
}

// isLoopback reports whether only programs on this machine can connect to an address.
func isLoopback(addr net.Addr) bool {
	address, ok := addr.(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// reachable returns the name by which a client on this machine reaches an address.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}
