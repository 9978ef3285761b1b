package testbed

import (
	"context"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/private"
)

// clusterNodes is how many nodes a test's Redis Cluster has.
const clusterNodes = 3

// formTime bounds how long servers may take to find each other.
const formTime = 30 * time.Second

// RedisCluster returns the URL of an empty Redis Cluster of three nodes that lasts as long as the test
// (redis.ParseClusterURL reads it), and its nodes. They keep what they confirmed when they are killed, but for its last
// second. Those that are left serve their part of the keys.
func RedisCluster(t testing.TB) (url string, nodes []*private.Redis) {
	t.Helper()
	cluster, err := private.StartRedisCluster(context.WithoutCancel(t.Context()), clusterNodes, private.Options{
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

// RedisSentinel returns the URL of an empty Redis behind a sentinel (redis.ParseFailoverURL reads it), the
// server that is the primary now, and the replica that takes its place a second after it is gone. They last
// as long as the test.
func RedisSentinel(t testing.TB) (url string, primary, replica *private.Redis) {
	t.Helper()
	first, second, port := freePort(t), freePort(t), freePort(t)
	primary = startRedis(t, map[string]string{"port": first, "bind": "127.0.0.1"})
	replica = startRedis(t, map[string]string{"port": second, "bind": "127.0.0.1", "replicaof": "127.0.0.1 " + first})
	watcher, err := private.StartSentinel(context.WithoutCancel(t.Context()), [][2]string{
		{"port", port},
		{"bind", "127.0.0.1"},
		{"sentinel monitor", "main 127.0.0.1 " + first + " 1"},
		{"sentinel down-after-milliseconds", "main 500"},
		{"sentinel failover-timeout", "main 5000"},
	})
	if err != nil {
		t.Fatalf("start a sentinel: %v", err)
	}
	t.Cleanup(func() { stopRedis(t, watcher) })
	client := redis.NewSentinelClient(&redis.Options{Addr: net.JoinHostPort("127.0.0.1", port)})
	t.Cleanup(func() { _ = client.Close() })
	until(t, "the sentinel knows the replica", func() bool {
		replicas := client.Replicas(t.Context(), "main").Val()
		return len(replicas) == 1 && replicas[0]["master-link-status"] == "ok" && replicas[0]["flags"] == "slave"
	})
	return "redis://127.0.0.1:" + port + "?master_name=main", primary, replica
}

func startRedis(t testing.TB, settings map[string]string) *private.Redis {
	t.Helper()
	server, err := private.StartRedis(context.WithoutCancel(t.Context()), private.Options{Settings: settings})
	if err != nil {
		t.Fatalf("start Redis: %v", err)
	}
	t.Cleanup(func() { stopRedis(t, server) })
	return server
}

func stopRedis(t testing.TB, server *private.Redis) {
	t.Helper()
	if err := server.Stop(); err != nil {
		t.Errorf("stop Redis: %v", err)
	}
}

// freePort returns a port that nobody listens at.
func freePort(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close() //nolint:errcheck // it was never used
	addr, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("%v is no TCP address", listener.Addr())
	}
	return strconv.Itoa(addr.Port)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for something.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(formTime); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it takes too long until %s", what)
		}
	}
}
