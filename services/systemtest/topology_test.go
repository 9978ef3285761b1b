package systemtest_test

import (
	"net/http"
	"net/url"
	"testing"

	"chatserver.dev/pkg/testbed"
)

// TestRedisTopologies sends a message, and polls for it, with each supported topology of Redis except a single server.
func TestRedisTopologies(t *testing.T) {
	t.Parallel()
	for _, topology := range []string{"sentinel", "cluster"} {
		t.Run(topology, func(t *testing.T) {
			t.Parallel()
			servers := StartServers(t)
			address := ""
			switch topology {
			case "sentinel":
				address, _, _ = testbed.RedisSentinel(t)
			case "cluster":
				address, _ = testbed.RedisCluster(t)
			}
			dir := t.TempDir()
			p := servers.Start(t, "chatserver", "CHAT_DEMO=true", "CHAT_LOCAL_DIR="+dir, "REDIS_URL="+address, "REDIS_TOPOLOGY="+topology)
			d := readDemo(t, dir)
			queue := register(t, p, d.Accounts[2])
			ask(t.Context(), t, http.MethodPost, p.URL()+"/api/v1/messages", d.Accounts[3],
				url.Values{"type": {"stream"}, "to": {"general"}, "topic": {"hello"}, "content": {"Over " + topology}})
			if got := poll(t.Context(), t, p, d.Accounts[2], queue); len(got) != 1 || got[0].Message.Content != "Over "+topology {
				t.Errorf("%+v", got)
			}
			p.Stop()
		})
	}
}
