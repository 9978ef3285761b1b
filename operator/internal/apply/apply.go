package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

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

// NotOursError reports that an object with a name that the operator needs belongs to somebody else.
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
// [*NotOursError] if the object belongs to somebody else.
func (a *Applier) Apply(ctx context.Context, server *v1alpha1.ChatServer, object runtime.ApplyConfiguration) (Result, error) {
	desired, err := Desired(object)
	if err != nil {
		return Result{}, err
	}
	return a.apply(ctx, server, desired)
}

func (a *Applier) apply(ctx context.Context, server *v1alpha1.ChatServer, desired *unstructured.Unstructured) (Result, error) {
	state, err := look(ctx, a.client, desired)
	if err != nil {
		return Result{}, err
	}
	if !state.same() { // the cache may be stale: read again before anything is written or reported
		if state, err = look(ctx, a.direct, desired); err != nil {
			return Result{}, err
		}
	}
	switch {
	case state.same():
		return Result{Live: state.live}, nil
	case state.live != nil && !state.known && !Ours(state.live, server):
		return Result{}, &NotOursError{name(desired)}
	}
	return a.write(ctx, server, desired, state)
}

// write applies an object, and counts it if that reverts a change of somebody else.
func (a *Applier) write(ctx context.Context, server *v1alpha1.ChatServer, desired *unstructured.Unstructured, before state) (Result, error) {
	drifted := before.drifted(desired)
	if len(before.foreign) > 0 {
		if err := a.strip(ctx, before); err != nil {
			return Result{}, err
		}
	}
	sent, err := a.send(ctx, desired)
	if apierrors.IsInvalid(err) && drifted {
		if sent, err = a.resetAndApply(ctx, desired, before); err != nil {
			return Result{}, err
		}
	}
	if err != nil {
		return Result{}, err
	}
	result := Result{Live: sent, Changed: true, Made: before.live == nil}
	if drifted {
		drift := driftOf(before.live, slices.Concat(before.foreign, before.differs))
		result.Drift = &drift
		a.count(server, desired)
	}
	return result, nil
}

// Missed counts an object of a server that was recreated after somebody had deleted it.
func (a *Applier) Missed(server *v1alpha1.ChatServer, made *unstructured.Unstructured) Drift {
	a.count(server, made)
	return Drift{Object: name(made)}
}

func (a *Applier) count(server *v1alpha1.ChatServer, object *unstructured.Unstructured) {
	a.drifts.WithLabelValues(server.Namespace, server.Name, object.GetKind()).Inc()
}

func (a *Applier) send(ctx context.Context, desired *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	sent := desired.DeepCopy()
	err := a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(sent), client.FieldOwner(v1alpha1.Manager), client.ForceOwnership)
	if err != nil {
		return nil, fmt.Errorf("apply %s: %w", name(desired), err)
	}
	return sent, nil
}

// resetAndApply applies an object whose changes by others make it impossible to apply it directly.
func (a *Applier) resetAndApply(ctx context.Context, desired *unstructured.Unstructured, before state) (*unstructured.Unstructured, error) {
	if err := a.reset(ctx, desired, before); err != nil {
		return nil, err
	}
	sent, err := a.send(ctx, desired)
	if err != nil {
		return nil, err
	}
	return sent, a.release(ctx, sent)
}

// Create creates an object of a server unless it exists, for objects that can't be updated, such as a Job. The error is a
// [*NotOursError] if the existing one belongs to somebody else.
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

// Ours reports whether an object has the labels of an object that the operator has created for a server.
func Ours(object client.Object, server *v1alpha1.ChatServer) bool {
	labels := object.GetLabels()
	return labels[v1alpha1.LabelManagedBy] == v1alpha1.Manager && labels[v1alpha1.LabelInstance] == server.Name
}

// Desired returns an object as it is sent: without nil values, and annotated with its hash.
func Desired(object runtime.ApplyConfiguration) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode an object: %w", err)
	}
	fields := map[string]any{}
	if err := utiljson.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("decode an object: %w", err)
	}
	dropNil(fields)
	desired := &unstructured.Unstructured{Object: fields}
	mark, err := sum(fields)
	if err != nil {
		return nil, err
	}
	annotations := desired.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotationApplied] = mark
	desired.SetAnnotations(annotations)
	return desired, nil
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

// state is the live state of an object, for comparison with the desired one.
type state struct {
	live  *unstructured.Unstructured // nil: it doesn't exist
	known bool                       // the operator has applied it before
	comparison
	foreign []fieldpath.Path // fields that others have set without permission
}

func (s state) same() bool {
	return s.live != nil && s.known && s.comparison.same() && len(s.foreign) == 0
}

// drifted reports whether the same object was applied before, so that somebody else has changed it. Without the
// annotation, somebody has replaced the whole object.
func (s state) drifted(desired *unstructured.Unstructured) bool {
	switch {
	case s.live == nil || !s.known:
		return false
	case len(s.foreign) > 0:
		return true
	case len(s.differs) == 0:
		return false
	}
	mark, marked := s.live.GetAnnotations()[annotationApplied]
	return !marked || mark == desired.GetAnnotations()[annotationApplied]
}

func look(ctx context.Context, reader client.Reader, desired *unstructured.Unstructured) (state, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(desired.GroupVersionKind())
	err := reader.Get(ctx, types.NamespacedName{Namespace: desired.GetNamespace(), Name: desired.GetName()}, live)
	switch {
	case apierrors.IsNotFound(err):
		return state{}, nil
	case err != nil:
		return state{}, fmt.Errorf("read %s: %w", name(desired), err)
	}
	owned, known, err := ownedFields(live)
	if err != nil {
		return state{}, fmt.Errorf("compare %s: %w", name(desired), err)
	}
	foreign := []fieldpath.Path(nil)
	if known {
		if foreign, err = foreignFields(desired, live); err != nil {
			return state{}, fmt.Errorf("compare %s: %w", name(desired), err)
		}
	}
	return state{live, known, compare(desired.Object, live.Object, owned), foreign}, nil
}
