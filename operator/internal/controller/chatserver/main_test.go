package chatserver_test

import (
	"testing"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"chatserver.dev/operator/internal/testcluster"
)

var cluster *testcluster.Cluster

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	testcluster.Main(m, func(c *testcluster.Cluster) { cluster = c })
}
