package chatserver_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/controller/chatserver"
	"chatserver.dev/operator/internal/inputs"
)

// Most Secrets of many clusters are Helm's releases.
func TestReleasesOfHelmArentCached(t *testing.T) {
	t.Parallel()
	c := admin(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "chat-"}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]corev1.SecretType{"release": "helm.sh/release.v1", "mine": corev1.SecretTypeOpaque} {
		if err := c.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: name}, Type: kind}); err != nil {
			t.Fatal(err)
		}
	}
	options := chatserver.CacheOptions([]string{namespace.Name})
	options.Scheme = scheme(t)
	cached, err := cache.New(cluster.Config, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- cached.Start(ctx) }()
	if !cached.WaitForCacheSync(ctx) {
		t.Fatal("the cache doesn't start")
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := cached.List(t.Context(), list, client.InNamespace(namespace.Name)); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Name != "mine" {
		t.Errorf("cached are %v", list.Items)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The watch of a kind whose CRD was deleted fails every half minute, which is no error if the kind is optional.
func TestWatchesOfDeletedKinds(t *testing.T) {
	t.Parallel()
	client, err := discovery.NewDiscoveryClientForConfig(cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	gone := client.RESTClient().Get().AbsPath("/apis/gone.test/v1/things").Do(t.Context()).Error()
	for _, c := range []struct {
		kind    schema.GroupVersionKind
		err     error
		isError bool
	}{
		{inputs.HTTPRoute(), gone, false},
		{inputs.HTTPRoute(), context.DeadlineExceeded, true},
		{v1alpha1.GroupVersion().WithKind("ChatServer"), gone, true},
	} {
		output := bytes.Buffer{}
		ctx := klog.NewContext(t.Context(), logr.FromSlogHandler(slog.NewTextHandler(&output, nil)))
		reflector := toolscache.NewReflectorWithOptions(nil, nil, nil, toolscache.ReflectorOptions{TypeDescription: c.kind.String()})
		chatserver.CacheOptions(nil).DefaultWatchErrorHandler(ctx, reflector, c.err)
		if got := output.String(); strings.Contains(got, "level=ERROR") != c.isError {
			t.Errorf("%v of %s is logged as %q", c.err, c.kind, got)
		}
	}
}
