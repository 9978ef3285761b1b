package command

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, want string }{
		{"stream put O K --name a,b --private --default=false --post-policy 2", `{"default":false,"name":"a,b","post_policy":2,"private":true}`},
		{"bot put O K --subscriptions a,b --role=200", `{"role":200,"subscriptions":["a","b"]}`},
		{"bot put O K --subscriptions=", `{"subscriptions":[]}`},
		{`organization put K --settings {"a":1}`, `{"settings":{"a":1}}`},
		{"organization put K -f - --name New", `{"description":"d","name":"New"}`},
		{"stream put O K --post-policy x", "expected a number"},
		{"stream put O K --private=perhaps", "expected true"},
		{"organization put K --settings [1]", "expected a JSON object"},
	} {
		todo, rest, err := find(strings.Fields(c.command))
		if err != nil {
			t.Fatal(err)
		}
		document, _, err := todo.read(rest[len(todo.keys):], strings.NewReader(`{"name":"Old","description":"d"}`), io.Discard)
		if got := string(document); err != nil && !strings.Contains(err.Error(), c.want) || err == nil && got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.command, got, err, c.want)
		}
	}
}

// Whoever asks for help gets it, however little of the command is there yet. A key is never empty.
func TestHelp(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"scim-token -h": "chatserver admin scim-token   post|delete KEY", "-h": "chatserver admin status", "organization put -h": "-subdomain",
		"organization put KEY --help": "-subdomain", "organization put KEY -help": "-subdomain",
	} {
		out := bytes.Buffer{}
		if err := Run(t.Context(), strings.Fields(command), nil, nil, &out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v\n%s", command, err, out.String())
		}
	}
	for _, args := range [][]string{{"scim-token", "post", ""}, {"scim-token", "post"}, {"owner", "put", "main", "--role"}} {
		if err := Run(t.Context(), args, nil, nil, io.Discard); err == nil || !strings.Contains(err.Error(), " needs ") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
