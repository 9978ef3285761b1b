package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"chatserver.dev/pkg/fair"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/tcp"
)

const (
	// connectTime is the timeout of a connection attempt, unless the URL has connect_timeout.
	connectTime = 5 * time.Second
	// maxIdle is the idle time after which a connection is pinged before a statement that can't be repeated.
	maxIdle = time.Second
)

// pool is a pool of connections to the database as one role. Every wait for the server has a deadline. If it passes, the
// connection is closed, and so are all idle ones.
type pool struct {
	connections *pgxpool.Pool
	places      chan struct{}   // has an element for each connection that is in use, or that PostgreSQL refuses for now
	refused     atomic.Int64    // connections that PostgreSQL refused, since it has too many
	turns       *fair.Semaphore // of organizations' transactions
	answer      time.Duration   // deadline of operations that usually take no time
	waitTimeout time.Duration   // of waiting for a free connection, and of commits, which wait for disks
	longest     time.Duration   // of a transaction; 0: none
	statement   time.Duration   // timeout of a statement; 0: none
}

// poolOptions are the properties in which the pools of a database differ.
type poolOptions struct {
	login        login
	connections  int32                                  // maximum
	params       map[string]string                      // PostgreSQL's run-time parameters, besides those of all pools
	afterConnect func(context.Context, *pgx.Conn) error // called with each new connection; nil: nothing is called
}

func openPool(ctx context.Context, cfg Config, options poolOptions) (*pool, error) {
	config, err := pgxpool.ParseConfig(cfg.ConnString())
	if err != nil {
		return nil, fmt.Errorf("read DATABASE_URL: %w", err)
	}
	prepareDial(config.ConnConfig)
	prepareAbandon(config.ConnConfig)
	longest := time.Duration(0)
	if cfg.StatementTimeout > 0 {
		longest = cfg.StatementTimeout + cfg.answerTimeout()
	}
	config.MaxConns = options.connections
	config.MaxConnIdleTime = 5 * time.Minute
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, connectTime)
		defer cancel()
		if err := boundTransactions(ctx, conn, longest); err != nil || options.afterConnect == nil {
			return err
		}
		return options.afterConnect(ctx, conn)
	}
	// Most statements are repeated after finding a dead connection, so there is no need to ping before them.
	config.ShouldPing = func(_ context.Context, found pgxpool.ShouldPingParams) bool {
		found.Conn.PgConn().CustomData()[wasIdleKey] = found.IdleDuration > maxIdle
		return false
	}
	params := config.ConnConfig.RuntimeParams
	options.login.use(config.ConnConfig)
	params["statement_timeout"] = milliseconds(cfg.StatementTimeout)
	params["idle_in_transaction_session_timeout"] = milliseconds(cfg.IdleTimeout)
	params["timezone"] = "UTC"
	params["jit"] = "off" // compiling takes longer than any of our statements
	maps.Copy(params, options.params)
	if params["application_name"] == "" {
		params["application_name"] = options.login.role
	}
	opened, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return &pool{
		connections: opened, places: make(chan struct{}, config.MaxConns), turns: fair.NewSemaphore(int(config.MaxConns), max(1, int(config.MaxConns)*3/4)),
		answer: cfg.answerTimeout(), waitTimeout: 3 * cfg.answerTimeout(), longest: longest, statement: cfg.StatementTimeout,
	}, nil
}

// prepareDial bounds the time to connect, and makes connections notice that their server is gone.
func prepareDial(config *pgx.ConnConfig) {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	config.DialFunc = tcp.Dialer(0).DialContext
}

// boundTransactions sets the server's timeout of transactions; 0: none. The pool bounds them, too, but only the server can
// if this process is stopped or unreachable. PostgreSQL before 17 has no such timeout, and refuses connections that set it.
func boundTransactions(ctx context.Context, conn *pgx.Conn, longest time.Duration) error {
	major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), ".")
	if version, err := strconv.Atoi(major); err != nil || version < 17 || longest == 0 {
		return nil //nolint:nilerr // a version that isn't a number is a beta's; the pool bounds transactions, too
	}
	if _, err := conn.Exec(ctx, "set transaction_timeout = '"+milliseconds(longest)+"'"); err != nil {
		return fmt.Errorf("set transaction_timeout: %w", err)
	}
	return nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

// wasIdleKey is the key, in a connection's custom data, of whether it was idle for more than maxIdle before it was acquired.
const wasIdleKey = "was idle"

// acquire takes a connection, which may be dead. The caller must call release. While PostgreSQL accepts no more connections, the pool
// has places only for those that it has, and callers wait for these.
func (p *pool) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	waiting, cancel := context.WithTimeoutCause(ctx, p.waitTimeout, errNoConnection)
	defer cancel()
	for refused := error(nil); ; {
		select {
		case p.places <- struct{}{}:
		case <-waiting.Done():
			return nil, waitError(ctx, waiting, refused)
		}
		conn, err := p.connections.Acquire(waiting)
		if err == nil {
			return conn, nil
		}
		if refused = err; !hasState(err, tooManyConnections) {
			p.leave()
			return nil, waitError(ctx, waiting, err)
		}
		p.refused.Add(1)
		time.AfterFunc(refusedPause, p.leave)
	}
}

func (p *pool) leave() { <-p.places }

// refusedPause is how long a place stays empty after PostgreSQL refused a connection.
const refusedPause = time.Second

var errNoConnection = errors.New("no connection to PostgreSQL became free: all are in use, or new ones can't be opened")

// acquireAlive takes a connection for a statement that can't be repeated. It pings connections that were idle for long.
func (p *pool) acquireAlive(ctx context.Context) (*pgxpool.Conn, error) {
	for {
		conn, err := p.acquire(ctx)
		if err != nil {
			return nil, err
		}
		if wasIdle, _ := conn.Conn().PgConn().CustomData()[wasIdleKey].(bool); !wasIdle {
			return conn, nil
		}
		bounded, cancel := context.WithTimeout(ctx, p.answer/3)
		err = conn.Ping(bounded)
		cancel()
		if err == nil {
			return conn, nil
		}
		p.release(ctx, conn)
		if ctx.Err() != nil {
			return nil, err
		}
	}
}

// release returns a connection to the pool, and reports whether it broke. Others may have broken with it, so idle
// connections are closed, too, unless ctx was canceled: then the connection may have been closed for that reason.
func (p *pool) release(ctx context.Context, conn *pgxpool.Conn) (broken bool) {
	defer p.leave()
	if !conn.Conn().IsClosed() {
		conn.Release()
		return false
	}
	// Package pgx closes it in the background, which may take 15 seconds. Meanwhile it mustn't count in the pool.
	conn.Hijack()
	if !errors.Is(ctx.Err(), context.Canceled) {
		p.connections.Reset()
	}
	return true
}

// ask runs statements that can be repeated: if the connection breaks, it runs them once more on another one. Each attempt
// has the time limit. If the database can't be reached, the error is one for clients.
func ask[T any](ctx context.Context, p *pool, limit time.Duration, work func(ctx context.Context, conn *pgx.Conn) (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		result, broken, err := askOnce(ctx, p, limit, work)
		if !broken || attempt == 2 || ctx.Err() != nil {
			return result, explained(ctx, err, broken)
		}
	}
}

func askOnce[T any](ctx context.Context, p *pool, limit time.Duration, work func(ctx context.Context, conn *pgx.Conn) (T, error),
) (result T, broken bool, err error) {
	conn, err := p.acquire(ctx)
	if err != nil {
		return result, false, err
	}
	defer func() { broken = p.release(ctx, conn) }()
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err = work(bounded, conn.Conn())
	return result, false, err
}

// transaction runs work in a transaction of an organization. again reports that the connection broke and nothing is stored, so that it can be
// repeated. If reads is set, errors of the commit are ignored.
func (p *pool) transaction(ctx context.Context, org id.Org, begin string, reads bool, work func(tx pgx.Tx) error) (again bool, err error) {
	end, err := p.turn(ctx, org)
	if err != nil {
		return false, err
	}
	defer end()
	conn, err := p.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer func() {
		broken := p.release(ctx, conn)
		err = explained(ctx, err, broken)
		again = broken && errors.Is(err, ErrUnavailable)
	}()
	if p.longest > 0 {
		// Statements have only the server's timeout, and the server may be gone.
		raw := conn.Conn().PgConn().Conn()
		watchdog := time.AfterFunc(p.longest, func() { _ = raw.Close() })
		defer func() {
			if !watchdog.Stop() {
				_ = conn.Conn().Close(ctx)
				err = tooLong(err)
			}
		}()
	}
	beginning, cancel := context.WithTimeout(ctx, p.answer)
	tx, err := conn.BeginTx(beginning, pgx.TxOptions{BeginQuery: begin})
	cancel()
	if err != nil {
		return false, err
	}
	done := false
	defer func() {
		if !done {
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.answer)
			defer cancel()
			_ = tx.Rollback(ending) // if that fails, the connection is closed, which ends the transaction, too
		}
	}()
	if err := work(tx); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	done = true
	finishing, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.waitTimeout)
	defer cancel()
	switch err := tx.Commit(finishing); {
	case err == nil || reads:
		return false, nil
	case conn.Conn().IsClosed() && !rolledBack(err):
		return false, ErrUnsure.Wrap(err)
	default:
		return false, err
	}
}

// tooLong returns the error of a transaction that was ended by its timeout.
func tooLong(err error) error {
	if err == nil || errors.Is(err, ErrUnsure) {
		return err
	}
	return ErrSlow.Wrap(err)
}

// rolledBack reports whether err proves that nothing of its transaction is stored: the server refused a statement. After
// a failure of the connection, that is unknown.
func rolledBack(err error) bool {
	refusal := (*pgconn.PgError)(nil)
	return errors.Is(err, pgx.ErrTxCommitRollback) || errors.As(err, &refusal) && !isGoing(refusal)
}
