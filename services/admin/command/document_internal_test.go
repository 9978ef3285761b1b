package command

import (
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
