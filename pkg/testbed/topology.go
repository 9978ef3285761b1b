package testbed

import (
	"context"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/localserver"
)

// clusterNodes is the number of nodes in a test's Redis Cluster.
const clusterNodes = 3

// RedisCluster returns the URL of an empty Redis Cluster of three nodes, for redis.ParseClusterURL, and its nodes. It
// runs until the test ends. If a node is killed, it keeps confirmed data except for the last second, and the other
// nodes keep serving their part of the keys.
func RedisCluster(t testing.TB) (url string, nodes []*localserver.Redis) {
	t.Helper()
	cluster, err := localserver.StartRedisCluster(context.WithoutCancel(t.Context()), clusterNodes, localserver.Options{
		Settings: map[string]string{"appendonly": "yes"},
	})
	if err != nil {
		t.Fatalf("start a Redis Cluster: %v", err)
	}
	for _, node := range cluster.Nodes {
		t.Cleanup(func() { stopRedis(t, node) })
	}
	return cluster.URL, cluster.Nodes
}

// RedisSentinel returns the URL of an empty Redis behind a sentinel, for redis.ParseFailoverURL, the current primary,
// and the replica that replaces it a second after it has failed. They run until the test ends.
func RedisSentinel(t testing.TB) (url string, primary, replica *localserver.Redis) {
	t.Helper()
	port := func() string {
		_, port, err := net.SplitHostPort(FreeAddr(t))
		must(t, err)
		return port
	}
	first, second, own := port(), port(), port()
	primary = startRedis(t, map[string]string{"port": first, "bind": "127.0.0.1"})
	replica = startRedis(t, map[string]string{"port": second, "bind": "127.0.0.1", "replicaof": "127.0.0.1 " + first})
	watcher, err := localserver.StartSentinel(context.WithoutCancel(t.Context()), [][2]string{
		{"port", own},
		{"bind", "127.0.0.1"},
		{"sentinel monitor", "main 127.0.0.1 " + first + " 1"},
		{"sentinel down-after-milliseconds", "main 500"},
		{"sentinel failover-timeout", "main 5000"},
	})
	if err != nil {
		t.Fatalf("start a sentinel: %v", err)
	}
	t.Cleanup(func() { stopRedis(t, watcher) })
	client := redis.NewSentinelClient(&redis.Options{Addr: net.JoinHostPort("127.0.0.1", own)})
	t.Cleanup(func() { _ = client.Close() })
	Until(t, "the sentinel knows the replica", func() bool {
		replicas := client.Replicas(t.Context(), "main").Val()
		return len(replicas) == 1 && replicas[0]["master-link-status"] == "ok" && replicas[0]["flags"] == "slave"
	})
	return "redis://127.0.0.1:" + own + "?master_name=main", primary, replica
}

func startRedis(t testing.TB, settings map[string]string) *localserver.Redis {
	t.Helper()
	server, err := localserver.StartRedis(context.WithoutCancel(t.Context()), localserver.Options{Settings: settings})
	if err != nil {
		t.Fatalf("start Redis: %v", err)
	}
	t.Cleanup(func() { stopRedis(t, server) })
	return server
}

func stopRedis(t testing.TB, server *localserver.Redis) {
	t.Helper()
	if err := server.Stop(); err != nil {
		t.Errorf("stop Redis: %v", err)
	}
}

// FreeAddr is [localserver.FreeAddr].
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, err := localserver.FreeAddr(t.Context())
	must(t, err)
	return addr
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
