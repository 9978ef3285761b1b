package chatserver

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	discovery "k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/pkg/testbed"
)

// What a pass doesn't render, it mustn't prune, although its kind is served now.
func TestAKindThatIsServedDuringAPass(t *testing.T) {
	found := &clienttesting.Fake{}
	r := &Reconciler{kinds: inputs.NewKinds(&discovery.FakeDiscovery{Fake: found}), logger: testbed.Logger(t)}
	server := &v1alpha1.ChatServer{}
	pass := r.scope(server)
	kind := inputs.HTTPRoute()
	found.Resources = []*metav1.APIResourceList{{GroupVersion: kind.GroupVersion().String(), APIResources: []metav1.APIResource{{Kind: kind.Kind}}}}
	if changed, err := r.kinds.Refresh(); err != nil || !changed {
		t.Fatalf("refresh: %t, %v", changed, err)
	}
	if slices.Contains(pass.pruned(), kind) {
		t.Error("the pass prunes it")
	}
	if next := r.scope(server); !slices.Contains(next.pruned(), kind) {
		t.Error("the next pass doesn't prune it")
	}
}
