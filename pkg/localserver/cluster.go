package localserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// slots is the number of slots in a Redis Cluster.
	slots = 16384
	// formTime is the time limit for forming a Redis Cluster, and formPeriod is the interval at which its nodes are
	// asked.
	formTime, formPeriod = 30 * time.Second, 20 * time.Millisecond
)

// RedisCluster is a Redis Cluster without replicas. Each node has an equal part of the slots, and the remaining nodes
// keep serving theirs when others are stopped.
type RedisCluster struct {
	URL   string // in the form that go-redis' ParseClusterURL accepts
	Nodes []*Redis
}

// StartRedisCluster starts a Redis Cluster, each node like [StartRedis] in its own folder.
func StartRedisCluster(ctx context.Context, nodes int, options Options) (c *RedisCluster, err error) {
	c = &RedisCluster{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	addrs := make([]string, nodes)
	for i := range nodes {
		addr, err := FreeAddr(ctx)
		if err != nil {
			return c, err
		}
		other, err := FreeAddr(ctx)
		if err != nil {
			return c, err
		}
		_, port, _ := net.SplitHostPort(addr)
		_, bus, _ := net.SplitHostPort(other)
		own := options
		if own.Settings = maps.Clone(options.Settings); own.Settings == nil {
			own.Settings = map[string]string{}
		}
		maps.Copy(own.Settings, map[string]string{
			"port": port, "bind": "127.0.0.1", "cluster-enabled": "yes", "cluster-port": bus, "cluster-node-timeout": "2000",
			"cluster-require-full-coverage": "no",
		})
		if options.Dir != "" {
			own.Dir = filepath.Join(options.Dir, strconv.Itoa(i))
		}
		node, err := StartRedis(ctx, own)
		if err != nil {
			return c, err
		}
		c.Nodes, addrs[i] = append(c.Nodes, node), addr
		for _, line := range []struct {
			to   *Redis
			text string
		}{
			{node, fmt.Sprintf("cluster addslotsrange %d %d", slots*i/nodes, slots*(i+1)/nodes-1)},
			{c.Nodes[0], fmt.Sprintf("cluster meet 127.0.0.1 %s %s", port, bus)},
		} {
			if answer, err := ask(line.to.socket, line.text+"\r\n"); err != nil || answer != "+OK\r\n" {
				return c, fmt.Errorf("form a Redis Cluster: %s: %q: %w", line.text, answer, err)
			}
		}
	}
	c.URL = "redis://" + addrs[0] + "?addr=" + strings.Join(addrs[1:], "&addr=")
	return c, c.formed(ctx)
}

// formed waits until each node has the addresses of all slots.
func (c *RedisCluster) formed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, formTime)
	defer cancel()
	for _, node := range c.Nodes {
		for {
			answer, err := ask(node.socket, "cluster info\r\n")
			if err == nil && strings.Contains(answer, "cluster_state:ok") && strings.Contains(answer, fmt.Sprintf("cluster_slots_assigned:%d", slots)) {
				break
			}
			if err := wait(ctx, formPeriod); err != nil {
				return fmt.Errorf("the Redis Cluster isn't formed: %w", err)
			}
		}
	}
	return nil
}

// Stop stops all nodes.
func (c *RedisCluster) Stop() error {
	errs := make([]error, len(c.Nodes))
	for i, node := range c.Nodes {
		errs[i] = node.Stop()
	}
	return errors.Join(errs...)
}
