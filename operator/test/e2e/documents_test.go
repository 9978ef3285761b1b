//go:build e2e

package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// looking matches commands that change nothing of importance.
var looking = regexp.MustCompile(`^kubectl (get|describe|logs|annotate|chat status)\b`)

// TestDocumentedCommands runs the commands of the documentation that look at the server chat/main.
func TestDocumentedCommands(t *testing.T) {
	install(t)
	files, err := filepath.Glob("docs/kubernetes/*.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range commands(string(text)) {
			command = strings.ReplaceAll(command, "chatserver-system", system)
			if !looking.MatchString(command) || !strings.Contains(command, "-n chat main") && !strings.Contains(command, " -A") && !strings.Contains(command, system) {
				continue
			}
			n++
			if _, file, ok := strings.Cut(command, " > "); ok {
				command = "cd '" + t.TempDir() + "' && " + command + " && cat " + file
			}
			if out, err := run("", "sh", "-c", command); err != nil || out == "" {
				t.Errorf("%s: %s: %q, %v", file, command, out, err)
			}
		}
	}
	if n < 8 {
		t.Errorf("only %d commands were found", n)
	}
	list := kubectl(t, "get", "chat-all", "-A")
	for _, kind := range []string{"chatserver", "organization"} {
		if !strings.Contains(list, kind+".chatserver.dev/"+server) {
			t.Errorf("`kubectl get chat-all -A` has no %s:\n%s", kind, list)
		}
	}
}

// inline are commands within a text.
var inline = regexp.MustCompile("`(kubectl [^`]+)`")

// commands returns those of a document, one line each.
func commands(document string) []string {
	all := []string(nil)
	for n, part := range strings.Split(document, "\n```") {
		if n%2 == 1 { // a block, whose first line is its language
			all = append(all, strings.Split(part, "\n")[1:]...)
			continue
		}
		for _, found := range inline.FindAllStringSubmatch(strings.ReplaceAll(part, "\n", " "), -1) {
			all = append(all, found[1])
		}
	}
	return all
}
