package inputs

import (
	"fmt"
	"maps"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// HTTPRoute is a kind of the Gateway API.
func HTTPRoute() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}
}

// Certificate is a kind of cert-manager.
func Certificate() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}
}

// ServiceMonitor is a kind of the Prometheus operator.
func ServiceMonitor() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}
}

// PrometheusRule is a kind of the Prometheus operator.
func PrometheusRule() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "PrometheusRule"}
}

// Cluster is a kind of CloudNativePG.
func Cluster() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "postgresql.cnpg.io", Version: "v1", Kind: "Cluster"}
}

// Optional are the kinds that a cluster may lack.
func Optional() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{HTTPRoute(), Certificate(), ServiceMonitor(), PrometheusRule(), Cluster()}
}

// Discovery lists the resources of a group and version.
type Discovery interface {
	ServerResourcesForGroupVersion(groupVersion string) (*metav1.APIResourceList, error)
}

// Kinds are the optional kinds that are served. It is safe for concurrent use.
type Kinds struct {
	discovery Discovery

	mutex  sync.Mutex
	served Served
}

// NewKinds returns Kinds without any kind until [Kinds.Refresh].
func NewKinds(discovery Discovery) *Kinds {
	return &Kinds{discovery: discovery, served: Served{}}
}

// Refresh discovers the kinds that are served, and reports whether that has changed. On an error nothing changes.
func (k *Kinds) Refresh() (bool, error) {
	now := Served{}
	for _, kind := range Optional() {
		list, err := k.discovery.ServerResourcesForGroupVersion(kind.GroupVersion().String())
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("discover resources of %s: %w", kind.GroupVersion(), err)
		}
		for i := range list.APIResources {
			if list.APIResources[i].Kind == kind.Kind {
				now[kind] = true
			}
		}
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	changed := !maps.Equal(now, k.served)
	k.served = now
	return changed, nil
}

// Served returns the kinds that were served at the last [Kinds.Refresh].
func (k *Kinds) Served() Served {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.served
}
