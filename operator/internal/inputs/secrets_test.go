package inputs_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"chatserver.dev/operator/internal/inputs"
)

// A pass sees what a Secret was when it first read it, or what it has written itself.
func TestASecretIsReadOnce(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	secrets := inputs.NewSecrets(c, "chat")
	read := func(name string) string {
		t.Helper()
		secret, err := secrets.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if secret == nil {
			return "none"
		}
		return string(secret.Data["key"])
	}
	write := func(name, value string) *corev1.Secret {
		t.Helper()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: name}, Data: map[string][]byte{"key": []byte(value)}}
		if err := c.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		return secret
	}
	if got := read("a"); got != "none" {
		t.Errorf("it is %s", got)
	}
	made := write("a", "1")
	if got := read("a"); got != "none" {
		t.Errorf("it was read again: %s", got)
	}
	secrets.Set("a", made)
	if got := read("a"); got != "1" {
		t.Errorf("it is %s after it was written", got)
	}
	other := write("b", "2")
	if got := read("b"); got != "2" {
		t.Errorf("another is %s", got)
	}
	if err := c.Delete(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := read("b"); got != "2" {
		t.Errorf("it was read again: %s", got)
	}
	secrets.Set("b", nil)
	if got := read("b"); got != "none" {
		t.Errorf("it is %s after it was deleted", got)
	}
}
