package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/testcluster"
)

// The cluster that all tests share, each in its own namespace.
var (
	cluster *testcluster.Cluster
	api     client.Client
)

func TestMain(m *testing.M) {
	testcluster.Main(m, func(c *testcluster.Cluster) {
		scheme := runtime.NewScheme()
		if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
			panic(err)
		}
		made, err := client.New(c.Config, client.Options{Scheme: scheme})
		if err != nil {
			panic(err)
		}
		cluster, api = c, made
	})
}

// kubeconfig writes a file for kubectl, for an administrator or for another user.
func kubeconfig(t *testing.T, somebody string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: cluster.Config.Host, CertificateAuthorityData: cluster.Config.CAData}
	config.AuthInfos["test"] = &clientcmdapi.AuthInfo{Token: cluster.Config.BearerToken, Impersonate: somebody}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	config.CurrentContext = "test"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// result is the exit code and output of a command.
type result struct {
	code     int
	out, err string
}

// kubectlChat runs a command in a namespace.
func kubectlChat(t *testing.T, namespace string, args ...string) result {
	t.Helper()
	out, err := &bytes.Buffer{}, &bytes.Buffer{}
	code := Run(t.Context(), append(args, "--kubeconfig", kubeconfig(t, ""), "--namespace", namespace), Deps{
		Out: out, Err: err, Now: func() time.Time { return noon },
	})
	return result{code, out.String(), err.String()}
}

// wants checks the exit code, and that the output contains texts.
func (r result) wants(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("code %d, not %d\n%s%s", r.code, code, r.out, r.err)
	}
	for _, text := range texts {
		if !strings.Contains(r.out+r.err, text) {
			t.Errorf("no %q in\n%s%s", text, r.out, r.err)
		}
	}
}

// namespace creates a namespace.
func namespace(t *testing.T) string {
	t.Helper()
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "plugin-"}}
	create(t, made)
	return made.Name
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := api.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// server creates a ChatServer main of version 1.4.1.
func server(t *testing.T, change func(*v1alpha1.ChatServer)) *v1alpha1.ChatServer {
	t.Helper()
	made := &v1alpha1.ChatServer{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace(t), Name: "main"},
		Spec: v1alpha1.ChatServerSpec{
			Version: "1.4.1", Host: "chat.corp.example",
			Database: v1alpha1.Database{Mode: v1alpha1.DatabaseEphemeral}, Cache: v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral},
		},
	}
	if change != nil {
		change(made)
	}
	status := made.Status
	create(t, made)
	made.Status = status
	setStatus(t, made)
	return made
}

func setStatus(t *testing.T, object client.Object) {
	t.Helper()
	if err := api.Status().Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// current reads an object again.
func current[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	return object
}

// operate acts once like an operator: as soon as the object has changed, it updates its status.
func operate[T client.Object](t *testing.T, object T, react func(T)) {
	t.Helper()
	version := object.GetResourceVersion()
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		for object.GetResourceVersion() == version {
			if err := api.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return // the test is over
			}
			time.Sleep(20 * time.Millisecond)
		}
		react(object)
		if err := api.Status().Update(ctx, object); err != nil {
			t.Errorf("the status: %v", err)
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
}

// condition adds a condition to a list.
func condition(to *[]metav1.Condition, kind, reason, message string, status metav1.ConditionStatus) {
	meta.SetStatusCondition(to, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message})
}

func TestHibernateAndWake(t *testing.T) {
	t.Parallel()
	made := server(t, func(s *v1alpha1.ChatServer) { s.Status.API.Replicas = 2 })
	operate(t, made.DeepCopy(), func(s *v1alpha1.ChatServer) {
		s.Status = v1alpha1.ChatServerStatus{ObservedGeneration: s.Generation}
		condition(&s.Status.Conditions, "Ready", v1alpha1.ReasonHibernated, "", metav1.ConditionFalse)
	})
	kubectlChat(t, made.Namespace, "hibernate", "main").wants(t, ExitDone, "is hibernated", "kubectl chat wake main")
	if state := current(t, made).Spec.State; state != v1alpha1.StateHibernated {
		t.Errorf("%s", state)
	}
	operate(t, made.DeepCopy(), func(s *v1alpha1.ChatServer) {
		s.Status.ObservedGeneration = s.Generation
		condition(&s.Status.Conditions, "Ready", v1alpha1.ReasonServing, "", metav1.ConditionTrue)
	})
	kubectlChat(t, made.Namespace, "wake", "main").wants(t, ExitDone, "awake and ready")
	if state := current(t, made).Spec.State; state != v1alpha1.StateRunning {
		t.Errorf("%s", state)
	}
}

func TestPauseServer(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	operate(t, made.DeepCopy(), func(s *v1alpha1.ChatServer) {
		s.Status.ObservedGeneration = s.Generation
		condition(&s.Status.Conditions, "Paused", v1alpha1.ReasonPaused, "", metav1.ConditionTrue)
	})
	kubectlChat(t, made.Namespace, "pause", "main").wants(t, ExitDone, "is paused")
	if state := current(t, made).Spec.State; state != v1alpha1.StatePaused {
		t.Errorf("%s", state)
	}
}

func TestPauseGuest(t *testing.T) {
	t.Parallel()
	made := organization(t, namespace(t))
	kubectlChat(t, made.Namespace, "pause", "organization/engineering", "--no-wait").wants(t, ExitDone)
	if current(t, made).Annotations[v1alpha1.AnnotationPaused] != "true" {
		t.Errorf("%v", made.Annotations)
	}
	kubectlChat(t, made.Namespace, "wake", "org/engineering", "--no-wait").wants(t, ExitDone)
	if _, still := current(t, &v1alpha1.Organization{ObjectMeta: metav1.ObjectMeta{Namespace: made.Namespace, Name: made.Name}}).Annotations[v1alpha1.AnnotationPaused]; still {
		t.Error("the server is still paused")
	}
}

// organization creates an organization with three owners, two of whom have credentials.
func organization(t *testing.T, namespace string) *v1alpha1.Organization {
	t.Helper()
	made := &v1alpha1.Organization{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "engineering"},
		Spec: v1alpha1.OrganizationSpec{
			ServerRef: v1alpha1.Reference{Name: "main"}, Name: "Engineering",
			Owners: []v1alpha1.OrganizationOwner{
				{Email: "cleo@corp.example"},
				{Email: "ada@corp.example", FullName: "Ada", Credentials: &v1alpha1.Credentials{SecretName: "ada"}},
				{Email: "o'ben@corp.example", Credentials: &v1alpha1.Credentials{SecretName: "ben"}},
			},
		},
	}
	create(t, made)
	return made
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	kubectlChat(t, made.Namespace, "hibernate", "main", "--timeout", "600ms").wants(t, ExitNotYet, "isn't done after 600ms", "is it running?")
	current(t, made).Status.ObservedGeneration = made.Generation
	condition(&made.Status.Conditions, "Ready", v1alpha1.ReasonProgressing, "stopping api", metav1.ConditionFalse)
	setStatus(t, made)
	kubectlChat(t, made.Namespace, "hibernate", "main", "--timeout", "600ms").wants(t, ExitNotYet, "Progressing: stopping api")
}

// kubectlPath finds kubectl beside the API server's program, or on the PATH.
func kubectlPath(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("../../../.local/cluster/*/bin/kubectl")
	if err != nil {
		t.Fatal(err)
	}
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		found = []string{filepath.Join(assets, "kubectl")}
	}
	if len(found) == 0 {
		t.Fatal("kubectl is missing: run `hack/cluster assets`")
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// The output of --dry-run, run by a shell, has the same effect as the command. What the API server refuses isn't printed.
func TestDryRun(t *testing.T) {
	t.Parallel()
	kubectlChat(t, server(t, nil).Namespace, "rollback", "main", "--to", "v1.4.0", "--dry-run").wants(t, ExitFailed, "without a v")
	kubectl := kubectlPath(t)
	for _, c := range []struct{ args, want string }{
		{"pause main", `.spec.state=Paused`},
		{"rollback main --to 1.4.0", `.spec.version=1.4.0`},
		{"pause organization/engineering", `.metadata.annotations.chatserver\.dev/paused=true`},
		{"rotate owner engineering o'ben@corp.example", `.spec.owners[2].credentials.rotationToken=20261120T120000.000000000Z`},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			made := server(t, nil)
			created := organization(t, made.Namespace)
			line := kubectlChat(t, made.Namespace, append(strings.Fields(c.args), "--dry-run")...)
			line.wants(t, ExitDone, "kubectl --kubeconfig")
			if current(t, made).Generation != 1 || current(t, created).Generation != 1 {
				t.Error("something was changed")
			}
			text := strings.Replace(line.out, "kubectl", kubectl, 1)
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", text).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", text, err, out)
			}
			path, want, _ := strings.Cut(c.want, "=")
			resource := "chatserver/main"
			if strings.Contains(c.args, "engineering") {
				resource = "organization/engineering"
			}
			out, err := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", kubeconfig(t, ""), "-n", made.Namespace, "get", resource, "-o", "jsonpath={"+path+"}").CombinedOutput()
			if err != nil || string(out) != want {
				t.Errorf("%s is %q, %v", path, out, err)
			}
		})
	}
}

// A change is refused if the object was changed in the meantime.
func TestSomebodyElse(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	stale := made.DeepCopy()
	made.Spec.Version = "1.4.2"
	if err := api.Update(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	session := session{client: api, namespace: made.Namespace}
	changed, err := session.change(t.Context(), serverTarget(stale), setState(serverTarget(stale), v1alpha1.StatePaused), changing{})
	if changed || err == nil || !strings.Contains(err.Error(), "was changed at the same time") {
		t.Errorf("%v, %v", changed, err)
	}
	if state := current(t, made).Spec.State; state != v1alpha1.StateRunning {
		t.Errorf("%s", state)
	}
}

func TestNotesOfOwners(t *testing.T) {
	t.Parallel()
	made := server(t, func(s *v1alpha1.ChatServer) { s.Annotations = map[string]string{"meta.helm.sh/release-name": "main"} })
	kubectlChat(t, made.Namespace, "pause", "main", "--no-wait").wants(t, ExitDone, "managed by the Helm release main")
}

func TestErrors(t *testing.T) {
	t.Parallel()
	in := namespace(t)
	for args, c := range map[string]struct {
		code int
		text string
	}{
		"":                         {ExitUsage, "expected one of"},
		"stat":                     {ExitUsage, "kubectl chat --help"},
		"rollback":                 {ExitUsage, "<name>"},
		"pause main --timeout x":   {ExitUsage, "timeout"},
		"status ''":                {ExitUsage, "[<name>] is empty: set it, or leave it out"},
		"status --context ''":      {ExitUsage, "--context is empty"},
		"rollback main --to ''":    {ExitUsage, "--to is empty"},
		"rotate owner eng ''":      {ExitUsage, "[<email>] is empty"},
		"pause bot/":               {ExitFailed, "the name of the Bot is missing"},
		"wake main --timeout=-1s":  {ExitUsage, "--timeout is -1s: set a positive duration such as 90s, or use --no-wait"},
		"rotate bot x --timeout=0": {ExitUsage, "--timeout is 0s"},
		"--help":                   {ExitDone, "Exit codes"},
		"rotate bot --help":        {ExitDone, "--[no-]wait"},
		"status":                   {ExitFailed, "no ChatServer in namespace"},
		"status main":              {ExitFailed, "ChatServer " + in + "/main not found"},
		"pause boat/main":          {ExitFailed, `unknown kind "boat"`},
		"wake bot/deploy":          {ExitFailed, "Bot "},
		"hibernate bot/deploy":     {ExitFailed, `"bot/deploy" isn't the name of an object of the kind ChatServer`},
		"rotate owner none":        {ExitFailed, "Organization "},
		"hibernate none":           {ExitFailed, "kubectl get chatservers.chatserver.dev --all-namespaces"},
		"status --context nobody":  {ExitFailed, "read the kubeconfig"},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			arguments := strings.Fields(args)
			for i, argument := range arguments {
				arguments[i] = strings.Trim(argument, "'")
			}
			kubectlChat(t, in, arguments...).wants(t, c.code, c.text)
		})
	}
}

func TestStatusFromTheCluster(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	organization(t, made.Namespace)
	kubectlChat(t, made.Namespace, "status").wants(t, ExitDone, "ChatServer "+made.Namespace+"/main", "Organization     0/1")
	one, list := serverReport{}, []serverReport{}
	if err := json.Unmarshal([]byte(kubectlChat(t, made.Namespace, "status", "main", "-o", "json").out), &one); err != nil || one.Name != "main" {
		t.Errorf("%v: %+v", err, one)
	}
	if err := json.Unmarshal([]byte(kubectlChat(t, made.Namespace, "status", "-o", "json").out), &list); err != nil || len(list) != 1 {
		t.Errorf("%v: %+v", err, list)
	}
}

// Users with rights in only one namespace see its objects, and the output says so. Changes without permission are
// reported, too.
func TestRights(t *testing.T) {
	t.Parallel()
	made := server(t, nil)
	somebody := "reader-" + made.Namespace
	path := kubeconfig(t, somebody)
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: made.Namespace, Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{v1alpha1.Group}, Resources: []string{"*"}, Verbs: []string{"get", "list"}}},
	}
	create(t, role)
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: made.Namespace, Name: "reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: somebody}},
	})
	run := func(args ...string) result {
		out := &bytes.Buffer{}
		code := Run(t.Context(), append(args, "--kubeconfig", path, "-n", made.Namespace), Deps{Out: out, Err: out, Now: time.Now})
		return result{code: code, out: out.String()}
	}
	run("status", "main").wants(t, ExitDone, fmt.Sprintf("only objects in %s are counted", made.Namespace))
	run("pause", "main").wants(t, ExitFailed, "permission denied", "forbidden")
}
