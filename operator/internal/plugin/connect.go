package plugin

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// fieldOwner is the field manager of changes.
const fieldOwner = "kubectl-chat"

// Connection has kubectl's flags for cluster and namespace.
type Connection struct {
	Kubeconfig string `help:"Path of the kubeconfig file." placeholder:"FILE"`
	Context    string `help:"Context of the kubeconfig." placeholder:"NAME"`
	Namespace  string `short:"n" help:"Namespace of the object." placeholder:"NAME"`
}

// session is one run of a command.
type session struct {
	Deps

	client     client.Client
	namespace  string
	connection Connection
}

// connect reads the kubeconfig. It doesn't call the cluster yet.
func (c Connection) connect(d Deps) (*session, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.Context}
	overrides.Context.Namespace = c.Namespace
	config := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	namespace, _, err := config.Namespace()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	rest, err := config.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("register the resources: %w", err)
	}
	cluster, err := client.New(rest, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return &session{Deps: d, client: cluster, namespace: namespace, connection: c}, nil
}
