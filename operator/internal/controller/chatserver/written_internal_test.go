package chatserver

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestWhatIsOlderThanOnesOwnWritesIsKnown(t *testing.T) {
	at := func(version string) *v1alpha1.ChatServer {
		return &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main", ResourceVersion: version}}
	}
	w := &written{}
	if w.isAfter(at("9")) {
		t.Error("nothing was written yet")
	}
	w.note(at("10"))
	for version, want := range map[string]bool{"9": true, "10": false, "11": false, "100": false} {
		if got := w.isAfter(at(version)); got != want {
			t.Errorf("version %s: older: %t", version, got)
		}
	}
	other := at("9")
	other.Name = "other"
	if w.isAfter(other) {
		t.Error("that one was never written")
	}
	w.forget(nameOf(at("10")))
	if w.isAfter(at("9")) {
		t.Error("it was forgotten")
	}
}
