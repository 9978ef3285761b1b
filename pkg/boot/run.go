package boot

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatserver.dev/pkg/longpoll"
	"chatserver.dev/pkg/product"
	"chatserver.dev/pkg/tcp"
)

const (
	// headerTime is how long a client may take to send a request's head.
	headerTime = 10 * time.Second
	// idleTime is how long a connection stays open without a request: longer than the time between two polls.
	idleTime = 120 * time.Second
	// headerBytes is the maximum size of a request's head.
	headerBytes = 16 << 10
)

// Run runs the program until ctx ends, SIGINT or SIGTERM is received, or a part fails. It returns nil after an orderly
// shutdown. The log is written to out.
func Run(ctx context.Context, environ []string, out io.Writer, program Program) (err error) {
	config, err := Load(environ, program.Settings...)
	if err != nil {
		return err
	}
	logger := newLogger(config, out)
	setGarbagePercent(program, environ)
	defer leaveMemory(program)()
	ctx, release := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer release()
	logger.LogAttrs(ctx, slog.LevelInfo, "starting", append(
		[]slog.Attr{slog.String("program", program.Name), slog.String("version", product.Version())},
		show(append([]any{&config}, program.Settings...)...)...)...)

	t, err := startTelemetry(ctx, config, program.Name, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.stop(context.WithoutCancel(ctx))) }()
	p, err := connect(ctx, program, config, time.Now, t, logger) //nolint:forbidigo // the origin of the clock
	if err != nil {
		return err
	}
	defer p.close()
	if program.Prepare != nil {
		if err := program.Prepare(ctx, p.deps); err != nil {
			return err
		}
	}
	parts, err := p.allParts(ctx)
	if err != nil {
		return err
	}
	listener := program.Listener
	if listener == nil {
		if listener, err = Listen(ctx, "CHAT_ADDR", config.Addr); err != nil {
			return err
		}
	}
	return p.serveParts(ctx, parts, listener, release)
}

// setGarbagePercent sets the program's value of GOGC, unless the environment has one.
func setGarbagePercent(program Program, environ []string) {
	isSet := slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "GOGC=") })
	if program.GarbagePercent > 0 && !isSet {
		debug.SetGCPercent(program.GarbagePercent)
	}
}

// allParts returns the program's parts and those that every process has, in the order of their start.
func (p *process) allParts(ctx context.Context) ([]Part, error) {
	own, err := p.program.Parts(p.deps)
	if err != nil {
		return nil, err
	}
	internal, err := internalParts(ctx, p.deps.Config, p.telemetry.metrics, p.deps.Logger)
	if err != nil {
		return nil, err
	}
	common := []Part{{Name: "waker", Run: p.waker.Run}, {Name: "accounts", Run: p.deps.Accounts.Watch}}
	return slices.Concat(internal, common, own), nil
}

// serveParts runs the parts and serves their endpoints until ctx ends or a part fails. release lets a second signal end the
// process.
func (p *process) serveParts(ctx context.Context, parts []Part, listener net.Listener, release func()) error {
	config, logger, now := p.deps.Config, p.deps.Logger, p.deps.Now
	memory := debug.SetMemoryLimit(-1)
	returned := longpoll.NewReturnListener(listener.Addr())
	polls := longpoll.Config{
		Path: pollPath, Number: pollNumber, MaxConns: bound(config.ParkedPolls, memory, memoryPerParked),
		HandBack: returned.HandBack, Idle: idleTime, Now: now, Logger: logger,
	}
	if config.LongPolls == pollsParsed {
		polls.Number = ""
	}
	waiting := longpoll.New(context.WithoutCancel(ctx), polls)
	maxConns, files := bound(config.Connections, memory, memoryPerConnection), descriptors()
	limiter := newConnLimiter(maxConns, files, now, logger)
	h := newHealth(p.deps, parts)
	server := newServer(clientTimes(), p.newHandler(parts, h, waiting, limiter), logger)
	limiter.watch(server)
	limited := func(listener net.Listener) net.Listener {
		turns := pace(listener, maxWaiting(maxConns, files), now)
		return limiter.listener(turns, turns.lastWaited)
	}
	s := service{process: p, parts: parts, health: h, server: server, waiting: waiting, release: release}
	return s.run(ctx, limited(listener), limited(returned))
}

// Listen opens an address from the named variable. If it is in use, the error says what to do.
func Listen(ctx context.Context, variable, addr string) (net.Listener, error) {
	listener, err := tcp.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("the address %s is in use by another program (or another chatserver): stop that, or choose "+
			"another address by %s, such as %s=%s", addr, variable, variable, nextPort(addr))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return listener, nil
}

// nextPort returns the address with another port, for the error message.
func nextPort(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "8081" {
		return net.JoinHostPort(host, "8082")
	}
	return net.JoinHostPort(host, "8081")
}

func newHealth(d Deps, parts []Part) *health {
	h := &health{now: d.Now, logger: d.Logger, checks: []check{{"database", d.DB.Ping}, {"redis", d.Redis.Ping}}}
	for _, part := range parts {
		if part.Ready != nil {
			h.checks = append(h.checks, check{part.Name, part.Ready})
		}
	}
	return h
}

// newServer returns a server with limits on the time that clients take, but none for handlers: polls wait.
func newServer(limits times, handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           limits.bounded(handler, time.Now), //nolint:forbidigo // connections have the system's time
		ReadHeaderTimeout: headerTime, ReadTimeout: limits.body, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

// internalParts returns the parts that serve metrics and profiles. They have different addresses because profiles expose a
// process's memory, so access to metrics must not include them.
func internalParts(ctx context.Context, config Config, metrics http.Handler, logger *slog.Logger) ([]Part, error) {
	profiles := http.NewServeMux()
	profiles.HandleFunc("GET /debug/pprof/", pprof.Index)
	profiles.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	profiles.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	numbers := http.NewServeMux()
	numbers.Handle("GET /metrics", metrics)
	parts := []Part(nil)
	for _, s := range []struct {
		name, variable, addr string
		handler              http.Handler
	}{{"metrics", "METRICS_ADDR", config.MetricsAddr, numbers}, {"profiles", "PPROF_ADDR", config.PprofAddr, profiles}} {
		if s.addr == "" {
			continue
		}
		listener, err := Listen(ctx, s.variable, s.addr)
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{Name: s.name, Run: func(ctx context.Context) error { return serve(ctx, s.name, listener, s.handler, logger) }})
	}
	return parts, nil
}

// Serve returns a part that serves a handler at another address, from the named variable, over TLS unless secured is nil.
// When it ends, it aborts requests.
func Serve(name, variable, addr string, secured *tls.Config, handler http.Handler, logger *slog.Logger) Part {
	return Part{Name: name, Run: func(ctx context.Context) error {
		listener, err := Listen(ctx, variable, addr)
		if err != nil {
			return err
		}
		if secured != nil {
			listener = tls.NewListener(listener, secured)
		}
		return serve(ctx, name, listener, handler, logger)
	}}
}

func serve(ctx context.Context, name string, listener net.Listener, handler http.Handler, logger *slog.Logger) error {
	server := newServer(clientTimes(), handler, logger)
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // clients retry
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", name, err)
	}
	return nil
}
