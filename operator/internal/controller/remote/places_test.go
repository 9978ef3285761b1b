package remote_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// abroad is a stream in another namespace.
func (w *world) abroad() *v1alpha1.Stream {
	stream := w.stream("alerts")
	stream.Namespace = w.namespace + "b"
	stream.Spec.OrganizationRef.Namespace = w.namespace
	return stream
}

func TestNamespacesMayBeAddedAndRemoved(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b"}})
	eng, stream := w.organization("eng"), w.abroad()
	w.create(eng, stream)
	w.waitReady(eng)
	w.waitForStatus(stream, metav1.ConditionFalse, v1alpha1.ReasonNamespaceNotAllowed)
	if diff := cmp.Diff([]string{v1alpha1.ConditionStalled}, trueConditions(stream)); diff != "" {
		t.Error(diff)
	}
	if n := w.faults.count("/streams/"); n != 0 {
		t.Errorf("%d calls", n)
	}
	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.AllowedNamespaces.From = v1alpha1.FromAll })
	w.waitReady(stream)
	change(w, eng, func(o *v1alpha1.Organization) {
		o.Spec.AllowedNamespaces = v1alpha1.AllowedNamespaces{From: v1alpha1.FromSelector, Selector: &v1alpha1.LabelSelector{MatchLabels: map[string]v1alpha1.LabelValue{"team": "a"}}}
	})
	w.waitForStatus(stream, metav1.ConditionFalse, v1alpha1.ReasonNamespaceNotAllowed)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace + "b"}}
	change(w, namespace, func(n *corev1.Namespace) { n.Labels["team"] = "a" })
	w.waitReady(stream)
	change(w, namespace, func(n *corev1.Namespace) { n.Labels["team"] = "b" })
	w.waitForStatus(stream, metav1.ConditionFalse, v1alpha1.ReasonNamespaceNotAllowed)
}

func TestServerLetsNamespacesInToo(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b"}})
	eng := w.organization("eng")
	eng.Namespace, eng.Spec.ServerRef.Namespace = w.namespace+"b", w.namespace
	w.create(eng)
	w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonNamespaceNotAllowed)
	change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.AllowedNamespaces.From = v1alpha1.FromAll })
	w.waitReady(eng)
}

// An Organization of another namespace can't exceed the limits of its ChatServer, by any of its fields.
func TestLimitsOfAServer(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b"}})
	eng, own := w.organization("eng"), w.organization("own")
	eng.Namespace, eng.Spec.ServerRef.Namespace = w.namespace+"b", w.namespace
	own.Spec.Limits = &v1alpha1.OrganizationLimits{MaxStreams: new(int32(6000))}
	change(w, w.server, func(s *v1alpha1.ChatServer) {
		s.Spec.AllowedNamespaces.From, s.Spec.Settings.MaxStreams = v1alpha1.FromAll, new(int32(100))
		s.Spec.Files = &v1alpha1.Files{Folder: &v1alpha1.FilesFolder{ClaimName: "files"}, OrganizationQuota: new(resource.MustParse("1Gi"))}
	})
	w.create(eng, own)
	w.waitReady(eng, own)
	for _, limits := range []v1alpha1.OrganizationLimits{
		{MaxStreams: new(int32(101))}, {UploadQuota: new(resource.MustParse("2Gi"))}, {UploadQuota: new(resource.MustParse("0"))},
	} {
		change(w, eng, func(o *v1alpha1.Organization) { o.Spec.Limits = &limits })
		if text := w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonRefused); !strings.Contains(text, "of ChatServer "+w.namespace+"/main") {
			t.Error(text)
		}
		change(w, eng, func(o *v1alpha1.Organization) {
			o.Spec.Limits = &v1alpha1.OrganizationLimits{MaxStreams: new(int32(100)), UploadQuota: new(resource.MustParse("1Gi"))}
		})
		w.waitReady(eng)
	}
	change(w, eng, func(o *v1alpha1.Organization) {
		o.Spec.Limits, o.Spec.Settings = nil, map[string]apiextensionsv1.JSON{"upload_quota": {Raw: []byte("0")}}
	})
	w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonRefused)
}

// A namespace that is no longer admitted isn't, although nobody looks at its organization while that is paused.
func TestAPausedOrganizationIsNotLetIn(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b"}})
	eng, stream := w.organization("eng"), w.abroad()
	eng.Namespace, eng.Spec.ServerRef.Namespace = w.namespace+"b", w.namespace
	stream.Spec.OrganizationRef.Namespace = eng.Namespace
	change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.AllowedNamespaces.From = v1alpha1.FromAll })
	w.create(eng, stream)
	w.waitReady(stream)
	change(w, eng, func(o *v1alpha1.Organization) { o.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
	change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.AllowedNamespaces.From = v1alpha1.FromSame })
	change(w, stream, func(s *v1alpha1.Stream) { s.Spec.Description = new("Ours now") })
	w.waitForStatus(stream, metav1.ConditionFalse, v1alpha1.ReasonNamespaceNotAllowed)
}

func TestSelectorsNeedNamespaces(t *testing.T) {
	w := newWorld(t, options{abroad: []string{"b"}, single: true})
	eng, stream := w.organization("eng"), w.abroad()
	eng.Spec.AllowedNamespaces = v1alpha1.AllowedNamespaces{From: v1alpha1.FromSelector, Selector: &v1alpha1.LabelSelector{MatchLabels: map[string]v1alpha1.LabelValue{"team": "b"}}}
	w.create(eng, stream)
	if text := w.waitForStatus(stream, metav1.ConditionFalse, v1alpha1.ReasonNamespaceNotAllowed); !strings.Contains(text, "from: All") {
		t.Error(text)
	}
}

func TestReferencesStayInsideOfWatchedNamespaces(t *testing.T) {
	w := newWorld(t, options{single: true})
	eng := w.organization("eng")
	eng.Spec.ServerRef.Namespace = "elsewhere"
	w.create(eng)
	if text := w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonServerNotFound); !strings.Contains(text, "in namespace elsewhere, which the operator doesn't watch") {
		t.Error(text)
	}
}

// rest is a state in which a server isn't called, with status and reason of Ready of what is in it.
type rest struct {
	state  v1alpha1.ChatServerState
	status metav1.ConditionStatus
	reason string
}

func rests() []rest {
	return []rest{
		{v1alpha1.StateHibernated, metav1.ConditionFalse, v1alpha1.ReasonServerHibernated},
		{v1alpha1.StatePaused, metav1.ConditionTrue, v1alpha1.ReasonServerPaused},
	}
}

func TestServerThatSleepsIsNotCalled(t *testing.T) {
	w := newWorld(t, options{resync: 300 * time.Millisecond})
	eng, stream, bot := w.organization("eng"), w.stream("alerts"), w.bot("deploy")
	w.create(eng, stream, bot)
	w.waitReady(eng, stream, bot)
	for _, rest := range rests() {
		status, reason := rest.status, rest.reason
		change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.State = rest.state })
		w.waitForStatus(eng, status, reason)
		w.waitForStatus(stream, status, reason)
		w.waitForStatus(bot, status, reason)
		before := w.faults.count("")
		change(w, stream, func(s *v1alpha1.Stream) { s.Spec.Description = new("Of " + reason) })
		w.waitForStatus(stream, status, reason)
		time.Sleep(time.Second)
		if calls := w.faults.count("") - before; calls != 0 || len(trueConditions(stream)) != 0 {
			t.Errorf("%s: %d calls, %v", rest.state, calls, trueConditions(stream))
		}
		change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateRunning })
		w.waitReady(eng, stream, bot)
	}
	w.available(false)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonServerNotReady)
	w.available(true)
	w.waitReady(eng, stream, bot)
}

// TestServerStateHasOneEvent lets a server stop and continue to serve. Its own event says so, and not one of each object in it.
func TestServerStateHasOneEvent(t *testing.T) {
	w := newWorld(t, options{})
	w.available(false)
	eng, stream := w.organization("eng"), w.stream("deploys")
	w.create(eng)
	w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonServerNotReady)
	w.waitForEvent(eng, v1alpha1.ReasonServerNotReady) // a new object's state is news
	w.available(true)
	w.create(stream)
	w.waitReady(eng, stream)
	w.waitForEvent(eng, v1alpha1.ReasonSynced)
	w.waitForEvent(stream, v1alpha1.ReasonSynced)

	before := w.events(stream)
	w.available(false)
	w.waitForStatus(stream, metav1.ConditionFalse, v1alpha1.ReasonServerNotReady)
	w.available(true)
	w.waitReady(stream)
	for _, rest := range rests() {
		status, reason := rest.status, rest.reason
		change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.State = rest.state })
		w.waitForStatus(stream, status, reason)
		change(w, w.server, func(s *v1alpha1.ChatServer) { s.Spec.State = v1alpha1.StateRunning })
		w.waitReady(stream)
	}
	w.faults.set(respondWith(http.StatusBadRequest, "PUT"))
	touch(w, stream)
	w.waitForEvent(stream, v1alpha1.ReasonRefused) // after the ones before, in the same order
	if diff := cmp.Diff(append(before, v1alpha1.ReasonRefused), w.events(stream)); diff != "" {
		t.Error(diff)
	}
}
