// Package testcluster starts an API server and etcd for tests of controllers. Neither a kubelet nor Kubernetes' own
// controllers are running: nothing creates pods or collects garbage, so tests do.
package testcluster

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"
)

// errPrograms says how to install the programs.
var errPrograms = errors.New("kube-apiserver and etcd are missing: set KUBEBUILDER_ASSETS=$(hack/cluster assets)")

// Cluster is an API server with the operator's CRDs.
type Cluster struct {
	Config *rest.Config
	stop   func() error
}

// Main runs a package's tests with one API server for all of them, which it passes to use. Call it in TestMain:
//
//	func TestMain(m *testing.M) { testcluster.Main(m, func(c *testcluster.Cluster) { cluster = c }) }
//
// With -short it runs no tests. After the tests it calls the cleanup functions.
func Main(m *testing.M, use func(*Cluster), cleanup ...func() error) {
	flag.Parse()
	if testing.Short() { // an API server takes seconds to start
		fmt.Fprintln(os.Stderr, "skipped in short mode")
		os.Exit(0)
	}
	cluster, err := Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	use(cluster)
	code := m.Run()
	for _, stop := range append(cleanup, cluster.Stop) {
		if err := stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Start starts a cluster with the operator's CRDs. It ends with the process, even if that is killed.
func Start() (*Cluster, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, errPrograms
	}
	// Tests are limited by processor time, not by memory.
	if err := os.Setenv("GOGC", "400"); err != nil {
		return nil, fmt.Errorf("set GOGC: %w", err)
	}
	folder, err := os.MkdirTemp("", "chat-cluster-")
	if err != nil {
		return nil, fmt.Errorf("make the cluster's folder: %w", err)
	}
	certificates := filepath.Join(folder, "certificates")
	if err := os.Mkdir(certificates, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for certificates: %w", err)
	}
	guard, err := newGuard(folder)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{CRDs()}, ErrorIfCRDPathMissing: true}
	server := environment.ControlPlane.GetAPIServer()
	environment.ControlPlane.Etcd, server.CertDir = &envtest.Etcd{DataDir: filepath.Join(folder, "etcd")}, certificates
	flags := server.Configure()
	// The default has 254 addresses, and nothing deletes the Services of tests that ended.
	flags.Set("service-cluster-ip-range", "10.0.0.0/16")
	// Some distributions have this: an owner's deletion may be blocked only by who may change the owner's finalizers.
	flags.Append("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
	// With a client certificate, the server would verify the certificate's signature at each request: a tenth of its processor time.
	token := rand.Text()
	tokens := filepath.Join(folder, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(token+`,admin,admin,"system:masters"`+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("write the API server's tokens: %w", err), guard.finish())
	}
	flags.Set("token-auth-file", tokens)
	stop := func() error { return errors.Join(environment.Stop(), guard.finish()) }
	config, err := environment.Start()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the API server: %w", err), stop())
	}
	// It is made in any case, not in the folder, and no test has a webhook.
	if err := environment.WebhookInstallOptions.Cleanup(); err != nil {
		return nil, errors.Join(fmt.Errorf("remove the certificates of webhooks: %w", err), stop())
	}
	config = rest.AnonymousClientConfig(config)
	config.BearerToken = token
	config.QPS, config.Burst = -1, -1 // unlimited: a test has the API server for itself
	cluster := &Cluster{config, stop}
	if err := cluster.grant(); err != nil {
		return nil, errors.Join(err, cluster.Stop())
	}
	return cluster, nil
}

// operator is the user that has the operator's rights.
const operator = "chatserver-operator"

// Operator returns the access of the operator, with the rights that its chart grants and no others.
func (c *Cluster) Operator() *rest.Config {
	config := rest.CopyConfig(c.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: operator, Groups: []string{"system:authenticated"}}
	return config
}

// OperatorIn returns the access of an operator that has its rights in one namespace only.
func (c *Cluster) OperatorIn(ctx context.Context, namespace string) (*rest.Config, error) {
	admin, err := client.New(c.Config, client.Options{})
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	user := operator + "-" + namespace
	err = admin.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: operator},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: operator},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
	})
	if err != nil {
		return nil, fmt.Errorf("grant an operator its rights in namespace %s: %w", namespace, err)
	}
	config := c.Operator()
	config.Impersonate.UserName = user
	return config, nil
}

// grant binds the operator's user to its rights.
func (c *Cluster) grant() error {
	text, err := os.ReadFile(filepath.Join(root(), "charts", "chatserver-operator", "files", "rbac", "role.yaml"))
	if err != nil {
		return fmt.Errorf("read the operator's rights: %w", err)
	}
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(text, role); err != nil {
		return fmt.Errorf("read the operator's rights: %w", err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: operator},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: operator}},
	}
	admin, err := client.New(c.Config, client.Options{})
	if err != nil {
		return fmt.Errorf("create client: %w", err)
	}
	for _, object := range []client.Object{role, binding} {
		if err := admin.Create(context.Background(), object); err != nil {
			return fmt.Errorf("grant the operator its rights: %w", err)
		}
	}
	return nil
}

// Stop stops the cluster.
func (c *Cluster) Stop() error {
	if err := c.stop(); err != nil {
		return fmt.Errorf("stop the API server: %w", err)
	}
	return nil
}

// CRDs returns the directory with the operator's CRDs.
func CRDs() string { return filepath.Join(root(), "charts", "chatserver-operator", "files", "crds") }

// root returns the repository's top folder, in which go.work is; "/" outside of a repository.
func root() string {
	folder, err := os.Getwd()
	for err == nil && folder != "/" {
		if _, err := os.Stat(filepath.Join(folder, "go.work")); err == nil {
			return folder
		}
		folder = filepath.Dir(folder)
	}
	return "/"
}
