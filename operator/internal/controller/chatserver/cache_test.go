package chatserver_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/internal/controller/chatserver"
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
