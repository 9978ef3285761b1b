package status_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/status"
)

func TestWhatIsOlderThanOnesOwnWritesIsKnown(t *testing.T) {
	at := func(version string) *v1alpha1.ChatServer {
		return &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main", ResourceVersion: version}}
	}
	w := &status.Written{}
	if w.IsAfter(at("9")) {
		t.Error("nothing was written yet")
	}
	w.Note(at("10"))
	for version, want := range map[string]bool{"9": true, "10": false, "11": false, "100": false} {
		if got := w.IsAfter(at(version)); got != want {
			t.Errorf("version %s: older: %t", version, got)
		}
	}
	other := at("9")
	other.Name = "other"
	if w.IsAfter(other) {
		t.Error("that one was never written")
	}
	w.Forget(client.ObjectKeyFromObject(at("10")))
	if w.IsAfter(at("9")) {
		t.Error("it was forgotten")
	}
}
