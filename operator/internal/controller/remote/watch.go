package remote

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/api/v1alpha1"
)

// Indexes of the manager's cache.
const (
	byParent = "remote.parent" // <namespace>/<name> of the ChatServer or Organization
	bySecret = "remote.secret" // name of a Secret, in the same namespace
)

func index[O Object](ctx context.Context, m manager.Manager, k kind[O]) error {
	indexer := m.GetFieldIndexer()
	err := indexer.IndexField(ctx, k.new(), byParent, func(object client.Object) []string {
		return []string{object.(O).Parent().String()} //nolint:forcetypeassert // there are no others
	})
	names := k.secrets
	if names == nil { // no kind has both
		names = k.reads
	}
	if err != nil || names == nil {
		return err
	}
	return indexer.IndexField(ctx, k.new(), bySecret, func(object client.Object) []string {
		return names(object.(O)) //nolint:forcetypeassert // there are no others
	})
}

// watches finds the objects of a kind that depend on a changed object.
type watches[O Object] struct {
	client client.Reader
	kind   kind[O]
}

// ofServer returns the objects that belong to a ChatServer.
func (w watches[O]) ofServer(ctx context.Context, server client.Object) []reconcile.Request {
	if w.kind.name == "Organization" {
		return w.children(ctx, server)
	}
	organizations := &v1alpha1.OrganizationList{}
	if err := w.client.List(ctx, organizations, client.MatchingFields{byParent: client.ObjectKeyFromObject(server).String()}); err != nil {
		log.FromContext(ctx).Error(err, "failed to list the organizations of a ChatServer")
		return nil
	}
	requests := []reconcile.Request(nil)
	for i := range organizations.Items {
		requests = append(requests, w.children(ctx, &organizations.Items[i])...)
	}
	return requests
}

// children returns the objects whose parent is a ChatServer or an Organization.
func (w watches[O]) children(ctx context.Context, parent client.Object) []reconcile.Request {
	return w.find(ctx, nil, client.MatchingFields{byParent: client.ObjectKeyFromObject(parent).String()})
}

// ofSecret returns the objects whose spec names a Secret, for their key or to read it.
func (w watches[O]) ofSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	return w.find(ctx, nil, client.InNamespace(secret.GetNamespace()), client.MatchingFields{bySecret: secret.GetName()})
}

// ofSibling returns the objects in the organization of a Stream or User that aren't ready, if it is in the server: the server may have
// refused them because the stream, or the bot's owner, was missing.
func (w watches[O]) ofSibling(ctx context.Context, object client.Object) []reconcile.Request {
	sibling, ok := object.(Object)
	if !ok || !meta.IsStatusConditionTrue(sibling.Guest().Conditions, v1alpha1.ConditionSynced) { // nothing can succeed because of it
		return nil
	}
	unready := func(object O) bool {
		ready := meta.FindStatusCondition(object.Guest().Conditions, v1alpha1.ConditionReady)
		return ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != object.GetGeneration()
	}
	return w.find(ctx, unready, client.MatchingFields{byParent: sibling.Parent().String()})
}

// ofMember returns the Organization of a User if the members of one of its user groups include that person.
func (w watches[O]) ofMember(ctx context.Context, object client.Object) []reconcile.Request {
	user, ok := object.(*v1alpha1.User)
	if !ok {
		return nil
	}
	name, organization := user.Parent(), &v1alpha1.Organization{}
	if err := w.client.Get(ctx, name, organization); err != nil {
		return nil // it is reconciled when it exists
	}
	isMember := func(email string) bool { return strings.EqualFold(email, user.Spec.Email) }
	if !slices.ContainsFunc(organization.Spec.UserGroups, func(g v1alpha1.OrganizationUserGroup) bool { return slices.ContainsFunc(g.Members, isMember) }) {
		return nil
	}
	return []reconcile.Request{{NamespacedName: name}}
}

// ofNamespace returns the objects in a namespace that refer to other namespaces.
func (w watches[O]) ofNamespace(ctx context.Context, namespace client.Object) []reconcile.Request {
	abroad := func(object O) bool { return object.Parent().Namespace != object.GetNamespace() }
	return w.find(ctx, abroad, client.InNamespace(namespace.GetName()))
}

func (w watches[O]) find(ctx context.Context, only func(O) bool, options ...client.ListOption) []reconcile.Request {
	list, requests := w.kind.list(), []reconcile.Request(nil)
	if err := w.client.List(ctx, list, options...); err != nil {
		log.FromContext(ctx).Error(err, "failed to list objects", "kind", w.kind.name)
		return nil
	}
	_ = meta.EachListItem(list, func(item runtime.Object) error { // never fails
		if object, ok := item.(O); ok && (only == nil || only(object)) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
		}
		return nil
	})
	return requests
}

// changed passes an update only if it changes the result of matters.
func changed[M comparable](matters func(client.Object) M) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return matters(e.ObjectOld) != matters(e.ObjectNew) }}
}

// state is the part of an object that its dependents depend on.
type state struct {
	generation     int64
	deleted, ready bool
	version        string // of a server: what an earlier one refused, this one may accept
	id, url        string
	groups         string // names of user groups
	synced         int64  // the generation of an organization whose owners have accounts; 0: none
}

func serverMatters(object client.Object) state {
	s := state{generation: object.GetGeneration(), deleted: object.GetDeletionTimestamp() != nil}
	if server, ok := object.(*v1alpha1.ChatServer); ok {
		s.version, s.ready = server.Status.Version, meta.IsStatusConditionTrue(server.Status.Conditions, v1alpha1.ConditionAvailable)
	}
	return s
}

func organizationMatters(object client.Object) state {
	s := state{generation: object.GetGeneration(), deleted: object.GetDeletionTimestamp() != nil}
	if o, ok := object.(*v1alpha1.Organization); ok {
		s.id, s.url, s.ready = o.Status.ID, o.Status.URL, meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionAccepted)
		for _, group := range o.Status.UserGroups {
			s.groups += group.Name + "\n"
		}
		if c := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionSynced); c != nil && c.Status == metav1.ConditionTrue {
			s.synced = c.ObservedGeneration
		}
	}
	return s
}

// siblingMatters is for Streams and Users.
func siblingMatters(object client.Object) state {
	s := state{deleted: object.GetDeletionTimestamp() != nil}
	if sibling, ok := object.(Object); ok {
		guest := sibling.Guest()
		s.id, s.generation, s.ready = guest.ID, guest.ObservedGeneration, meta.IsStatusConditionTrue(guest.Conditions, v1alpha1.ConditionSynced)
	}
	return s
}

// byOthers passes changes of Secrets unless the operator made them, which changes annotationRevision.
func byOthers() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetAnnotations()[annotationRevision] == e.ObjectNew.GetAnnotations()[annotationRevision]
		},
	}
}

// labelled passes namespaces whose labels have changed. A new one has no objects yet.
func labelled() predicate.Predicate {
	changes := predicate.LabelChangedPredicate{}
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: changes.Update,
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}
}
