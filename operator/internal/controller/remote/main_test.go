package remote_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/testcluster"
)

// root is the checkout, from this package.
const root = "../../../.."

var cluster *rest.Config

var many = flag.Int("bots", 60, "how many bots TestManyBotsConverge makes")

func TestMain(m *testing.M) {
	testcluster.LeaveOutIfShort()
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// run starts an API server, and runs the tests.
func run(m *testing.M) (status int, err error) {
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	binaries, err := programs()
	if err != nil {
		return 0, err
	}
	environment := &envtest.Environment{
		BinaryAssetsDirectory: binaries, CRDDirectoryPaths: []string{filepath.Join(root, "charts/chatserver-operator/files/crds")}, ErrorIfCRDPathMissing: true,
	}
	if cluster, err = environment.Start(); err != nil {
		return 0, fmt.Errorf("start the API server: %w", err)
	}
	defer func() { err = errors.Join(err, environment.Stop(), removeServer(context.Background())) }()
	cluster.QPS = -1
	return m.Run(), nil
}

// programs finds the directory with kube-apiserver and etcd.
func programs() (string, error) {
	if given := os.Getenv("KUBEBUILDER_ASSETS"); given != "" {
		return given, nil
	}
	found, err := filepath.Glob(filepath.Join(root, ".local/cluster/*/bin/kube-apiserver"))
	if err != nil || len(found) == 0 {
		return "", errors.New("kube-apiserver is missing: hack/cluster builds it, or KUBEBUILDER_ASSETS names its directory")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return scheme
}
