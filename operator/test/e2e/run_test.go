//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// command bounds one call of kubectl or helm.
const command = 4 * time.Minute

// run runs a program and returns its standard output; an error contains its standard error.
func run(input, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), command)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Stdin = strings.NewReader(input)
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil {
		return strings.TrimSpace(out.String()), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(complaints.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

func try(args ...string) (string, error) { return run("", "kubectl", args...) }

func kubectl(t testing.TB, args ...string) string {
	t.Helper()
	out, err := try(args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func helm(t testing.TB, args ...string) string {
	t.Helper()
	out, err := run("", os.Getenv("HELM"), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// apply applies documents to a namespace; empty: to the one that each of them names.
func apply(t testing.TB, namespace, documents string) {
	t.Helper()
	args := []string{"apply", "-f", "-"}
	if namespace != "" {
		args = append(args, "-n", namespace)
	}
	if _, err := run(documents, "kubectl", args...); err != nil {
		t.Fatal(err)
	}
}

// patch merges a change into an object.
func patch(t testing.TB, namespace, object, change string) {
	t.Helper()
	kubectl(t, "patch", "-n", namespace, object, "--type=merge", "-p", change)
}

// field reads a field of an object by a JSONPath; what isn't there is empty.
func field(t testing.TB, namespace, object, path string) string {
	t.Helper()
	return kubectl(t, "get", "-n", namespace, object, "-o", "jsonpath={"+path+"}")
}

// secret reads a key of a Secret.
func secret(t testing.TB, namespace, name, key string) string {
	t.Helper()
	value, err := base64.StdEncoding.DecodeString(field(t, namespace, "secret/"+name, ".data."+strings.ReplaceAll(key, ".", `\.`)))
	if err != nil || len(value) == 0 {
		t.Fatalf("Secret %s/%s has no key %s", namespace, name, key)
	}
	return string(value)
}

// ready waits for objects to be ready.
func ready(t testing.TB, namespace string, objects ...string) {
	t.Helper()
	for _, object := range objects {
		kubectl(t, "wait", "-n", namespace, object, "--for=condition=Ready", "--timeout=3m")
	}
}

// condition is what a condition of an object says.
type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// conditionOf returns a condition of an object; without one, an empty one.
func conditionOf(t testing.TB, namespace, object, kind string) condition {
	t.Helper()
	all := []condition{}
	text := field(t, namespace, object, ".status.conditions")
	if text == "" {
		return condition{}
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("conditions of %s: %v", object, err)
	}
	for _, one := range all {
		if one.Type == kind {
			return one
		}
	}
	return condition{}
}

// says waits until a condition of an object says all of the words in its reason and message.
func says(t testing.TB, namespace, object, kind string, words ...string) {
	t.Helper()
	eventually(t, 2*time.Minute, func() error {
		now := conditionOf(t, namespace, object, kind)
		for _, word := range words {
			if !strings.Contains(now.Reason+": "+now.Message, word) {
				return fmt.Errorf("%s of %s is %+v, which doesn't say %q", kind, object, now, word)
			}
		}
		return nil
	})
}

// eventually waits until check succeeds.
func eventually(t testing.TB, within time.Duration, check func() error) {
	t.Helper()
	end := time.Now().Add(within)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not within %s: %v", within, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// object is what the tests look at in objects of all kinds.
type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name              string            `json:"name"`
		UID               string            `json:"uid"`
		ResourceVersion   string            `json:"resourceVersion"`
		Labels            map[string]string `json:"labels"`
		DeletionTimestamp string            `json:"deletionTimestamp"`
	} `json:"metadata"`
}

// list lists objects.
func list(t testing.TB, namespace, kinds string, args ...string) []object {
	t.Helper()
	found := struct {
		Items []object `json:"items"`
	}{}
	text := kubectl(t, append([]string{"get", "-n", namespace, kinds, "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	return found.Items
}

// pods returns the UIDs of pods by name: equal maps mean that none was replaced.
func pods(t testing.TB, namespace string, args ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pod := range list(t, namespace, "pods", append([]string{"--field-selector=status.phase=Running"}, args...)...) {
		if pod.Metadata.DeletionTimestamp == "" {
			found[pod.Metadata.Name] = pod.Metadata.UID
		}
	}
	return found
}

// versions returns the resource versions of objects of the shared server: equal maps mean that nothing was written.
func versions(t testing.TB, kinds string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, one := range list(t, chat, kinds) {
		found[one.Kind+"/"+one.Metadata.Name] = one.Metadata.ResourceVersion
	}
	return found
}

// namespace makes a namespace that enforces the strictest Pod Security, and removes it after the test.
func namespace(t *testing.T, name string) {
	t.Helper()
	makeNamespace(t, name)
	deleteWith(t, name)
}

// deleteWith deletes a namespace when the test ends.
func deleteWith(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() {
		if _, err := try("delete", "namespace", name, "--wait=false", "--ignore-not-found"); err != nil {
			t.Error(err)
		}
	})
}

func makeNamespace(t testing.TB, name string) {
	t.Helper()
	if err := gone("namespace/" + name)(); err != nil && strings.Contains(err.Error(), "Terminating") { // of a run before
		kubectl(t, "wait", "--for=delete", "namespace/"+name, "--timeout=2m")
	}
	apply(t, "", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: "+name+"\n  labels: {pod-security.kubernetes.io/enforce: restricted}\n")
}

// gone checks that an object isn't there.
func gone(object string, args ...string) func() error {
	return func() error {
		text, err := try(append([]string{"get", object, "--ignore-not-found"}, args...)...)
		if err == nil && text != "" {
			err = errors.New(text)
		}
		return err
	}
}
