package plugin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// target is an object that a command is about, as it was when it was last read.
type target struct {
	kind     string // ChatServer
	resource string // chatservers, as kubectl's
	object   client.Object
	status   func() status
}

// status is what the statuses of all kinds have.
type status struct {
	observedGeneration int64
	conditions         []metav1.Condition
}

func (t target) String() string {
	return t.kind + " " + client.ObjectKeyFromObject(t.object).String()
}

// condition returns a condition; without one, an empty one.
func (t target) condition(kind string) metav1.Condition {
	if found := meta.FindStatusCondition(t.status().conditions, kind); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// has reports whether a condition is true.
func (t target) has(kind string) bool { return t.condition(kind).Status == metav1.ConditionTrue }

// seen reports whether the status is about the spec as it is now.
func (t target) seen() bool { return t.status().observedGeneration >= t.object.GetGeneration() }

func serverTarget(server *v1alpha1.ChatServer) target {
	return target{"ChatServer", "chatservers", server, func() status {
		return status{server.Status.ObservedGeneration, server.Status.Conditions}
	}}
}

func guestTarget(kind, resource string, object client.Object, of *v1alpha1.GuestStatus) target {
	return target{kind, resource, object, func() status { return status{of.ObservedGeneration, of.Conditions} }}
}

func organizationTarget(o *v1alpha1.Organization) target {
	return guestTarget("Organization", "organizations", o, &o.Status.GuestStatus)
}

func streamTarget(s *v1alpha1.Stream) target {
	return guestTarget("Stream", "streams", s, &s.Status.GuestStatus)
}

func botTarget(b *v1alpha1.Bot) target { return guestTarget("Bot", "bots", b, &b.Status.GuestStatus) }

func webhookTarget(w *v1alpha1.IncomingWebhook) target {
	return guestTarget("IncomingWebhook", "incomingwebhooks", w, &w.Status.GuestStatus)
}

// find reads the object that an argument names: NAME, for a server, or KIND/NAME.
func (s *session) find(ctx context.Context, argument string) (target, error) {
	kind, name, found := strings.Cut(argument, "/")
	if !found {
		kind, name = "chatserver", argument
	}
	for _, t := range []target{
		serverTarget(&v1alpha1.ChatServer{}), organizationTarget(&v1alpha1.Organization{}), streamTarget(&v1alpha1.Stream{}),
		botTarget(&v1alpha1.Bot{}), webhookTarget(&v1alpha1.IncomingWebhook{}),
	} {
		if slices.Contains(t.names(), strings.ToLower(kind)) {
			return t, s.read(ctx, t, name)
		}
	}
	return target{}, fmt.Errorf("unknown kind %q: use chatserver, organization, stream, bot or webhook", kind)
}

// names are what people may call the kind.
func (t target) names() []string {
	names := []string{strings.ToLower(t.kind), t.resource, t.resource + "." + v1alpha1.Group}
	switch t.resource {
	case "chatservers":
		return append(names, "server", "chat")
	case "organizations":
		return append(names, "org", "chatorg")
	case "streams":
		return append(names, "chatstream")
	case "bots":
		return append(names, "chatbot")
	default:
		return append(names, "webhook", "chathook")
	}
}

// read fills the target's object from the cluster. What it had before is forgotten.
func (s *session) read(ctx context.Context, t target, name string) error {
	if err := s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: name}, t.object); err != nil {
		return explain(err, fmt.Sprintf("%s %s/%s", t.kind, s.namespace, name), t.resource)
	}
	return nil
}

// explain says what to do about an error of the cluster.
func explain(err error, what, resource string) error {
	switch {
	case meta.IsNoMatchError(err):
		return fmt.Errorf("the cluster has no CRDs of %s; install the chart chatserver-operator first, or name another cluster by --context: %w", v1alpha1.Group, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s not found; `kubectl get %s.%s --all-namespaces` lists all, and --namespace selects another namespace", what, resource, v1alpha1.Group)
	case apierrors.IsConflict(err):
		return fmt.Errorf("somebody else changed %s at the same time, so nothing was changed; run the command again: %w", what, err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("permission denied; ask the cluster's administrator for a role that allows it: %w", err)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
