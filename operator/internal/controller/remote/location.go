package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch
// +kubebuilder:rbac:groups=chatserver.dev,resources=chatservers,verbs=list;watch

// location is the server and the organization that an object belongs to.
type location struct {
	server       *v1alpha1.ChatServer
	organization *v1alpha1.Organization // nil for an organization itself
}

// locator finds the locations of objects.
type locator struct {
	client client.Client
	// namespaces are those that the operator watches; empty: all. Unless it watches all, it can't read labels of
	// namespaces.
	namespaces []string
}

// find returns the location of an object. If the object isn't allowed there, or the server can't be called now, the error
// is a [*blocked].
func (p *locator) find(ctx context.Context, object Object) (location, error) {
	loc, err := p.locate(ctx, object, p.admit)
	if err == nil {
		err = serving(loc.server)
	}
	if err == nil && loc.organization != nil {
		err = inServer(loc.organization)
	}
	return loc, err
}

// locate returns the location of an object. If the server or the organization doesn't exist, or admit refuses the
// object's namespace, the error is a [*blocked].
func (p *locator) locate(ctx context.Context, object Object, admit admission) (location, error) {
	loc, name := location{server: &v1alpha1.ChatServer{}}, object.Parent()
	if _, ok := object.(*v1alpha1.Organization); ok {
		if err := p.read(ctx, name, loc.server, "ChatServer", v1alpha1.ReasonServerNotFound, "serverRef"); err != nil {
			return location{}, err
		}
		return loc, admit(ctx, object.GetNamespace(), "ChatServer", loc.server, loc.server.Spec.AllowedNamespaces)
	}
	loc.organization = &v1alpha1.Organization{}
	if err := p.read(ctx, name, loc.organization, "Organization", v1alpha1.ReasonOrganizationNotFound, "organizationRef"); err != nil {
		return location{}, err
	}
	if err := admit(ctx, object.GetNamespace(), "Organization", loc.organization, loc.organization.Spec.AllowedNamespaces); err != nil {
		return location{}, err
	}
	if err := p.read(ctx, loc.organization.Parent(), loc.server, "ChatServer", v1alpha1.ReasonServerNotFound, "serverRef"); err != nil {
		return location{}, err
	}
	// The organization's own condition is out of date while it is paused.
	return loc, admit(ctx, loc.organization.Namespace, "ChatServer", loc.server, loc.server.Spec.AllowedNamespaces)
}

// admission refuses a namespace if it isn't in an object's allowedNamespaces.
type admission func(ctx context.Context, namespace, noun string, to client.Object, allowed v1alpha1.AllowedNamespaces) error

// anyNamespace is the admission of objects that are being deleted.
func anyNamespace(context.Context, string, string, client.Object, v1alpha1.AllowedNamespaces) error {
	return nil
}

// read reads the object that a field refers to. If it doesn't exist, the error is a [*blocked] with the given reason.
func (p *locator) read(ctx context.Context, name types.NamespacedName, into client.Object, noun, reason, field string) error {
	if blocking := p.unwatched(name, reason); blocking != nil {
		return blocking
	}
	err := p.client.Get(ctx, name, into)
	switch {
	case apierrors.IsNotFound(err):
		return &blocked{
			watched: true, condition: v1alpha1.ConditionAccepted, reason: reason,
			message: fmt.Sprintf("%s %s not found: create it, or correct %s", noun, name, field),
		}
	case err != nil:
		return fmt.Errorf("read %s %s: %w", noun, name, err)
	}
	return nil
}

// unwatched returns a [*blocked] for an object in a namespace that the operator doesn't watch, else nil.
func (p *locator) unwatched(name types.NamespacedName, reason string) error {
	if len(p.namespaces) == 0 || slices.Contains(p.namespaces, name.Namespace) {
		return nil
	}
	return &blocked{
		mode: stalled, watched: true, condition: v1alpha1.ConditionAccepted, reason: reason,
		message: fmt.Sprintf("%s is in namespace %s, which the operator doesn't watch", name.Name, name.Namespace),
	}
}

// admit returns a [*blocked] if a namespace isn't in an object's allowedNamespaces.
func (p *locator) admit(ctx context.Context, namespace, noun string, to client.Object, allowed v1alpha1.AllowedNamespaces) error {
	if namespace == to.GetNamespace() || allowed.From == v1alpha1.FromAll {
		return nil
	}
	refused := &blocked{
		mode: stalled, watched: true, condition: v1alpha1.ConditionAccepted, reason: v1alpha1.ReasonNamespaceNotAllowed,
		message: fmt.Sprintf("%s %s/%s doesn't allow objects of namespace %s: see its allowedNamespaces", noun, to.GetNamespace(), to.GetName(), namespace),
	}
	if allowed.From != v1alpha1.FromSelector {
		return refused
	}
	if len(p.namespaces) > 0 {
		refused.message = fmt.Sprintf("%s %s/%s selects namespaces by label, which an operator that watches single namespaces can't read: "+
			"use from: All there", noun, to.GetNamespace(), to.GetName())
		return refused
	}
	selector, err := metav1.LabelSelectorAsSelector(allowed.Selector.Kubernetes())
	if err != nil {
		refused.message = fmt.Sprintf("allowedNamespaces of %s %s/%s is invalid: %s", noun, to.GetNamespace(), to.GetName(), err)
		return refused
	}
	from := namespaceMetadata()
	if err := p.client.Get(ctx, types.NamespacedName{Name: namespace}, from); err != nil {
		return fmt.Errorf("read labels of namespace %s: %w", namespace, err)
	}
	if !selector.Matches(labels.Set(from.Labels)) {
		return refused
	}
	return nil
}

func namespaceMetadata() *metav1.PartialObjectMetadata {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return metadata
}

// serving returns a [*blocked] if a server can't be called now.
func serving(server *v1alpha1.ChatServer) error {
	still := func(how mode, reason, text string) error { return unready(server, how, reason, text) }
	switch {
	case !server.DeletionTimestamp.IsZero():
		return still(suspended, v1alpha1.ReasonServerNotFound, "ChatServer %s is being deleted")
	case server.Spec.State == v1alpha1.StateHibernated:
		return still(suspended, v1alpha1.ReasonServerHibernated, "ChatServer %s is hibernated: set its state to Running to wake it")
	case server.Spec.State == v1alpha1.StatePaused:
		return still(suspended, v1alpha1.ReasonServerPaused, "ChatServer %s is paused: set its state to Running to resume it")
	case !meta.IsStatusConditionTrue(server.Status.Conditions, v1alpha1.ConditionAvailable):
		return still(waiting, v1alpha1.ReasonServerNotReady, "ChatServer %s isn't serving yet: see its conditions")
	default:
		return nil
	}
}

// inServer returns a [*blocked] if an organization isn't in its server.
func inServer(organization *v1alpha1.Organization) error {
	still := func(how mode, reason, text string) error { return unready(organization, how, reason, text) }
	switch {
	case !organization.DeletionTimestamp.IsZero():
		return still(suspended, v1alpha1.ReasonOrganizationNotFound, "Organization %s is being deleted")
	case organization.Status.ID == "" || !meta.IsStatusConditionTrue(organization.Status.Conditions, v1alpha1.ConditionAccepted):
		return still(waiting, v1alpha1.ReasonOrganizationNotReady, "Organization %s isn't in its server yet: see its conditions")
	default:
		return nil
	}
}

// unready returns a [*blocked] about a parent, whose name is formatted into the text.
func unready(parent client.Object, how mode, reason, text string) error {
	return &blocked{
		mode: how, watched: true, condition: v1alpha1.ConditionSynced, reason: reason,
		message: fmt.Sprintf(text, client.ObjectKeyFromObject(parent)),
	}
}

// gone returns why nothing can be deleted at an object's location; empty: the server can be called.
func (p *locator) gone(ctx context.Context, object Object) (location, string, error) {
	loc, err := p.locate(ctx, object, anyNamespace)
	blocking, isBlocked := errors.AsType[*blocked](err)
	switch {
	case isBlocked:
		why, _, _ := strings.Cut(blocking.message, ": ") // without what to do about it: the object won't exist any more
		return location{}, why, nil
	case err != nil:
		return location{}, "", err
	case loc.organization != nil && !loc.organization.DeletionTimestamp.IsZero() && !loc.organization.Retained():
		return location{}, fmt.Sprintf("Organization %s is being deleted", client.ObjectKeyFromObject(loc.organization)), nil
	case !loc.server.DeletionTimestamp.IsZero():
		return loc, fmt.Sprintf("ChatServer %s is being deleted", client.ObjectKeyFromObject(loc.server)), nil
	case loc.server.Spec.State == v1alpha1.StateHibernated:
		return loc, fmt.Sprintf("ChatServer %s is hibernated", client.ObjectKeyFromObject(loc.server)), nil
	default:
		return loc, "", nil
	}
}
