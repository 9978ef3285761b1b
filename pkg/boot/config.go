package boot

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/push"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Values of LONG_POLLS.
const (
	pollsOwn    = "own"
	pollsParsed = "parsed"
	pollsStay   = "nethttp"
)

// Config is the configuration that all processes have in common. Parts have further settings, see [Program.Settings].
type Config struct {
	// Addr is the address of the HTTP server: a host, which may be empty for all interfaces, and a port.
	Addr string `env:"CHAT_ADDR" envDefault:"127.0.0.1:8080"`
	// MetricsAddr is where metrics are served for Prometheus; empty: nowhere.
	MetricsAddr string `env:"METRICS_ADDR"`
	// PprofAddr is where profiles are served under /debug/pprof/, without authentication; empty: nowhere.
	PprofAddr string `env:"PPROF_ADDR"`
	// Delay is how long a process continues to serve after a signal to end, so that load balancers notice that it isn't ready
	// any more. Meanwhile it closes each connection after a response.
	Delay time.Duration `env:"SHUTDOWN_DELAY" envDefault:"0s"`
	// Grace is how long requests may take to finish after the delay.
	Grace time.Duration `env:"SHUTDOWN_GRACE" envDefault:"25s"`
	// LongPolls is the server in which polls wait: own (package longpoll's), parsed (the same, but each request is parsed
	// like the connection's first) or nethttp (package http's, like all other requests).
	LongPolls string `env:"LONG_POLLS" envDefault:"own"`
	// Connections is the maximum number of connections in package http's server; 0: as GOMEMLIMIT allows, or any
	// number without it.
	Connections int `env:"HTTP_CONNECTIONS" envDefault:"0"`
	// ParkedPolls is the maximum number of connections of polls outside of package http's server, in which further ones
	// stay; 0: as for Connections.
	ParkedPolls int `env:"PARKED_POLLS" envDefault:"0"`
	// Compat permits existing clients of the same interface to work unmodified.
	Compat bool `env:"CHAT_COMPAT" envDefault:"true"`
	// Proxies are the proxies whose X-Forwarded-For is trusted.
	Proxies Proxies `env:"TRUSTED_PROXIES" envDefault:"private"`
	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info"`
	// LogFormat is text, json, or auto: text for terminals.
	LogFormat string `env:"LOG_FORMAT" envDefault:"auto"`
	// TraceEndpoint is where traces are sent by OTLP over HTTP; empty: nowhere.
	TraceEndpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	// Failpoints make the process die at certain points in tests. See [failpoint.Parse].
	Failpoints string `env:"CHAT_FAILPOINTS"`

	Store  store.Config
	Queue  queue.Config
	Limit  limit.Config
	Org    org.Config
	Images imagelink.Config
	// Providers are the identity providers by which people may sign in.
	Providers provider.Config
	Mail      mail.Config
	Files     blob.Config
	Push      push.Config
}

// check validates what parsing single variables can't.
func (c Config) check() error {
	const nowhere = ":0" // stands for an address that isn't set
	err := cmp.Or(c.Store.Check(), c.Queue.Check(), c.Images.Check(), c.Files.Check(), c.Providers.Check(), c.Mail.Check(), c.Push.Check(), c.Org.Check(), checkAddr("CHAT_ADDR", c.Addr),
		checkAddr("METRICS_ADDR", cmp.Or(c.MetricsAddr, nowhere)), checkAddr("PPROF_ADDR", cmp.Or(c.PprofAddr, nowhere)))
	if err != nil {
		return err
	}
	switch c.LogFormat {
	case "auto", "text", "json":
	default:
		return fmt.Errorf("LOG_FORMAT: %q is not auto, text or json", c.LogFormat)
	}
	if c.Connections < 0 || c.ParkedPolls < 0 {
		return errors.New("HTTP_CONNECTIONS and PARKED_POLLS must be 0 or more")
	}
	switch c.LongPolls {
	case pollsOwn, pollsParsed, pollsStay:
	default:
		return fmt.Errorf("LONG_POLLS: %q is not %s, %s or %s", c.LongPolls, pollsOwn, pollsParsed, pollsStay)
	}
	if u, err := url.Parse(c.TraceEndpoint); err != nil || c.TraceEndpoint != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %q is not an address such as http://collector.example:4318", c.TraceEndpoint)
	}
	if c.Delay < 0 {
		return errors.New("SHUTDOWN_DELAY must be 0s or more")
	}
	if c.Grace <= 0 {
		return errors.New("SHUTDOWN_GRACE must be more than 0s")
	}
	if _, err := failpoint.Parse(c.Failpoints); err != nil {
		return fmt.Errorf("CHAT_FAILPOINTS: %w", err)
	}
	return nil
}

func checkAddr(variable, addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return fmt.Errorf("%s: %q is not an address such as 127.0.0.1:8080 or :8080", variable, addr)
	}
	return nil
}
