package remote

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups=chatserver.dev,resources=chatservers,verbs=get;list;watch

// place is where an object belongs.
type place struct {
	server       *v1alpha1.ChatServer
	organization *v1alpha1.Organization // nil for an organization itself
}

// places finds where objects belong.
type places struct {
	client client.Client
	// namespaces are those that the operator watches; empty: all. Where it doesn't watch all, it can't read their
	// labels either.
	namespaces []string
}

// find returns the place of an object of a kind. Where the object may not be there, or nothing can be done
// there now, the error is a halt.
func (p *places) find(ctx context.Context, object Object, parent types.NamespacedName) (place, error) {
	if _, ok := object.(*v1alpha1.Organization); ok {
		server, err := p.server(ctx, parent)
		if err != nil {
			return place{}, err
		}
		if err := p.admit(ctx, object.GetNamespace(), "ChatServer", server, server.Spec.AllowedNamespaces); err != nil {
			return place{}, err
		}
		return place{server: server}, serving(server)
	}
	organization, err := p.organization(ctx, parent)
	if err != nil {
		return place{}, err
	}
	if err := p.admit(ctx, object.GetNamespace(), "Organization", organization, organization.Spec.AllowedNamespaces); err != nil {
		return place{}, err
	}
	server, err := p.server(ctx, refer(organization.Spec.ServerRef, organization.Namespace))
	if err != nil {
		return place{}, err
	}
	if err := serving(server); err != nil {
		return place{}, err
	}
	return place{server, organization}, inServer(organization)
}

func (p *places) server(ctx context.Context, name types.NamespacedName) (*v1alpha1.ChatServer, error) {
	server := &v1alpha1.ChatServer{}
	return server, p.read(ctx, name, server, "ChatServer", v1alpha1.ReasonServerNotFound, "serverRef")
}

func (p *places) organization(ctx context.Context, name types.NamespacedName) (*v1alpha1.Organization, error) {
	organization := &v1alpha1.Organization{}
	return organization, p.read(ctx, name, organization, "Organization", v1alpha1.ReasonOrganizationNotFound, "organizationRef")
}

// read reads what a field refers to; where it isn't there, the error is a halt for a reason.
func (p *places) read(ctx context.Context, name types.NamespacedName, into client.Object, noun, reason, field string) error {
	if h := p.unwatched(name, reason); h != nil {
		return h
	}
	err := p.client.Get(ctx, name, into)
	switch {
	case apierrors.IsNotFound(err):
		return &halt{
			watched: true, condition: v1alpha1.ConditionAccepted, reason: reason,
			message: fmt.Sprintf("there is no %s %s: make it, or correct %s", noun, name, field),
		}
	case err != nil:
		return fmt.Errorf("read %s %s: %w", noun, name, err)
	}
	return nil
}

// unwatched is a halt for what is in a namespace that the operator doesn't watch, else nil.
func (p *places) unwatched(name types.NamespacedName, reason string) error {
	if len(p.namespaces) == 0 || slices.Contains(p.namespaces, name.Namespace) {
		return nil
	}
	return &halt{
		manner: stalled, watched: true, condition: v1alpha1.ConditionAccepted, reason: reason,
		message: fmt.Sprintf("the operator doesn't watch namespace %s, where %s would be", name.Namespace, name.Name),
	}
}

// admit fails with a halt where an object doesn't let a namespace in.
func (p *places) admit(ctx context.Context, namespace, noun string, to client.Object, allowed v1alpha1.AllowedNamespaces) error {
	if namespace == to.GetNamespace() || allowed.From == v1alpha1.FromAll {
		return nil
	}
	refused := &halt{
		manner: stalled, watched: true, condition: v1alpha1.ConditionAccepted, reason: v1alpha1.ReasonNamespaceNotAllowed,
		message: fmt.Sprintf("%s %s/%s doesn't let objects of namespace %s in: see its allowedNamespaces", noun, to.GetNamespace(), to.GetName(), namespace),
	}
	if allowed.From != v1alpha1.FromSelector {
		return refused
	}
	if len(p.namespaces) > 0 {
		refused.message = fmt.Sprintf("%s %s/%s picks namespaces by their labels, which an operator that watches single namespaces can't read: "+
			"use from: All there", noun, to.GetNamespace(), to.GetName())
		return refused
	}
	selector, err := metav1.LabelSelectorAsSelector(allowed.Selector)
	if err != nil {
		refused.message = fmt.Sprintf("allowedNamespaces of %s %s/%s can't be used: %s", noun, to.GetNamespace(), to.GetName(), err)
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

// serving fails with a halt where a server can't be called now.
func serving(server *v1alpha1.ChatServer) error {
	still := func(how manner, reason, text string) error { return unready(server, how, reason, text) }
	switch {
	case !server.DeletionTimestamp.IsZero():
		return still(parked, v1alpha1.ReasonServerNotFound, "ChatServer %s is being deleted")
	case server.Spec.State == v1alpha1.StateHibernated:
		return still(parked, v1alpha1.ReasonServerHibernated, "ChatServer %s is hibernated: set its state to Running to wake it")
	case server.Spec.State == v1alpha1.StatePaused:
		return still(parked, v1alpha1.ReasonServerPaused, "ChatServer %s is paused: set its state to Running to go on")
	case !meta.IsStatusConditionTrue(server.Status.Conditions, v1alpha1.ConditionAvailable):
		return still(waiting, v1alpha1.ReasonServerNotReady, "ChatServer %s doesn't serve yet: see its conditions")
	default:
		return nil
	}
}

// inServer fails with a halt where an organization isn't in its server.
func inServer(organization *v1alpha1.Organization) error {
	still := func(how manner, reason, text string) error { return unready(organization, how, reason, text) }
	switch {
	case !organization.DeletionTimestamp.IsZero():
		return still(parked, v1alpha1.ReasonOrganizationNotFound, "Organization %s is being deleted")
	case organization.Status.ID == "" || !meta.IsStatusConditionTrue(organization.Status.Conditions, v1alpha1.ConditionAccepted):
		return still(waiting, v1alpha1.ReasonOrganizationNotReady, "Organization %s isn't in its server yet: see its conditions")
	default:
		return nil
	}
}

// unready is a halt because of what an object belongs to, whose name goes into the text.
func unready(parent client.Object, how manner, reason, text string) error {
	return &halt{
		manner: how, watched: true, condition: v1alpha1.ConditionSynced, reason: reason,
		message: fmt.Sprintf(text, client.ObjectKeyFromObject(parent)),
	}
}

// gone says why nothing can be taken away from where an object belongs; empty: it can be tried.
func (p *places) gone(ctx context.Context, object Object, parent types.NamespacedName) (place, string, error) {
	here := place{}
	if _, ok := object.(*v1alpha1.Organization); !ok {
		organization, err := p.organization(ctx, parent)
		if err != nil {
			return place{}, messageOf(err), failure(err)
		}
		if !organization.DeletionTimestamp.IsZero() {
			return place{}, fmt.Sprintf("Organization %s is being deleted", parent), nil
		}
		here.organization, parent = organization, refer(organization.Spec.ServerRef, organization.Namespace)
	}
	server, err := p.server(ctx, parent)
	if err != nil {
		return place{}, messageOf(err), failure(err)
	}
	here.server = server
	switch {
	case !server.DeletionTimestamp.IsZero():
		return here, fmt.Sprintf("ChatServer %s is being deleted", parent), nil
	case server.Spec.State == v1alpha1.StateHibernated:
		return here, fmt.Sprintf("ChatServer %s is hibernated", parent), nil
	default:
		return here, "", nil
	}
}
