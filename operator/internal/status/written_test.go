package status_test

import (
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/status"
)

func TestWhatIsOlderThanOnesOwnWritesIsKnown(t *testing.T) {
	at := func(version string) *v1alpha1.ChatServer {
		return &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main", ResourceVersion: version}}
	}
	w := status.NewWritten(clock.RealClock{})
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

// After etcd was restored from a backup, versions start again from an earlier one.
func TestAWriteIsNotRememberedForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		object := &v1alpha1.ChatServer{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main", ResourceVersion: "10"}}
		w := status.NewWritten(clock.RealClock{})
		w.Note(object)
		object.ResourceVersion = "9"
		time.Sleep(10 * time.Second)
		if !w.IsAfter(object) {
			t.Error("after 10 seconds the cache may still be behind")
		}
		time.Sleep(time.Minute)
		if w.IsAfter(object) {
			t.Error("after a minute the write is still waited for")
		}
	})
}
