package chatserver

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// CacheOptions limit what the operator caches of a cluster: of most kinds, only its own objects; of Secrets and
// ConfigMaps, only metadata. namespaces are those to watch; none: all.
func CacheOptions(namespaces []string) cache.Options {
	all := cache.ByObject{Label: labels.Everything(), Transform: cache.TransformStripManagedFields()}
	options := cache.Options{
		DefaultWatchErrorHandler: watchFailed,
		DefaultLabelSelector:     labels.SelectorFromSet(labels.Set{v1alpha1.LabelManagedBy: v1alpha1.Manager}),
		ByObject: map[client.Object]cache.ByObject{
			&v1alpha1.ChatServer{}: all, &v1alpha1.Organization{}: all, &v1alpha1.Stream{}: all,
			&v1alpha1.User{}: all, &v1alpha1.Bot{}: all, &v1alpha1.IncomingWebhook{}: all, &corev1.Namespace{}: all,
			// Helm's releases, of which a cluster may have thousands, are never referred to.
			&corev1.Secret{}:    {Label: labels.Everything(), Field: fields.OneTermNotEqualSelector("type", "helm.sh/release.v1"), Transform: bare},
			&corev1.ConfigMap{}: {Label: labels.Everything(), Transform: bare},
		},
	}
	if len(namespaces) > 0 {
		options.DefaultNamespaces = map[string]cache.Config{}
		for _, namespace := range namespaces {
			options.DefaultNamespaces[namespace] = cache.Config{}
		}
	}
	return options
}

// watchFailed logs that a watch of objects has failed. That of an optional kind fails for as long as its CRD is deleted, which
// conditions report, and is repeated until the kind is served again.
func watchFailed(ctx context.Context, reflector *toolscache.Reflector, err error) {
	kind := reflector.TypeDescription()
	optional := slices.ContainsFunc(inputs.Optional(), func(k schema.GroupVersionKind) bool { return k.String() == kind })
	if optional && apierrors.IsNotFound(err) {
		klog.FromContext(ctx).V(1).Info("an optional API kind isn't served any more", "type", kind)
		return
	}
	toolscache.DefaultWatchErrorHandler(ctx, reflector, err)
}

// ClientOptions return a client that reads the operator's own objects from the cache, and Secrets and pods from the
// API server. All writes have one field manager.
func ClientOptions() client.Options {
	return client.Options{FieldOwner: v1alpha1.Manager, Cache: &client.CacheOptions{
		Unstructured: true,
		DisableFor:   []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}, &corev1.Pod{}},
	}}
}

// bare removes everything from an object that a watch doesn't need. It keeps the operator's own annotations, by which a watch
// distinguishes the operator's writes from those of others. Other annotations may have a copy of a Secret's contents.
func bare(object any) (any, error) {
	if accessor, isObject := object.(metav1.Object); isObject {
		accessor.SetManagedFields(nil)
		own := maps.Clone(accessor.GetAnnotations())
		maps.DeleteFunc(own, func(name, _ string) bool { return !strings.HasPrefix(name, v1alpha1.Group+"/") })
		accessor.SetAnnotations(own)
	}
	return object, nil
}
