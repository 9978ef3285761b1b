package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// newClient returns a client of the API server for the core group, with the credentials of a kubeconfig. It is for
// calls that are made before kubectl can be used, or continuously. The complete clientset of client-go would double the
// size of this program.
func newClient(kubeconfig string) (*rest.RESTClient, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	config.APIPath, config.GroupVersion, config.Timeout = "/api", &corev1.SchemeGroupVersion, 10*time.Second
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(config)
}

// waitReady waits until the server reports that it is ready.
func waitReady(ctx context.Context, client *rest.RESTClient) error {
	if err := poll(ctx, time.Minute, func() error { return client.Get().AbsPath("/readyz").Do(ctx).Error() }); err != nil {
		return fmt.Errorf("wait for the API server: %w", err)
	}
	return nil
}
