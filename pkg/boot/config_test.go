package boot_test

import (
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/boot"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	tide := struct {
		Coasts   []netip.Prefix `env:"TIDE_COASTS"`
		Height   int            `env:"TIDE_HEIGHT" envDefault:"3"`
		LogLevel time.Duration  `env:"TIDE_LOG_LEVEL" envDefault:"1s"` // another struct has a field with the same name
	}{}
	good := []string{"DATABASE_URL=postgres://db/chat", "REDIS_URL=redis://redis:6379"}
	config, err := boot.Load(append(good, "TIDE_HEIGHT=5", "CHAT_ADDR=:9000", "RATE_LIMIT_PER_USER=10/1s"), &tide)
	if err != nil {
		t.Fatal(err)
	}
	if config.Addr != ":9000" || config.Limit.PerUser.Calls != 10 || !config.Compat || config.Store.URL != "postgres://db/chat" || tide.Height != 5 {
		t.Errorf("%+v, %+v", config, tide)
	}
	if _, err := boot.Load(append(good, "DATABASE_ANSWER_TIMEOUT=-1s", "DATABASE_STATEMENT_TIMEOUT=-1s"), &tide); err == nil ||
		err.Error() != "DATABASE_STATEMENT_TIMEOUT, DATABASE_ANSWER_TIMEOUT must be 0s or more" {
		t.Errorf("two negative timeouts: %v", err)
	}
	for _, c := range []struct{ variable, want string }{
		{"DATABASE_URL=", "DATABASE_URL is missing: set it to the address of the PostgreSQL database, postgres://user:password@host/name, or set PGHOST"},
		{"DATABASE_URL=mysql://db/chat", "DATABASE_URL is not an address such as postgres://user:password@host/name: "},
		{"PGSSLMODE=maybe", "DATABASE_URL is not an address such as postgres://user:password@host/name: cannot parse `postgres://db/chat?sslmode=maybe`: "},
		{"PGSSLROOTCERT=/nowhere", "DATABASE_URL is not an address such as postgres://user:password@host/name: "},
		{"DATABASE_CONNECTIONS=-1", "DATABASE_CONNECTIONS must be 0 or more"},
		{"DATABASE_IDLE_TRANSACTION_TIMEOUT=-1s", "DATABASE_IDLE_TRANSACTION_TIMEOUT must be 0s or more"},
		{"REDIS_URL=", "REDIS_URL is missing"},
		{"EXTERNAL_HOST=http://chat.example", `EXTERNAL_HOST: "http://chat.example" is not a host such as chat.example`},
		{"EXTERNAL_HOST=chat.example/", `EXTERNAL_HOST: "chat.example/" is not a host`},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", `OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" is not an address such as http://`},
		{"CHAT_ADDR=8080", `CHAT_ADDR: "8080" is not an address`},
		{"METRICS_ADDR=x", `METRICS_ADDR: "x" is not an address`},
		{"PPROF_ADDR=x", `PPROF_ADDR: "x" is not an address`},
		{"SHUTDOWN_GRACE=5", `SHUTDOWN_GRACE: "5" is not a duration such as 500ms, 30s`},
		{"SHUTDOWN_GRACE=-5s", "SHUTDOWN_GRACE"},
		{"SHUTDOWN_DELAY=-5s", "SHUTDOWN_DELAY must be 0s or more"},
		{"REDIS_TOPOLOGY=ring", "REDIS_TOPOLOGY"},
		{"CHAT_COMPAT=maybe", `CHAT_COMPAT: "maybe" is neither true nor false`},
		{"LOG_LEVEL=loud", `LOG_LEVEL: "loud" is not debug, info, warn or error`},
		{"LOG_FORMAT=xml", "LOG_FORMAT"},
		{"EXTERNAL_SCHEME=ftp", "EXTERNAL_SCHEME"},
		{"JITSI_SERVER_URL=calls.example", `JITSI_SERVER_URL: "calls.example" is not an address such as https://meet.jit.si`},
		{"JITSI_SERVER_URL=javascript://calls.example", `JITSI_SERVER_URL: "javascript://calls.example" is not an address`},
		{"JITSI_SERVER_URL=https://ann:secret@calls.example", "JITSI_SERVER_URL"},
		{"HTTP_CONNECTIONS=-1", "HTTP_CONNECTIONS and PARKED_POLLS must be 0 or more"},
		{"PARKED_POLLS=many", `PARKED_POLLS: "many" is not a whole number`},
		{"LONG_POLLS=elsewhere", `LONG_POLLS: "elsewhere" is not own, parsed or nethttp`},
		{"CHAT_FAILPOINTS=nowhere=1", "CHAT_FAILPOINTS"},
		{"DATABASE_REPLICA_URL=postgres://chat:hunter2@db:x/chat", "DATABASE_REPLICA_URL: cannot parse `postgres://chat:xxxxx@db:x/chat`: "},
		{"DATABASE_CONNECTIONS=many", `DATABASE_CONNECTIONS: "many" is not a whole number`},
		{"DATABASE_STATEMENT_TIMEOUT=long", `DATABASE_STATEMENT_TIMEOUT: "long" is not a duration`},
		{"MAX_STREAMS=70000", `MAX_STREAMS: "70000" is not a whole number from 0 to 65535`},
		{"RATE_LIMIT_PER_USER=200", `RATE_LIMIT_PER_USER: "200" can't be read: a rate limit is a number of requests and a period, such as 200/60s`},
		{"RATE_LIMIT_LOGINS=5/day", `RATE_LIMIT_LOGINS: "5/day" can't be read: "day" is not a period`},
		{"TRUSTED_PROXIES=10.1.0.0", `TRUSTED_PROXIES: "10.1.0.0" can't be read: use private, none, or a list`},
		{"TIDE_COASTS=10.1.0.0", `TIDE_COASTS: "10.1.0.0" is not a list of networks such as 10.1.0.0/16`},
		{"TIDE_HEIGHT=low", `TIDE_HEIGHT: "low" is not a whole number`},
		{"TIDE_LOG_LEVEL=low", `TIDE_LOG_LEVEL: "low" is not a duration`},
	} {
		_, err := boot.Load(append(good, c.variable), &tide)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.variable, err, c.want)
		}
	}
}

func TestPasswordsAreNotLogged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, shown string }{
		{"", `"pgpassword":"***"`},
		{"postgres://ann:hunter2@nowhere.invalid/chat", "ann:xxxxx@nowhere.invalid/chat"},
		{"postgres:///chat?host=/nowhere&password=hunter2", "password=xxxxx"},
		{"host=/nowhere password=hunter2", `"database_url":"***"`},
	} {
		log := &output{}
		err := boot.Run(t.Context(), []string{
			"DATABASE_URL=" + c.url, "REDIS_URL=redis://:hunter2@nowhere.invalid",
			"PGHOST=nowhere.invalid", "PGDATABASE=chat", "PGUSER=ann", "PGPASSWORD=hunter2",
		}, log, boot.Program{Name: "test"})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.url, err)
		}
		if text := log.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, c.shown) {
			t.Errorf("%s is logged as %s", c.url, text)
		}
	}
}

// Shared is embedded in the settings of a program.
type Shared struct {
	Keep int `env:"KEEP" envDefault:"1"`
}

// Settings may be embedded and nested. Each is read, and logged once.
func TestSettingsAreLogged(t *testing.T) {
	t.Parallel()
	settings := struct {
		Shared
		Inner struct {
			Depth int `env:"DEPTH" envDefault:"2"`
		}
		Last int `env:"LAST" envDefault:"3"`
	}{}
	log := &output{}
	err := boot.Run(t.Context(), []string{"DATABASE_URL=postgres://nowhere.invalid/chat", "REDIS_URL=redis://nowhere.invalid"}, log, boot.Program{Name: "test", Settings: []any{&settings}})
	if err == nil {
		t.Fatal("the configuration has no server")
	}
	for _, want := range []string{`"keep":"1"`, `"depth":"2"`, `"last":"3"`} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("%s isn't logged exactly once: %s", want, log)
		}
	}
}

// Secrets are removed from the environment, where child processes and crash reports would contain them.
func TestSecretsLeaveTheEnvironment(t *testing.T) {
	secrets := map[string]string{"DATABASE_URL": "postgres://db/chat", "DATABASE_REPLICA_URL": "postgres://replica/chat", "PGPASSWORD": "hunter2", "REDIS_URL": "redis://redis"}
	for name, value := range secrets {
		t.Setenv(name, value)
	}
	config, err := boot.Load(os.Environ())
	if err != nil || config.Store.Password != "hunter2" {
		t.Errorf("%+v, %v", config, err)
	}
	for name := range secrets {
		if value, there := os.LookupEnv(name); there {
			t.Errorf("%s is still %s", name, value)
		}
	}
}
