package plugin

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"chatserver.dev/operator/api/v1alpha1"
)

var update = flag.Bool("update", false, "update the golden files")

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestStatus compares the output for people and scripts with golden files, for each cluster in testdata/status.
func TestStatus(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/status/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".yaml")
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			server, all := objects(t, path)
			r := report(&server, all)
			text := &bytes.Buffer{}
			if err := r.write(text, noon); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".golden.txt", text.String())
			text.Reset()
			if err := writeJSON(text, []serverReport{r}, true); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".golden.json", text.String())
		})
	}
}

// objects reads the objects of a cluster.
func objects(t *testing.T, path string) (server v1alpha1.ChatServer, all guests) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all = guests{}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		kind := metav1.TypeMeta{}
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			t.Fatal(err)
		}
		switch kind.Kind {
		case "ChatServer":
			server = strict[v1alpha1.ChatServer](t, document)
		case "Organization":
			all[kind.Kind] = append(all[kind.Kind], new(strict[v1alpha1.Organization](t, document)))
		case "Stream":
			all[kind.Kind] = append(all[kind.Kind], new(strict[v1alpha1.Stream](t, document)))
		case "User":
			all[kind.Kind] = append(all[kind.Kind], new(strict[v1alpha1.User](t, document)))
		case "Bot":
			all[kind.Kind] = append(all[kind.Kind], new(strict[v1alpha1.Bot](t, document)))
		case "IncomingWebhook":
			all[kind.Kind] = append(all[kind.Kind], new(strict[v1alpha1.IncomingWebhook](t, document)))
		default:
			t.Fatalf("%s: a %q", path, kind.Kind)
		}
	}
	return server, all
}

func strict[T any](t *testing.T, document string) (object T) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update updates it:\n%s", path, diff)
	}
}

// The output of several servers for scripts is a list.
func TestStatusOfSeveral(t *testing.T) {
	t.Parallel()
	text := &bytes.Buffer{}
	if err := writeJSON(text, []serverReport{{Name: "a"}, {Name: "b"}}, false); err != nil {
		t.Fatal(err)
	}
	got := []serverReport{}
	if err := json.Unmarshal(text.Bytes(), &got); err != nil || len(got) != 2 || got[1].Name != "b" {
		t.Errorf("%v: %s", err, text)
	}
}

// Each reason is either one of success or has advice for a next step.
func TestAdvice(t *testing.T) {
	t.Parallel()
	well := map[string]bool{}
	for _, reason := range []string{
		v1alpha1.ReasonServing, v1alpha1.ReasonSynced, v1alpha1.ReasonProgressing, v1alpha1.ReasonNothingToDo, v1alpha1.ReasonDeleting,
		v1alpha1.ReasonDependenciesReady, v1alpha1.ReasonSecretsReady,
		v1alpha1.ReasonMigrationRunning, v1alpha1.ReasonMigrationsApplied, v1alpha1.ReasonRolloutRunning, v1alpha1.ReasonRolledOut, v1alpha1.ReasonAvailable,
		v1alpha1.ReasonExposed, v1alpha1.ReasonCertificateReady, v1alpha1.ReasonDriftRepaired,
		v1alpha1.ReasonAccepted, v1alpha1.ReasonIssued,
		// Of events only.
		v1alpha1.ReasonKeyIssued, v1alpha1.ReasonKeyReplaced, v1alpha1.ReasonRetained, v1alpha1.ReasonReleased, v1alpha1.ReasonDeletionGivenUp,
	} {
		well[reason] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../../api/v1alpha1/conditions.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	reasons := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Reason") {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok {
			t.Fatalf("%s is no literal", spec.Names[0])
		}
		reason, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		reasons++
		if _, advised := advice()[reason]; advised == well[reason] {
			t.Errorf("%s: advice %v, all is well %v", reason, advised, well[reason])
		}
		return true
	})
	if reasons == 0 {
		t.Error("no reasons found")
	}
}
