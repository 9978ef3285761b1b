package queue

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"chatserver.dev/pkg/tcp"
)

// The ways in which Redis may be set up.
const (
	single   = "single"   // one server
	sentinel = "sentinel" // one server at a time, which sentinels name
	cluster  = "cluster"  // a Redis Cluster
)

// mapLife is how old a client's map of a Redis Cluster may be, and so how soon it uses the server that took over from one
// that is gone.
const mapLife = time.Second

// Config is where Redis is.
type Config struct {
	// URL is redis://… or rediss://… or unix://…; Redis 7 or later. Of several sentinels or nodes it names
	// one, and the others as ?addr=host:port&addr=…; with sentinels master_name says which server they watch.
	// The user and the password are the sentinels', too, unless ?username= and ?password= set the server's.
	URL string `env:"REDIS_URL,unset"`
	// Topology is single, sentinel or cluster; empty: single.
	Topology string `env:"REDIS_TOPOLOGY" envDefault:"single"`
	// CAFile has the certificates of who may sign the servers', in place of the system's.
	CAFile string `env:"REDIS_CA_FILE"`
}

// Check reports what is missing or can't be read.
func (c Config) Check() error {
	if c.URL == "" {
		return errors.New("REDIS_URL is missing: it is redis://host:6379/0, or rediss:// or unix://")
	}
	switch c.Topology {
	case "", single, sentinel, cluster:
	default:
		return fmt.Errorf("REDIS_TOPOLOGY: %q is none of single, sentinel and cluster", c.Topology)
	}
	if c.CAFile != "" && !strings.HasPrefix(c.URL, "rediss://") {
		return errors.New("REDIS_CA_FILE is for TLS only: begin REDIS_URL with rediss://")
	}
	return nil
}

// Connect opens a client for Config; it connects when it is first used.
func Connect(cfg Config) (redis.UniversalClient, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	logging.Disable() // for the whole process: what fails is in the errors of the calls, which are logged with their context
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch cfg.Topology {
	case sentinel:
		options, err := redis.ParseFailoverURL(cfg.URL)
		if err != nil {
			return nil, unreadable(err)
		}
		if options.MasterName == "" {
			return nil, errors.New("REDIS_URL lacks the name that the sentinels know the server by: add ?master_name=…")
		}
		if options.Username == "" && options.Password == "" {
			options.Username, options.Password = options.SentinelUsername, options.SentinelPassword
		}
		if options.Dialer, err = cfg.reach(options.TLSConfig, &options.DialTimeout, &options.ReadTimeout, &options.ContextTimeoutEnabled); err != nil {
			return nil, err
		}
		return bounded(redis.NewFailoverClient(options), options.ReadTimeout), nil
	case cluster:
		options, err := redis.ParseClusterURL(cfg.URL)
		if err != nil {
			return nil, unreadable(err)
		}
		options.MaintNotificationsConfig, options.ClusterStateReloadInterval = quiet, mapLife
		if options.Dialer, err = cfg.reach(options.TLSConfig, &options.DialTimeout, &options.ReadTimeout, &options.ContextTimeoutEnabled); err != nil {
			return nil, err
		}
		return bounded(redis.NewClusterClient(options), options.ReadTimeout), nil
	default:
		options, err := redis.ParseURL(cfg.URL)
		if err != nil {
			return nil, unreadable(err)
		}
		options.MaintNotificationsConfig = quiet
		if options.Dialer, err = cfg.reach(options.TLSConfig, &options.DialTimeout, &options.ReadTimeout, &options.ContextTimeoutEnabled); err != nil {
			return nil, err
		}
		return bounded(redis.NewClient(options), options.ReadTimeout), nil
	}
}

func unreadable(err error) error { return fmt.Errorf("read REDIS_URL: %w", err) }

// reach sets the timeouts that REDIS_URL doesn't, and completes the options for TLS (nil: without). It returns what makes
// connections that notice that their server is gone. A call's deadline holds, even where Redis hangs.
func (c Config) reach(secure *tls.Config, dial, read *time.Duration, byContext *bool) (func(ctx context.Context, network, address string) (net.Conn, error), error) {
	*dial, *read, *byContext = cmp.Or(*dial, answerTime), cmp.Or(*read, answerTime), true
	plain := tcp.Dialer(*dial)
	if secure == nil {
		return plain.DialContext, nil
	}
	if c.Topology == sentinel || c.Topology == cluster {
		secure.ServerName = "" // each server has its own, by which it is dialled
	}
	if c.CAFile != "" {
		text, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, fmt.Errorf("REDIS_CA_FILE: %w", err)
		}
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("REDIS_CA_FILE: %s has no certificate in PEM form", c.CAFile)
		}
	}
	return (&tls.Dialer{NetDialer: plain, Config: secure}).DialContext, nil
}

// onServers calls do for each server that takes writes, for several at once.
func onServers(ctx context.Context, client redis.UniversalClient, do func(ctx context.Context, server *redis.Client) error) error {
	switch client := client.(type) {
	case *redis.ClusterClient:
		return client.ForEachMaster(ctx, do)
	case *redis.Client:
		return do(ctx, client)
	default:
		return fmt.Errorf("a %T is no client that Connect makes", client)
	}
}

// isCluster reports whether shards may be on different servers.
func isCluster(client redis.UniversalClient) bool {
	_, ok := client.(*redis.ClusterClient)
	return ok
}

// serverOf returns the server that has a shard. The caller bounds its calls.
func serverOf(ctx context.Context, client redis.UniversalClient, shard int) (redis.Cmdable, error) {
	if spread, ok := client.(*redis.ClusterClient); ok {
		return spread.MasterForKey(ctx, prefix(shard))
	}
	return client, nil
}
