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

// The topologies of Redis.
const (
	single   = "single"   // one server
	sentinel = "sentinel" // one primary server, determined by sentinels
	cluster  = "cluster"  // a Redis Cluster
)

// mapLife is the maximum age of a client's map of a Redis Cluster, and so the time until it uses the new server after a
// failover.
const mapLife = time.Second

// Config says where Redis is.
type Config struct {
	// URL is redis://… or rediss://… or unix://…; Redis 7 or later. If there are several sentinels or nodes, it contains
	// one, and the others as ?addr=host:port&addr=…. With sentinels, master_name is the name of the server that they watch.
	// The user and the password are also the sentinels', unless ?username= and ?password= set the server's.
	URL string `env:"REDIS_URL,unset"`
	// Topology is single, sentinel or cluster; empty: single.
	Topology string `env:"REDIS_TOPOLOGY" envDefault:"single"`
	// CAFile is the file with the certificates of the authorities that sign the servers' certificates. Empty: the system's.
	CAFile string `env:"REDIS_CA_FILE"`
}

// Check returns an error that says what is missing or invalid.
func (c Config) Check() error {
	if c.URL == "" {
		return errors.New("REDIS_URL is missing: set it to the address of Redis, such as redis://host:6379/0 (or rediss://, or unix://)")
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

// Connect returns a client, which connects when it is first used.
func Connect(cfg Config) (redis.UniversalClient, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	logging.Disable() // for the whole process: the calls' errors are logged with their context
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

func unreadable(err error) error {
	return fmt.Errorf("REDIS_URL is not an address such as redis://host:6379/0: %w", err)
}

// reach sets the timeouts that REDIS_URL doesn't, makes calls obey their contexts' deadlines, and completes the options for
// TLS (nil: without). It returns a dialer whose connections notice that their server is gone.
func (c Config) reach(secure *tls.Config, dial, read *time.Duration, byContext *bool) (func(ctx context.Context, network, address string) (net.Conn, error), error) {
	*dial, *read, *byContext = cmp.Or(*dial, answerTime), cmp.Or(*read, answerTime), true
	plain := tcp.Dialer(*dial)
	if secure == nil {
		return plain.DialContext, nil
	}
	if c.Topology == sentinel || c.Topology == cluster {
		secure.ServerName = "" // each server has its own: the name that is dialled
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

// onServers calls do for each server that accepts writes, concurrently.
func onServers(ctx context.Context, client redis.UniversalClient, do func(ctx context.Context, server *redis.Client) error) error {
	switch client := client.(type) {
	case *redis.ClusterClient:
		return client.ForEachMaster(ctx, do)
	case *redis.Client:
		return do(ctx, client)
	default:
		return fmt.Errorf("a %T isn't a client that Connect makes", client)
	}
}

// isCluster reports whether shards may be on different servers.
func isCluster(client redis.UniversalClient) bool {
	_, ok := client.(*redis.ClusterClient)
	return ok
}

// serverOf returns the server that has a shard. The caller sets the deadlines of its calls.
func serverOf(ctx context.Context, client redis.UniversalClient, shard int) (redis.Cmdable, error) {
	if spread, ok := client.(*redis.ClusterClient); ok {
		return spread.MasterForKey(ctx, prefix(shard))
	}
	return client, nil
}
