package remote_test

import (
	"errors"
	"flag"
	"log/slog"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/testcluster"
)

// root is the checkout, from this package.
const root = "../../../.."

var cluster *testcluster.Cluster

var many = flag.Int("bots", 60, "how many bots TestManyBotsConverge makes")

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	testcluster.Main(m, func(c *testcluster.Cluster) { cluster = c }, removeServer)
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return scheme
}
