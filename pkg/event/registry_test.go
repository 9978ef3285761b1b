package event_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
)

// An event that isn't registered would never be appended to the queue of a client that requests it by its name.
func TestAllEventsAreRegistered(t *testing.T) {
	t.Parallel()
	known := map[event.Kind]bool{}
	for _, registered := range event.Registry() {
		if known[registered.Kind] || !slices.Contains(event.Types(), registered.Type) {
			t.Errorf("%v is registered twice, or isn't among the types", registered.Kind)
		}
		known[registered.Kind] = true
	}
	if !slices.IsSorted(event.Types()) {
		t.Error("types aren't sorted")
	}
	found := 0
	for _, file := range sources(t) {
		for _, declaration := range file.Decls {
			method, ok := declaration.(*ast.FuncDecl)
			if !ok || method.Name.Name != "Kind" {
				continue
			}
			found++
			receiver := method.Recv.List[0].Type.(*ast.Ident).Name
			// Clients never receive the event of subscriptions that end with their stream.
			if kind := kindIn(t, method); !known[kind] && receiver != "SubscriptionsEnded" {
				t.Errorf("%s is %v, which isn't registered: add it to Registry", receiver, kind)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d events were found", found)
	}
}

// kindIn returns the kind that a method returns.
func kindIn(t *testing.T, method *ast.FuncDecl) event.Kind {
	t.Helper()
	texts := [2]string{}
	for i, element := range method.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.CompositeLit).Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Value
		}
		text, err := strconv.Unquote(element.(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	return event.Kind{Type: texts[0], Op: texts[1]}
}

// sources returns the files of this package, without its tests.
func sources(t *testing.T) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

func TestKnown(t *testing.T) {
	t.Parallel()
	got := event.Known([]string{"typing", strings.Repeat("x", 1000), "message", "typing", "heartbeat", ""})
	if diff := cmp.Diff([]string{"message", "typing"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := event.Known([]string{"nonsense"}); got == nil || len(got) != 0 {
		t.Errorf("of none: %#v", got)
	}
}
