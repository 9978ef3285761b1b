package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/testcluster"
	"chatserver.dev/pkg/testbed"
)

var cluster *testcluster.Cluster

func TestMain(m *testing.M) {
	testcluster.Main(m, func(c *testcluster.Cluster) { cluster = c })
}

// images are the flags that have no default.
func images() []string {
	return []string{"-repository=registry.test/chat", "-postgres-image=postgres:test", "-redis-image=redis:test"}
}

func TestSettings(t *testing.T) {
	s, err := parse(append(images(), "-watch-namespaces=b,a,b", "-log-level=debug"), []string{"POD_NAMESPACE=own", "WATCH_NAMESPACES=c", "RESYNC=5m", "LEADER_ELECT=false"}, io.Discard)
	if err != nil || !slices.Equal(s.namespaces, []string{"a", "b"}) || s.own != "own" || s.elect || s.resync != 5*time.Minute || s.level.String() != "DEBUG" {
		t.Errorf("%+v, %v", s, err)
	}
	if s.lease != "chatserver-operator" || s.metricsAddr != ":9090" || s.healthAddr != ":8081" ||
		s.defaults != (inputs.Defaults{Namespace: "own", Repository: "registry.test/chat", PostgresImage: "postgres:test", RedisImage: "redis:test"}) {
		t.Errorf("defaults %+v", s)
	}
	for _, c := range []struct {
		environ []string
		want    int64
	}{{[]string{"MEMORY_LIMIT=268435456"}, 241591905}, {[]string{"MEMORY_LIMIT=268435456", "GOMEMLIMIT=200MiB"}, 0}, {nil, 0}} {
		if s, err := parse(append(images(), "-namespace=a"), c.environ, io.Discard); err != nil || s.memory != c.want {
			t.Errorf("with %v: %d, %v", c.environ, s.memory, err)
		}
	}
	for environ, want := range map[string]int{"": 50, "GOGC=": 50, "GOGC=200": 0} {
		if s, err := parse(append(images(), "-namespace=a"), []string{environ}, io.Discard); err != nil || s.garbage != want {
			t.Errorf("with %q: %d, %v", environ, s.garbage, err)
		}
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "POD_NAMESPACE"},
		{[]string{"-namespace=a", "-watch-namespaces=a,B!"}, `"B!" is not a valid namespace name`},
		{[]string{"-namespace=a", "-resync=soon"}, `"soon" is not a duration`},
		{[]string{"-namespace=a", "-memory-limit=256Mi"}, `"256Mi" is not a number of bytes`},
		{[]string{"-namespace=a", "more"}, `unexpected argument "more"`},
		{[]string{"-namespace=a", "-log-level=loud"}, "log-level"},
		{[]string{"-nothing"}, "-nothing"},
	} {
		if _, err := parse(append(images(), c.args...), nil, io.Discard); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("with %v: %v", c.args, err)
		}
	}
	for _, c := range []struct{ variable, says string }{
		{"LEADER_ELECT=yes", `LEADER_ELECT: invalid value "yes"`}, {"LOG_LEVEL=loud", `LOG_LEVEL: invalid value "loud"`}, {"RESYNC=soon", `"soon" is not a duration`},
	} {
		if _, err := parse(append(images(), "-namespace=a"), []string{c.variable}, io.Discard); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("with %s: %v", c.variable, err)
		}
	}
	for _, no := range []string{"false", "False", "0"} {
		if s, err := parse(images(), []string{"LEADER_ELECT=" + no, "LOG_LEVEL="}, io.Discard); err != nil || s.elect {
			t.Errorf("with LEADER_ELECT=%s: %+v, %v", no, s, err)
		}
	}
	help := &strings.Builder{}
	_, _ = parse([]string{"-help"}, nil, help)
	for name, variable := range variables() {
		if !strings.Contains(help.String(), "-"+name) || !strings.Contains(help.String(), "("+variable+")") {
			t.Errorf("-help doesn't name %s (%s):\n%s", name, variable, help)
		}
	}
	for i, flag := range images() {
		name, _, _ := strings.Cut(flag, "=")
		if _, err := parse(slices.Delete(images(), i, i+1), []string{"POD_NAMESPACE=own"}, io.Discard); err == nil || !strings.Contains(err.Error(), name+" is missing") {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// kubeconfig writes a file with the access of the operator.
func kubeconfig(t *testing.T) string {
	t.Helper()
	config := cluster.Operator()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {
			Token:       config.BearerToken,
			Impersonate: config.Impersonate.UserName, ImpersonateGroups: config.Impersonate.Groups,
		}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	}, file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The operator waits for an API server that is away when it starts.
func TestTheAPIServerIsBackLater(t *testing.T) {
	access := cluster.Operator()
	address := strings.Trim(strings.TrimPrefix(access.Host, "https://"), "/")
	away := testbed.FreeAddr(t)
	access.Host = "https://" + away
	log, ended := make(chan string, 100), make(chan error, 1)
	go func() {
		ended <- awaitServer(t.Context(), access, slog.New(slog.NewTextHandler(lines(log), nil)))
	}()
	select {
	case line := <-log:
		if !strings.Contains(line, "waiting for the API server") || !strings.Contains(line, "connection refused") {
			t.Errorf("it says %s", line)
		}
	case err := <-ended:
		t.Fatalf("it ended: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("it doesn't say that it waits")
	}
	forward(t, away, address)
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it still waits")
	}
}

// lines receives what is written.
type lines chan<- string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// forward passes connections to an address on to another one.
func forward(t *testing.T, from, to string) {
	t.Helper()
	listener, err := net.Listen("tcp", from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
}

// allowLease grants the operator the permissions that its chart grants in its own namespace.
func allowLease(t *testing.T, admin client.Client) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "lease"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "lease"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "lease"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: cluster.Operator().Impersonate.UserName}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheProgramWorksAndReleasesItsLease(t *testing.T) {
	admin, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	allowLease(t, admin)
	t.Setenv("KUBECONFIG", kubeconfig(t))
	health, metrics := testbed.FreeAddr(t), testbed.FreeAddr(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		// Not t.Output(): klog has this writer from now on, and the goroutine that records events may log after the test.
		ended <- run(ctx, append(images(), "-namespace=default", "-lease=a-release", "-health-address="+health, "-metrics-address="+metrics, "-memory-limit=1000000000"), os.Environ(), os.Stderr)
	}()
	lease := &coordinationv1.Lease{}
	holder := func() string {
		if err := admin.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "a-release"}, lease); err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		return *lease.Spec.HolderIdentity
	}
	// An operator that is cancelled before it has the response about its first lease doesn't know that there is one to release.
	renewed := func() bool { return holder() != "" && lease.Spec.RenewTime.After(lease.Spec.AcquireTime.Time) }
	for deadline := time.Now().Add(30 * time.Second); !answers("http://"+health+"/readyz") || !answers("http://"+metrics+"/metrics") || !renewed(); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal("it doesn't get ready")
		}
	}
	if limit := debug.SetMemoryLimit(-1); limit != 900_000_000 {
		t.Errorf("it keeps to %d bytes", limit)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if got := holder(); got != "" {
		t.Errorf("%s keeps the lease", got)
	}
}

// A namespace that is deleted takes the operator's rights in it along. The others are watched nevertheless. When it is there
// again, with the rights, the operator restarts, so that it is watched as well.
func TestANamespaceThatIsGoneStopsNoOther(t *testing.T) {
	admin, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := admin.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "here"}}); err != nil {
		t.Fatal(err)
	}
	access, err := cluster.OperatorIn(t.Context(), "here")
	if err != nil {
		t.Fatal(err)
	}
	s := settings{namespaces: []string{"gone", "here"}, healthAddr: testbed.FreeAddr(t), metricsAddr: "0"}
	m, err := newManager(t.Context(), access, &s, testbed.Logger(t))
	if err != nil || !slices.Equal(s.namespaces, []string{"here"}) {
		t.Fatalf("watched are %v, %v", s.namespaces, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- m.Start(t.Context()) }()
	for deadline := time.Now().Add(30 * time.Second); !answers("http://" + s.healthAddr + "/readyz"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it doesn't get ready")
		}
	}
	// A kind of others that can't be listed doesn't make it unready.
	if _, err := m.GetCache().GetInformer(t.Context(), &corev1.LimitRange{}, cache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	if !answers("http://" + s.healthAddr + "/readyz") {
		t.Error("it isn't ready, since it can't list LimitRanges")
	}
	binding := &rbacv1.RoleBinding{}
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: "here", Name: "chatserver-operator"}, binding); err != nil {
		t.Fatal(err)
	}
	binding.ObjectMeta = metav1.ObjectMeta{Namespace: "gone", Name: binding.Name}
	for _, object := range []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone"}}, binding} {
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "namespace gone has to be watched now") {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("it goes on without the namespace")
	}
}

func TestAnOperatorWithoutRights(t *testing.T) {
	access, err := cluster.OperatorIn(t.Context(), "default")
	if err != nil {
		t.Fatal(err)
	}
	s := settings{namespaces: []string{"nowhere"}, healthAddr: "0", metricsAddr: "0"}
	if _, err := newManager(t.Context(), access, &s, testbed.Logger(t)); !errors.Is(err, errNoRights) {
		t.Errorf("got %v", err)
	}
}

func answers(url string) bool {
	through := http.Client{Timeout: 5 * time.Second} // while it waits for its caches, it doesn't answer
	answer, err := through.Get(url)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
