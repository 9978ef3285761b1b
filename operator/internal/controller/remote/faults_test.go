package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// respondWith returns a fault that answers calls whose method and path contain only, in place of the server.
func respondWith(status int, only string) fault {
	return func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if !strings.Contains(request.Method+" "+request.URL.Path, only) {
			return next.RoundTrip(request)
		}
		body := io.NopCloser(strings.NewReader(`{"result":"error","msg":"the reason","code":"BAD_REQUEST"}`))
		return &http.Response{StatusCode: status, Body: body, Header: http.Header{}, Request: request}, nil
	}
}

func refuseConnection(*http.Request, http.RoundTripper) (*http.Response, error) {
	return nil, syscall.ECONNREFUSED
}

func TestAnswersShowInConditions(t *testing.T) {
	cases := map[string]struct {
		fault  fault
		reason string
		has    string
	}{
		"refused":      {respondWith(400, "PUT"), v1alpha1.ReasonRefused, v1alpha1.ConditionStalled},
		"conflict":     {respondWith(409, "PUT"), v1alpha1.ReasonFailed, v1alpha1.ConditionReconciling},
		"too many":     {respondWith(429, "PUT"), v1alpha1.ReasonServerUnreachable, v1alpha1.ConditionReconciling},
		"broken":       {respondWith(500, "PUT"), v1alpha1.ReasonFailed, v1alpha1.ConditionReconciling},
		"no database":  {respondWith(503, "PUT"), v1alpha1.ReasonServerUnreachable, v1alpha1.ConditionReconciling},
		"unauthorized": {respondWith(401, "PUT"), v1alpha1.ReasonTokenNotAccepted, v1alpha1.ConditionReconciling},
		"no server":    {refuseConnection, v1alpha1.ReasonServerUnreachable, v1alpha1.ConditionReconciling},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, options{})
			w.faults.set(c.fault)
			eng := w.organization("eng")
			w.create(eng)
			text := w.waitForStatus(eng, metav1.ConditionFalse, c.reason)
			if diff := cmp.Diff([]string{c.has}, trueConditions(eng)); diff != "" {
				t.Error(diff)
			}
			if c.reason != v1alpha1.ReasonServerUnreachable && !strings.Contains(text, "the reason") {
				t.Errorf("the message isn't the server's: %s", text)
			}
			w.faults.set(nil)
			if c.has == v1alpha1.ConditionStalled { // it stays so until the spec changes, or the server's version
				w.server.Status.Version = "0.2.0"
				if err := w.client.Status().Update(t.Context(), w.server); err != nil {
					t.Fatal(err)
				}
				w.waitReady(eng)
				w.faults.set(c.fault)
				touch(w, eng)
				w.waitForStatus(eng, metav1.ConditionFalse, c.reason)
				w.faults.set(nil)
				change(w, eng, func(o *v1alpha1.Organization) { o.Spec.Name = "Other" })
			}
			w.waitReady(eng)
		})
	}
}

// A server that fails because of one object, whoever created it, is called for others as before.
func TestAnObjectThatTheServerFailsForHoldsUpNoOther(t *testing.T) {
	w := newWorld(t, options{})
	w.faults.set(respondWith(500, "poison"))
	for i := range 3 {
		poison, eng := w.organization(fmt.Sprintf("poison%d", i)), w.organization(fmt.Sprintf("eng%d", i))
		w.create(poison)
		w.eventually("a call", func() error {
			if w.faults.count(poison.Name) == 0 {
				return errUnchanged
			}
			return nil
		})
		w.create(eng)
		w.waitReady(eng)
		if reasons := w.events(eng); slices.Contains(reasons, v1alpha1.ReasonServerUnreachable) {
			t.Errorf("events %v", reasons)
		}
		w.waitForStatus(poison, metav1.ConditionFalse, v1alpha1.ReasonFailed)
	}
}

// A response that is lost after the server has made a change doesn't lead to duplicates.
func TestLostAnswersDuplicateNothing(t *testing.T) {
	w := newWorld(t, options{})
	lost := atomic.Int32{}
	seen := map[string]bool{}
	turn := make(chan struct{}, 1)
	w.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		turn <- struct{}{}
		defer func() { <-turn }()
		if err != nil || seen[request.URL.Path] {
			return response, err
		}
		seen[request.URL.Path] = true
		lost.Add(1)
		_ = response.Body.Close()
		return nil, context.DeadlineExceeded
	})
	eng, stream, bot, hook := w.organization("eng"), w.stream("alerts"), w.bot("deploy"), w.webhook()
	w.create(eng, stream, bot, hook)
	w.waitReady(eng, stream, bot, hook)
	if lost.Load() < 4 {
		t.Errorf("only %d answers were lost", lost.Load())
	}
	if !w.keyWorks(w.secret("deploy-key")) {
		t.Error("the bot's key doesn't work")
	}
	w.oneOfEach(eng)
}

// oneOfEach checks that the server has one stream, one bot and one webhook in an organization.
func (w *world) oneOfEach(eng *v1alpha1.Organization) {
	w.t.Helper()
	status, err := w.admin.Status(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	found := 0
	for _, o := range status.Organizations {
		if o.Subdomain != eng.Spec.Subdomain {
			continue
		}
		found++ // its own stream is general, for announcements
		if o.Streams != 2 || o.People != 1 || o.Bots != w.systemBots()+2 {
			w.t.Errorf("%+v", o)
		}
	}
	if found != 1 {
		w.t.Errorf("there are %d organizations", found)
	}
}

// systemBots is how many bots an organization has of itself.
func (w *world) systemBots() int64 {
	w.t.Helper()
	empty := w.organization("empty")
	w.create(empty)
	w.waitReady(empty)
	status, err := w.admin.Status(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, o := range status.Organizations {
		if o.Subdomain == empty.Spec.Subdomain {
			return o.Bots
		}
	}
	w.t.Fatal("the organization isn't there")
	return 0
}

// Whenever the operator is stopped, the next one completes what it left.
func TestEndingAtAnyMomentLosesNothing(t *testing.T) {
	w := newWorld(t, options{stopped: true})
	eng, stream, bot, hook := w.organization("eng"), w.stream("alerts"), w.bot("deploy"), w.webhook()
	w.create(eng, stream, bot, hook)
	for moment := range 8 {
		calls := atomic.Int32{}
		reached := make(chan struct{})
		w.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
			response, err := next.RoundTrip(request)
			if int(calls.Add(1)) == moment+1 {
				close(reached)
			}
			if int(calls.Load()) > moment { // the server has done it, and the response is lost
				<-request.Context().Done()
				return nil, errors.Join(request.Context().Err(), err)
			}
			return response, err
		})
		stop := w.start(options{})
		select {
		case <-reached:
		case <-time.After(3 * time.Second): // it needs fewer calls by now
		}
		stop()
		w.metrics = newRegistry()
	}
	w.faults.set(nil)
	w.start(options{})
	w.waitReady(eng, stream, bot, hook)
	for _, name := range []string{"deploy-key", "hello-key"} {
		secret := w.secret(name)
		if secret["pending-api-key"] != "" {
			t.Errorf("%s has a pending key", name)
		}
		if name == "deploy-key" && !w.keyWorks(secret) {
			t.Error("the key doesn't work")
		}
	}
	w.oneOfEach(eng)
}

// An interrupted rotation continues with the same key, so that the previous one has its grace period.
func TestRotationThatIsCutOffEndsNoKey(t *testing.T) {
	w, bot := newBotWorld(t, nil)
	before := w.secret("deploy-key")
	left := atomic.Int32{}
	left.Store(3)
	w.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil && strings.Contains(request.URL.Path, "/bots/") && left.Add(-1) >= 0 {
			_ = response.Body.Close()
			return nil, syscall.ECONNRESET
		}
		return response, err
	})
	change(w, bot, func(b *v1alpha1.Bot) { b.Spec.Credentials.RotationToken = "again" })
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonServerUnreachable)
	if !w.keyWorks(w.secret("deploy-key")) {
		t.Error("what programs read doesn't work while the rotation is under way")
	}
	after := waitForNewKey(w, before)
	if left.Load() > 0 || !w.keyWorks(before) || !w.keyWorks(after) {
		t.Errorf("%d cuts are left; old key: %v, new one: %v", left.Load(), w.keyWorks(before), w.keyWorks(after))
	}
}

// writeHook calls before ahead of each write of an object, with its path; a new one has the path of its kind.
type writeHook struct {
	next   http.RoundTripper
	before func(path string)
}

func (h writeHook) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		h.before(request.URL.Path)
	}
	return h.next.RoundTrip(request)
}

// failuresTo returns a logger that counts passes that failed.
func failuresTo(t *testing.T, count *atomic.Int32) logr.Logger {
	t.Helper()
	return funcr.New(func(_, text string) {
		if strings.Contains(text, "Reconciler error") {
			count.Add(1)
			t.Log(text)
		}
	}, funcr.Options{})
}

// The cache may be older than a change by somebody else. That is normal, so nobody's log or metrics have an error.
func TestAConflictIsNoError(t *testing.T) {
	w := newWorld(t, options{stopped: true})
	eng, stream, failures := w.organization("eng"), w.stream("alerts"), atomic.Int32{}
	w.create(eng, stream)
	changed := sync.OnceFunc(func() { touch(w, stream.DeepCopy()) })
	w.start(options{
		logger: failuresTo(t, &failures),
		through: func(next http.RoundTripper) http.RoundTripper {
			return writeHook{next, func(path string) {
				if strings.HasSuffix(path, "/streams/alerts") {
					changed()
				}
			}}
		},
	})
	w.waitReady(eng, stream)
	if n := failures.Load(); n > 0 || stream.Annotations["test/poke"] == "" {
		t.Errorf("%d failures; annotations: %v", n, stream.Annotations)
	}
}

// Two objects may name the same Secret, and create it at the same time. The one that is late says what it says later, too.
func TestASecretThatAnotherCreatesIsNoError(t *testing.T) {
	w := newWorld(t, options{stopped: true})
	eng, bot, failures := w.organization("eng"), w.bot("deploy"), atomic.Int32{}
	w.create(eng, bot)
	created := sync.OnceFunc(func() {
		if err := w.client.Create(t.Context(), &corev1.Secret{ObjectMeta: w.meta("deploy-key")}); err != nil {
			t.Error(err)
		}
	})
	w.start(options{
		logger: failuresTo(t, &failures),
		through: func(next http.RoundTripper) http.RoundTripper {
			return writeHook{next, func(path string) {
				if strings.HasSuffix(path, "/secrets") {
					created()
				}
			}}
		},
	})
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonSecretNotOurs)
	if n := failures.Load(); n > 0 {
		t.Errorf("%d failures", n)
	}
}

func TestTokenIsAwaited(t *testing.T) {
	w := newWorld(t, options{stopped: true})
	w.delete(&corev1.Secret{ObjectMeta: w.meta("main-admin")})
	w.start(options{})
	eng := w.organization("eng")
	w.create(eng)
	if text := w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonSecretNotFound); !strings.Contains(text, w.namespace+"/main-admin") {
		t.Error(text)
	}
	if n := w.faults.count(""); n != 0 {
		t.Errorf("%d calls without a token", n)
	}
}

// A server that hangs doesn't delay objects of other servers.
func TestServerThatHangsHoldsUpNoOther(t *testing.T) {
	w := newWorld(t, options{})
	slow := &v1alpha1.ChatServer{ObjectMeta: w.meta("slow"), Spec: w.server.Spec}
	w.adminSecret("slow-admin", adminToken)
	w.create(slow)
	w.serves(slow, true)
	over := make(chan struct{}) // calls hang until then, longer than their timeout
	defer close(over)
	w.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.URL.Host != "slow" {
			return next.RoundTrip(request)
		}
		<-over
		return nil, errors.New("the server didn't respond")
	})
	for i := range 40 {
		stuck := w.organization(fmt.Sprintf("stuck%d", i))
		stuck.Spec.ServerRef.Name = "slow"
		w.create(stuck)
	}
	w.eventually("calls hang", func() error {
		if w.faults.count("stuck") == 0 {
			return errUnchanged
		}
		return nil
	})
	for i := range 5 {
		eng := w.organization(fmt.Sprintf("eng%d", i))
		w.create(eng)
		w.waitReady(eng)
	}
	if hanging := w.faults.count("stuck"); hanging > 4 {
		t.Errorf("%d calls to the server that hangs", hanging)
	}
}
