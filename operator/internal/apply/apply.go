package apply

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"chatserver.dev/operator/api/v1alpha1"
)

// NotOursError reports that an object whose name the operator needs exists already, and wasn't created by the operator.
type NotOursError struct{ Object string }

// Error includes what to do about it.
func (e *NotOursError) Error() string {
	return e.Object + " exists, and the operator hasn't created it: delete it, or rename the ChatServer"
}

// Applier writes objects of ChatServers. It is safe for concurrent use.
type Applier struct {
	// client reads from the cache, which may be stale.
	client client.Client
	// direct reads from the API server.
	direct client.Reader
	drifts *prometheus.CounterVec
}

// New returns an Applier. The client's cache must contain the objects with the operator's label; direct reads from the
// API server. The number of repairs is registered as chatserver_operator_drift_repairs_total.
func New(client client.Client, direct client.Reader, registry prometheus.Registerer) (*Applier, error) {
	drifts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "chatserver_operator_drift_repairs_total",
		Help: "Objects in the cluster that were reverted after out-of-band changes.",
	}, []string{"namespace", "chatserver", "kind"})
	if err := registry.Register(drifts); err != nil {
		return nil, fmt.Errorf("register drift metric: %w", err)
	}
	return &Applier{client, direct, drifts}, nil
}

// Result is the result of applying an object.
type Result struct {
	Live    *unstructured.Unstructured // the current object
	Changed bool                       // it was written
	Made    bool                       // it was created
	Drift   *Drift                     // the change that was reverted, if any
}

// Apply creates or updates an object of a server. If it matches already, nothing is written. The error is a
// [*NotOursError] if the operator didn't create the object.
func (a *Applier) Apply(ctx context.Context, server *v1alpha1.ChatServer, object runtime.ApplyConfiguration) (Result, error) {
	desired, err := Desired(object)
	if err != nil {
		return Result{}, err
	}
	return a.apply(ctx, server, desired)
}

func (a *Applier) apply(ctx context.Context, server *v1alpha1.ChatServer, desired *unstructured.Unstructured) (Result, error) {
	state, err := look(ctx, a.client, desired)
	if err == nil && !state.same(desired) { // the cache may be stale: read again before anything is written or reported
		state, err = look(ctx, a.direct, desired)
	}
	switch {
	case err != nil:
		return Result{}, err
	case state.same(desired):
		return Result{Live: state.live}, nil
	case state.live != nil && !state.known && !Ours(state.live, server):
		return Result{}, &NotOursError{name(desired)}
	}
	return a.write(ctx, server, desired, state)
}

// write applies an object, and counts it if this reverts a change by another manager.
func (a *Applier) write(ctx context.Context, server *v1alpha1.ChatServer, desired *unstructured.Unstructured, before state) (Result, error) {
	if before.live == nil {
		if err := a.requireServer(ctx, server); err != nil {
			return Result{}, err
		}
	}
	sent, err := a.replace(ctx, desired, before)
	if err != nil {
		return Result{}, err
	}
	result := Result{Live: sent, Changed: true, Made: before.live == nil}
	if !before.applied(desired) {
		return result, nil
	}
	after, _, err := ownedFields(sent)
	if err != nil {
		return Result{}, err
	}
	if fields := lost(before.owned, after).Union(before.foreign); !fields.Empty() {
		result.Drift = driftOf(before, fields)
		a.count(server, desired)
	}
	return result, nil
}

// requireServer returns a conflict if a server was deleted during a pass. What is missing then was deleted with it: to create it again would
// start pods on the data until the garbage collector removes them.
func (a *Applier) requireServer(ctx context.Context, server *v1alpha1.ChatServer) error {
	now := &v1alpha1.ChatServer{}
	err := a.client.Get(ctx, client.ObjectKeyFromObject(server), now)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("read ChatServer %s: %w", server.Name, err)
	case err != nil, now.UID != server.UID, !now.DeletionTimestamp.IsZero():
		return apierrors.NewConflict(v1alpha1.GroupVersion().WithResource("chatservers").GroupResource(), server.Name, errDeleted)
	}
	return nil
}

var errDeleted = errors.New("it was deleted during the pass")

// replace removes foreign fields, and applies an object. The applied annotation has a hash of the fields that the
// operator will own; a dry run determines them first.
func (a *Applier) replace(ctx context.Context, desired *unstructured.Unstructured, before state) (*unstructured.Unstructured, error) {
	if !before.foreign.Empty() {
		if err := a.adopt(ctx, before.live, before.foreign); err != nil {
			return nil, err
		}
	}
	tried, sent := desired.DeepCopy(), desired.DeepCopy()
	err := a.send(ctx, tried, client.DryRunAll)
	if before.live != nil && isImmutable(desired, err) {
		if err := a.detach(ctx, before.live); err != nil {
			return nil, err
		}
		err = a.send(ctx, tried, client.DryRunAll)
	}
	if err != nil {
		return nil, err
	}
	owned, _, err := ownedFields(tried)
	if err != nil {
		return nil, err
	}
	annotate(sent, mark(desired, owned))
	return sent, a.send(ctx, sent)
}

// CountDeletion counts as drift that an object of a server was deleted and had to be recreated, and returns the drift to
// report.
func (a *Applier) CountDeletion(server *v1alpha1.ChatServer, made *unstructured.Unstructured) Drift {
	a.count(server, made)
	return Drift{Object: name(made)}
}

// Forget drops the counts of a server that was deleted.
func (a *Applier) Forget(server types.NamespacedName) {
	a.drifts.DeletePartialMatch(prometheus.Labels{"namespace": server.Namespace, "chatserver": server.Name})
}

func (a *Applier) count(server *v1alpha1.ChatServer, object *unstructured.Unstructured) {
	a.drifts.WithLabelValues(server.Namespace, server.Name, object.GetKind()).Inc()
}

// send applies an object, and overwrites it with the response.
func (a *Applier) send(ctx context.Context, object *unstructured.Unstructured, options ...client.ApplyOption) error {
	options = append(options, client.FieldOwner(v1alpha1.Manager), client.ForceOwnership)
	if err := a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), options...); err != nil {
		return fmt.Errorf("apply %s: %w", name(object), err)
	}
	return nil
}

// Create creates an object of a server unless it exists, for objects that can't be updated, such as a Job. The error is
// a [*NotOursError] if the operator didn't create the existing one.
func (a *Applier) Create(ctx context.Context, server *v1alpha1.ChatServer, object runtime.ApplyConfiguration) (Result, error) {
	desired, err := Desired(object)
	if err != nil {
		return Result{}, err
	}
	state, err := look(ctx, a.direct, desired)
	switch {
	case err != nil:
		return Result{}, err
	case state.live == nil:
		return a.write(ctx, server, desired, state)
	case !state.known && !Ours(state.live, server):
		return Result{}, &NotOursError{name(desired)}
	}
	return Result{Live: state.live}, nil
}

// Ours reports whether an object has the labels of an object that the operator has created for a server. Secrets of accounts
// inside a server may have any labels: those are of other objects.
func Ours(object client.Object, server *v1alpha1.ChatServer) bool {
	labels, account := object.GetLabels(), object.GetAnnotations()[v1alpha1.AnnotationCredentialsOf]
	return labels[v1alpha1.LabelManagedBy] == v1alpha1.Manager && labels[v1alpha1.LabelInstance] == server.Name && account == ""
}

// Desired returns an object as it is sent: without nil values, and annotated with its hash.
func Desired(configuration runtime.ApplyConfiguration) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(configuration)
	if err != nil {
		return nil, fmt.Errorf("encode an object: %w", err)
	}
	fields := map[string]any{}
	if err := utiljson.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("decode an object: %w", err)
	}
	dropNil(fields)
	object := &unstructured.Unstructured{Object: fields}
	return object, addHash(object)
}

// addHash annotates an object with its hash.
func addHash(object *unstructured.Unstructured) error {
	text, err := json.Marshal(object.Object)
	if err != nil {
		return fmt.Errorf("encode an object: %w", err)
	}
	annotate(object, sum(text))
	return nil
}

func dropNil(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			if field == nil {
				delete(value, key)
			}
			dropNil(field)
		}
	case []any:
		for _, item := range value {
			dropNil(item)
		}
	}
}

// annotate sets the annotation that identifies the applied state.
func annotate(object *unstructured.Unstructured, applied string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotationApplied] = applied
	object.SetAnnotations(annotations)
}

// mark returns the annotation that an object has if none of its fields was changed since it was applied.
func mark(desired *unstructured.Unstructured, owned *fieldpath.Set) string {
	return desired.GetAnnotations()[annotationApplied] + "." + sum([]byte(owned.String()))
}

// sumLength is the length of a hash, in hexadecimal digits.
const sumLength = 16

func sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])[:sumLength]
}

// state is the live state of an object.
type state struct {
	live    *unstructured.Unstructured // nil: it doesn't exist
	known   bool                       // the operator has applied it before
	owned   *fieldpath.Set             // by the operator
	foreign *fieldpath.Set             // set by others without permission
}

// same reports whether an object needs no change.
func (s state) same(desired *unstructured.Unstructured) bool {
	return s.live != nil && s.known && s.foreign.Empty() && s.live.GetAnnotations()[annotationApplied] == mark(desired, s.owned)
}

// applied reports whether the same object was applied before, so that any difference was made by others. If the
// annotation is missing, the whole object was replaced.
func (s state) applied(desired *unstructured.Unstructured) bool {
	if s.live == nil || !s.known {
		return false
	}
	before, _, _ := strings.Cut(s.live.GetAnnotations()[annotationApplied], ".")
	return before == "" || before == desired.GetAnnotations()[annotationApplied]
}

func look(ctx context.Context, reader client.Reader, desired *unstructured.Unstructured) (state, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(desired.GroupVersionKind())
	err := reader.Get(ctx, types.NamespacedName{Namespace: desired.GetNamespace(), Name: desired.GetName()}, live)
	switch {
	case apierrors.IsNotFound(err):
		return state{owned: fieldpath.NewSet(), foreign: fieldpath.NewSet()}, nil
	case err != nil:
		return state{}, fmt.Errorf("read %s: %w", name(desired), err)
	}
	return stateOf(live)
}

func stateOf(live *unstructured.Unstructured) (found state, err error) {
	found.live, found.foreign = live, fieldpath.NewSet()
	if found.owned, found.known, err = ownedFields(live); err == nil && found.known && ownedWhole(live) {
		found.foreign, err = foreignFields(live, found.owned)
	}
	return found, err
}
