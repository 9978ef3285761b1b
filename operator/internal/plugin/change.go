package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

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

// patch is a change of one object.
type patch struct {
	kind types.PatchType
	body any
}

// set is a patch that sets fields; null removes one.
func set(fields map[string]any) patch { return patch{types.MergePatchType, fields} }

// operation is a line of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// command is the patch for people to paste.
func (s *session) command(t target, p patch) (string, error) {
	body, err := json.Marshal(p.body)
	if err != nil {
		return "", fmt.Errorf("write the patch: %w", err)
	}
	words := []string{"kubectl"}
	if s.connection.Kubeconfig != "" {
		words = append(words, "--kubeconfig", quoted(s.connection.Kubeconfig))
	}
	if s.connection.Context != "" {
		words = append(words, "--context", quoted(s.connection.Context))
	}
	flavour := "merge"
	if p.kind == types.JSONPatchType {
		flavour = "json"
	}
	words = append(words, "--namespace", t.object.GetNamespace(), "patch", t.resource+"."+v1alpha1.Group, t.object.GetName(),
		"--type", flavour, "--patch", quoted(string(body)))
	return strings.Join(words, " "), nil
}

// quoted is a text as a word for a shell.
func quoted(text string) string {
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@", r)
	}) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// change patches an object, or says how to. It returns whether the object is changed.
func (s *session) change(ctx context.Context, t target, p patch, flags changing) (bool, error) {
	if flags.DryRun {
		line, err := s.command(t, p)
		if err != nil {
			return false, err
		}
		fmt.Fprintln(s.Out, line)
		return false, nil
	}
	body := p.body
	if fields, ok := body.(map[string]any); ok {
		body = locked(fields, t.object.GetResourceVersion())
	}
	text, err := json.Marshal(body)
	if err != nil {
		return false, fmt.Errorf("write the patch: %w", err)
	}
	if err := s.client.Patch(ctx, t.object, client.RawPatch(p.kind, text), client.FieldOwner(fieldOwner)); err != nil {
		return false, explain(err, t.String(), t.resource)
	}
	s.warnOfOwners(t)
	return true, nil
}

// locked is a merge patch that is refused when the object is no longer what was read.
func locked(fields map[string]any, version string) map[string]any {
	metadata := map[string]any{"resourceVersion": version}
	if given, ok := fields["metadata"].(map[string]any); ok {
		maps.Copy(metadata, given)
	}
	all := maps.Clone(fields)
	all["metadata"] = metadata
	return all
}

// warnOfOwners says who will undo a change.
func (s *session) warnOfOwners(t target) {
	owners := map[string]string{
		"meta.helm.sh/release-name":      "the Helm release %s: change its values as well, or the next upgrade reverts it",
		"argocd.argoproj.io/tracking-id": "Argo CD (%s): change it in Git as well, or the next sync reverts it",
	}
	for annotation, text := range owners {
		if value := t.object.GetAnnotations()[annotation]; value != "" {
			fmt.Fprintf(s.Err, "note: %s is managed by "+text+"\n", t, value)
		}
	}
	if name := t.object.GetLabels()["kustomize.toolkit.fluxcd.io/name"]; name != "" {
		fmt.Fprintf(s.Err, "note: %s is managed by Flux (%s): change it in Git as well, or it is reverted soon\n", t, name)
	}
}

// notYetError says that the spec is changed, but the operator isn't done with it.
type notYetError struct{ text string }

func (e *notYetError) Error() string { return e.text }

// await reads an object again and again until it is as it was to be. What happens meanwhile is what the operator
// says of it.
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

// progress says what keeps the operator.
func progress(t target) string {
	ready := t.condition(v1alpha1.ConditionReady)
	switch {
	case !t.seen():
		return "the operator hasn't processed the change yet; is it running? `kubectl get deployments --all-namespaces -l app.kubernetes.io/name=chatserver-operator`"
	case ready.Message != "":
		return ready.Reason + ": " + ready.Message
	default:
		return "it continues by itself; `kubectl chat status` shows how far it is"
	}
}

// stalled returns what the operator waits for somebody to do, if it does.
func stalled(t target) error {
	if c := t.condition(v1alpha1.ConditionStalled); t.seen() && t.has(v1alpha1.ConditionStalled) {
		return fmt.Errorf("%s was changed, but the operator can't continue: %s: %s%s", t, c.Reason, c.Message, nextStep(c.Reason))
	}
	return nil
}

// parked says that nothing happens to an object before somebody wakes it or its server.
func parked(t target) error {
	ready := t.condition(v1alpha1.ConditionReady)
	switch {
	case t.has(v1alpha1.ConditionPaused), ready.Reason == v1alpha1.ReasonHibernated:
		return &notYetError{fmt.Sprintf("%s was changed, but is paused or hibernated: the change takes effect after `kubectl chat wake`", t)}
	case ready.Reason == v1alpha1.ReasonServerPaused, ready.Reason == v1alpha1.ReasonServerHibernated:
		return &notYetError{fmt.Sprintf("%s was changed, but its server is paused or hibernated: the change takes effect after `kubectl chat wake` of the server", t)}
	}
	return nil
}

// nextStep is advice to append to a message.
func nextStep(reason string) string {
	if text := advice()[reason]; text != "" {
		return "\n  next: " + text
	}
	return ""
}
