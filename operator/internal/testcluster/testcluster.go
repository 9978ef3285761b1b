// Package testcluster starts the API server of a cluster, with the resources installed, for tests. It has
// no controllers and no nodes.
package testcluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Cluster is an API server that runs.
type Cluster struct{ *envtest.Environment }

// Start starts one. The programs come from KUBEBUILDER_ASSETS, or from what hack/cluster has built.
func Start() (*Cluster, error) {
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..", "..")
	built, err := filepath.Glob(filepath.Join(root, ".local", "cluster", "*", "bin"))
	if err != nil {
		return nil, fmt.Errorf("looking for programs: %w", err)
	}
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" && len(built) > 0 {
		assets = built[0]
	}
	env := &envtest.Environment{
		BinaryAssetsDirectory: assets,
		CRDDirectoryPaths:     []string{filepath.Join(root, "charts", "chatserver-operator", "files", "crds")},
		ErrorIfCRDPathMissing: true,
	}
	if _, err := env.Start(); err != nil {
		return nil, fmt.Errorf("starting the API server: %w", err)
	}
	return &Cluster{env}, nil
}
