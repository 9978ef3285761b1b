//go:build e2e

package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// disk is a small disk of the node's, which a volume claim gets.
type disk struct {
	t    *testing.T
	path string // on the node
}

// newDisk makes a disk for the claim of a trial server. It goes with the test.
func newDisk(t *testing.T, namespace, claim string, megabytes int) disk {
	t.Helper()
	d := disk{t, "/run/node/disks/" + namespace + "-" + claim}
	d.onNode("umount", "-q", d.path) // of a run before
	d.must("mkdir", "-p", d.path)
	d.must("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm,uid=999,gid=999", megabytes), "tmpfs", d.path)
	apply(t, "", fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: %[1]s-%[2]s}
spec:
  capacity: {storage: 16Mi}
  accessModes: [ReadWriteOnce]
  storageClassName: small
  hostPath: {path: %[3]s}
  claimRef: {namespace: %[1]s, name: %[2]s}
`, namespace, claim, d.path))
	t.Cleanup(func() {
		d.onNode("umount", "--lazy", d.path)
		kubectl(t, "delete", "pv", namespace+"-"+claim, "--wait=false")
	})
	return d
}

func (d disk) onNode(command ...string) (string, error) {
	return run("", "hack/cluster", append([]string{"exec", "--"}, command...)...)
}

func (d disk) must(command ...string) {
	d.t.Helper()
	if out, err := d.onNode(command...); err != nil {
		d.t.Fatal(out, err)
	}
}

// fill leaves so many megabytes.
func (d disk) fill(left int) {
	d.t.Helper()
	d.must("sh", "-c", fmt.Sprintf("cd %s; dd if=/dev/zero of=ballast bs=4k 2>&1; truncate -s -%dM ballast", d.path, left))
}

func (d disk) free() {
	d.t.Helper()
	d.must("rm", d.path+"/ballast")
}

// TestFullDiskIsSaid fills the disks of PostgreSQL and Redis. Conditions name them, pods stay, people can read, and what
// can't be kept is refused: a message whose sending was confirmed can be read afterwards, and its event comes once.
func TestFullDiskIsSaid(t *testing.T) {
	long(t)
	install(t)
	t.Parallel()
	const name = "full"
	namespace(t, name)
	postgres, redis := newDisk(t, name, "data-full-postgres-0", 160), newDisk(t, name, "data-full-redis-0", 24)
	apply(t, name, strings.NewReplacer(
		"database: {mode: Ephemeral}", "database: {mode: Ephemeral, ephemeral: {storageClass: small, storageSize: 16Mi}}",
		"cache: {mode: Ephemeral}", "cache: {mode: Ephemeral, ephemeral: {storageClass: small, storageSize: 16Mi}}",
		"  webhook: {replicas: 1}", "  webhook: {replicas: 1}\n  settings: {rateLimitPerUser: 100000/1m}",
	).Replace(trial(name, version))+"---"+organization(name, name)+"---"+guests("org", name))
	object := "chatserver/" + name
	ready(t, name, object, "organization/org", "stream/news", "bot/crier", "incomingwebhook/hook")
	running := pods(t, name)
	crier := accountIn(t, name, "crier")
	at := address(t, name, name+"-api")
	api := func(method, path string, parameters form) error { // by its own connection: they are ended while conditions are waited for
		c := &connection{address: at}
		defer c.close()
		return c.call(crier, method, path, parameters, nil)
	}
	q, err := register(address(t, name, name+"-events"), crier)
	if err != nil {
		t.Fatal(err)
	}
	q.close()

	sent := []string(nil) // what was accepted
	send := func() error {
		content := fmt.Sprintf("mark %d %s", len(sent), strings.Repeat("x", 8000))
		err := api(http.MethodPost, "/messages", form{"type": "stream", "to": "news", "topic": "t", "content": content})
		if err == nil {
			sent = append(sent, content)
		}
		return err
	}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	reads := func(what string) {
		t.Helper()
		must(what, api(http.MethodGet, "/messages", form{"anchor": "newest", "num_before": "10", "num_after": "0"}))
		for pod, uid := range running {
			if now := pods(t, name)[pod]; now != uid {
				t.Errorf("%s: pod %s is gone", what, pod)
			}
		}
	}
	must("send", send())

	postgres.fill(8)
	says(t, name, object, "DependenciesReady", "DatabaseFailing", "PostgreSQL at full-postgres:5432 has less than 16 MB left", "free some space, or enlarge the disk",
		"data-full-postgres-0")
	says(t, name, object, "Ready", "DatabaseFailing", version+" is still serving")
	must("send while there is a little room", send())
	postgres.free()
	postgres.fill(0)
	refused := (*refusal)(nil)
	for end := time.Now().Add(time.Minute); refused == nil && time.Now().Before(end); {
		if err := send(); err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
	}
	if refused == nil || refused.status != http.StatusServiceUnavailable || !strings.Contains(refused.answer, "its disk is full") {
		t.Errorf("without room, after %d messages, the answer is %v", len(sent), refused)
	}
	reads("PostgreSQL's disk is full")
	postgres.free()
	ready(t, name, object)
	must("send with room again", send())

	redis.fill(0)
	says(t, name, object, "DependenciesReady", "CacheFailing", "Redis at full-redis:6379 can't write to its disk", "free some of the disk, or enlarge it", "data-full-redis-0")
	must("send while Redis is full", send())
	reads("Redis' disk is full")
	redis.free()
	ready(t, name, object)
	must("send with room again", send())

	defer q.close()
	got := []string(nil)
	eventually(t, time.Minute, func() error {
		messages, err := q.poll()
		if err != nil {
			return err
		}
		for _, m := range messages {
			got = append(got, m.Content)
		}
		if len(got) < len(sent) {
			return fmt.Errorf("%d of %d messages came", len(got), len(sent))
		}
		return nil
	})
	if strings.Join(got, "\n") != strings.Join(sent, "\n") {
		t.Errorf("%d messages came, and %d were sent; or in another order", len(got), len(sent))
	}
	reads("all is over")
}
