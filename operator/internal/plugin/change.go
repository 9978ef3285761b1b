package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// pollInterval is how often the status is read while a command waits.
const pollInterval = 500 * time.Millisecond

// changing has the flags of all commands that change something.
type changing struct {
	DryRun  bool          `help:"Check, and print the equivalent kubectl command. Change nothing."`
	Wait    bool          `default:"true" negatable:"" help:"Wait until the change is complete."`
	Timeout time.Duration `default:"5m" help:"How long to wait."`
}

// Validate refuses a timeout with which no change could be complete.
func (c *changing) Validate() error {
	if c.Timeout <= 0 {
		return fmt.Errorf("--timeout is %v: set a positive duration such as 90s, or use --no-wait", c.Timeout)
	}
	return nil
}

// patch is a change of one object: a merge patch or a JSON patch.
type patch struct {
	merge map[string]any
	json  []operation // nil: it is a merge patch
}

// operation is a line of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// set returns a patch that sets a field; nil removes it.
func set(value any, path ...string) patch {
	fields := map[string]any{}
	_ = unstructured.SetNestedField(fields, value, path...) // never fails in an empty map
	return patch{merge: fields}
}

// encode returns the patch's type and text. With a resource version, a merge patch fails if the object has another
// version.
func (p patch) encode(version string) (types.PatchType, []byte, error) {
	kind, body := types.JSONPatchType, any(p.json)
	if p.json == nil {
		fields := runtime.DeepCopyJSON(p.merge)
		if version != "" {
			if err := unstructured.SetNestedField(fields, version, "metadata", "resourceVersion"); err != nil {
				return "", nil, fmt.Errorf("encode the patch: %w", err)
			}
		}
		kind, body = types.MergePatchType, fields
	}
	text, err := json.Marshal(body)
	if err != nil {
		return "", nil, fmt.Errorf("encode the patch: %w", err)
	}
	return kind, text, nil
}

// command returns the equivalent kubectl command.
func (s *session) command(t target, p patch) (string, error) {
	kind, text, err := p.encode("")
	if err != nil {
		return "", err
	}
	words := []string{"kubectl"}
	if s.connection.Kubeconfig != "" {
		words = append(words, "--kubeconfig", quoted(s.connection.Kubeconfig))
	}
	if s.connection.Context != "" {
		words = append(words, "--context", quoted(s.connection.Context))
	}
	flavour := map[types.PatchType]string{types.MergePatchType: "merge", types.JSONPatchType: "json"}[kind]
	words = append(words, "--namespace", t.object.GetNamespace(), "patch", t.resource(), t.object.GetName(),
		"--type", flavour, "--patch", quoted(string(text)))
	return strings.Join(words, " "), nil
}

// quoted returns a text as a word for a shell.
func quoted(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@"
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// change patches an object. With --dry-run the API server only checks the patch, and change prints the command that applies it. It
// reports whether the object was changed.
func (s *session) change(ctx context.Context, t target, p patch, flags changing) (bool, error) {
	kind, text, err := p.encode(t.object.GetResourceVersion())
	if err != nil {
		return false, err
	}
	options := []client.PatchOption{client.FieldOwner(fieldOwner)}
	if flags.DryRun {
		options = append(options, client.DryRunAll)
	}
	if err := s.client.Patch(ctx, t.object, client.RawPatch(kind, text), options...); err != nil {
		return false, explain(err, t.String(), t.resource())
	}
	if flags.DryRun {
		line, err := s.command(t, p)
		if err == nil {
			fmt.Fprintln(s.Out, line)
		}
		return false, err
	}
	s.warnOfOwners(t)
	return true, nil
}

// apply changes an object, waits until done returns true, and prints what finished returns.
func (s *session) apply(ctx context.Context, t target, p patch, flags changing, done func() (bool, error), finished func() string) error {
	changed, err := s.change(ctx, t, p, flags)
	if err != nil || !changed || !flags.Wait {
		return err
	}
	if err := s.await(ctx, t, flags, done); err != nil {
		return err
	}
	fmt.Fprintln(s.Out, finished())
	return nil
}

// warnOfOwners prints a note if Helm, Argo CD or Flux may revert the change.
func (s *session) warnOfOwners(t target) {
	annotations, labels := t.object.GetAnnotations(), t.object.GetLabels()
	for _, owner := range []struct{ name, note string }{
		{annotations["meta.helm.sh/release-name"], "the Helm release %s: change its values as well, or a later upgrade may revert it"},
		{annotations["argocd.argoproj.io/tracking-id"], "Argo CD (%s): change it in Git as well, or the next sync reverts it"},
		{labels["kustomize.toolkit.fluxcd.io/name"], "Flux (%s): change it in Git as well, or it is reverted soon"},
	} {
		if owner.name != "" {
			fmt.Fprintf(s.Err, "note: %s is managed by "+owner.note+"\n", t, owner.name)
		}
	}
}

// notYetError reports that the spec was changed, but the change isn't complete.
type notYetError struct{ text string }

func (e *notYetError) Error() string { return e.text }

// await reads an object until done returns true or an error.
func (s *session) await(ctx context.Context, t target, flags changing, done func() (bool, error)) error {
	err := wait.PollUntilContextTimeout(ctx, pollInterval, flags.Timeout, true, func(ctx context.Context) (bool, error) {
		if err := s.read(ctx, t, t.object.GetName()); err != nil {
			return false, err
		}
		return done()
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &notYetError{fmt.Sprintf("%s was changed, but isn't done after %v: %s", t, flags.Timeout, progress(t))}
}

// progress returns what the operator is waiting for.
func progress(t target) string {
	ready := t.condition(v1alpha1.ConditionReady)
	switch {
	case !t.observed():
		return "the operator hasn't processed the change yet; is it running? `kubectl get deployments --all-namespaces -l app.kubernetes.io/name=chatserver-operator`"
	case ready.Message != "":
		return ready.Reason + ": " + ready.Message
	default:
		return "it continues by itself; `kubectl chat status` shows how far it is"
	}
}

// stalled returns an error if a change can't complete until the user does something.
func stalled(t target) error {
	c := t.condition(v1alpha1.ConditionStalled)
	if !t.observed() || c.Status != metav1.ConditionTrue {
		return nil
	}
	next := ""
	if text := advice()[c.Reason]; text != "" {
		next = "\n  next: " + text
	}
	return fmt.Errorf("%s was changed, but the operator can't continue: %s: %s%s", t, c.Reason, c.Message, next)
}

// parked returns an error if a change doesn't take effect before the object or its server is woken.
func parked(t target) error {
	switch reason := t.condition(v1alpha1.ConditionReady).Reason; {
	case t.has(v1alpha1.ConditionPaused), reason == v1alpha1.ReasonHibernated:
		return &notYetError{fmt.Sprintf("%s was changed, but is paused or hibernated: the change takes effect after `kubectl chat wake`", t)}
	case reason == v1alpha1.ReasonServerPaused, reason == v1alpha1.ReasonServerHibernated:
		return &notYetError{fmt.Sprintf("%s was changed, but its server is paused or hibernated: the change takes effect after `kubectl chat wake` of the server", t)}
	}
	return nil
}
