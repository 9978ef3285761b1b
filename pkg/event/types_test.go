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

// A type that isn't listed would never enter the queue of a client that asks for it by its name.
func TestTypesAreAll(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(event.Types()) {
		t.Error("they aren't sorted")
	}
	constants, found := map[string]string{}, 0
	methods := []ast.Expr{}
	for _, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, value := range n.Values {
					if text, ok := value.(*ast.BasicLit); ok && text.Kind == token.STRING {
						constants[n.Names[i].Name] = text.Value
					}
				}
			case *ast.FuncDecl:
				if n.Name.Name == "EventType" && n.Recv != nil {
					methods = append(methods, n.Body.List[0].(*ast.ReturnStmt).Results[0])
				}
			}
			return true
		})
	}
	for _, result := range methods {
		text := ""
		switch result := result.(type) {
		case *ast.BasicLit:
			text = result.Value
		case *ast.Ident:
			text = constants[result.Name]
		}
		name, err := strconv.Unquote(text)
		if err != nil || !slices.Contains(event.Types(), name) {
			t.Errorf("%q is the type of an event, and isn't listed", name)
		}
		found++
	}
	if found < 30 {
		t.Errorf("%d events were found", found)
	}
}

// sources are the files of this package, without its tests.
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
