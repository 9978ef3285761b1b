package plugin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// target is the object of a command, as it was read last.
type target struct {
	kind   string // ChatServer
	object client.Object
}

func serverTarget(server *v1alpha1.ChatServer) target { return target{"ChatServer", server} }

// guest is an object inside a server.
type guest interface {
	client.Object
	Guest() *v1alpha1.GuestStatus
	Parent() types.NamespacedName
}

// String returns kind, namespace and name.
func (t target) String() string { return t.kind + " " + client.ObjectKeyFromObject(t.object).String() }

// resource returns the name of the kind for kubectl, with its group.
func (t target) resource() string { return strings.ToLower(t.kind) + "s." + v1alpha1.Group }

// status returns the fields that the statuses of all kinds have.
func (t target) status() (observedGeneration int64, conditions []metav1.Condition) {
	switch object := t.object.(type) {
	case *v1alpha1.ChatServer:
		return object.Status.ObservedGeneration, object.Status.Conditions
	case guest:
		return object.Guest().ObservedGeneration, object.Guest().Conditions
	}
	return 0, nil
}

// condition returns a condition; the zero value: there is none.
func (t target) condition(kind string) metav1.Condition {
	_, conditions := t.status()
	if found := meta.FindStatusCondition(conditions, kind); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// has reports whether a condition is true.
func (t target) has(kind string) bool { return t.condition(kind).Status == metav1.ConditionTrue }

// observed reports whether the status is about the current spec.
func (t target) observed() bool {
	generation, _ := t.status()
	return generation >= t.object.GetGeneration()
}

// find reads the object that an argument names: NAME for a server, KIND/NAME for other objects.
func (s *session) find(ctx context.Context, argument string) (target, error) {
	kind, name, found := strings.Cut(argument, "/")
	if !found {
		kind, name = "chatserver", argument
	}
	for _, k := range []struct {
		target

		aliases []string
	}{
		{serverTarget(&v1alpha1.ChatServer{}), []string{"server", "chat"}},
		{target{"Organization", &v1alpha1.Organization{}}, []string{"org", "chatorg"}},
		{target{"Stream", &v1alpha1.Stream{}}, []string{"chatstream"}},
		{target{"User", &v1alpha1.User{}}, []string{"chatuser"}},
		{target{"Bot", &v1alpha1.Bot{}}, []string{"chatbot"}},
		{target{"IncomingWebhook", &v1alpha1.IncomingWebhook{}}, []string{"webhook", "chathook"}},
	} {
		singular := strings.ToLower(k.kind)
		if slices.Contains(append(k.aliases, singular, singular+"s", k.resource()), strings.ToLower(kind)) {
			return k.target, s.read(ctx, k.target, name)
		}
	}
	return target{}, fmt.Errorf("unknown kind %q: use chatserver, organization, stream, user, bot or webhook", kind)
}

// read reads the target's object from the cluster.
func (s *session) read(ctx context.Context, t target, name string) error {
	if name == "" { // after the slash of KIND/NAME
		return fmt.Errorf("the name of the %s is missing: use KIND/NAME, such as %s/NAME", t.kind, strings.ToLower(t.kind))
	}
	if strings.Contains(name, "/") {
		return fmt.Errorf("%q isn't the name of an object of the kind %s; this command takes the name alone", name, t.kind)
	}
	if err := s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: name}, t.object); err != nil {
		return explain(err, fmt.Sprintf("%s %s/%s", t.kind, s.namespace, name), t.resource())
	}
	return nil
}

// explain adds advice to an error of the cluster.
func explain(err error, what, resource string) error {
	switch {
	case meta.IsNoMatchError(err):
		return fmt.Errorf("the cluster has no CRDs of %s; install the chart chatserver-operator first, or name another cluster by --context: %w", v1alpha1.Group, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s not found; `kubectl get %s --all-namespaces` lists all, and --namespace selects another namespace", what, resource)
	case apierrors.IsConflict(err):
		return fmt.Errorf("%s was changed at the same time, so this command changed nothing; run it again: %w", what, err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("permission denied; ask the cluster's administrator for a role that allows it: %w", err)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
