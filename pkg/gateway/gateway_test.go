package gateway_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
)

const token = gateway.Token("0123456789abcdef0123456789abcdef")

func TestPattern(t *testing.T) {
	t.Parallel()
	for _, good := range []gateway.Pattern{"", "*@in.chat.example", "chat+*@chat.example", "*+x@chat.example"} {
		if err := good.Check(); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []gateway.Pattern{
		"in.chat.example", "@in.chat.example", "*@", "**@in.chat.example", "in@*.chat.example", "a@b*", "Chat <*@chat.example>", "*@a.example, *@b.example",
		"mail-for-the-chat+*@chat.example",
	} {
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), "MAIL_IN") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	const p = gateway.Pattern("*@in.chat.example")
	for name, slug := range map[string]string{
		"general": "general.", "Boiler  Room!": "boiler-room.", "Café": "cafe.", "Straße": "", "全体": "", "!!!": "", "ͺ": "", "aͺb": "a-b.", "a.b+c": "a-b-c.", "snake_case 2": "snake_case-2.",
		"a stream with a long name, which isn't shown whole": "a-stream-with-a-lon.", strings.Repeat("x", 18) + " y": strings.Repeat("x", 18) + ".",
	} {
		if got, want := p.Stream(name, token), slug+string(token)+".show-sender@in.chat.example"; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := gateway.Pattern("").Stream("general", token); got != "" {
		t.Error(got)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	const p, other = gateway.Pattern("chat+*@chat.example"), "fedcba9876543210fedcba9876543210"
	stream := func(o gateway.Options) gateway.Recipient { return gateway.Recipient{Stream: token, Options: o} }
	for text, want := range map[string]gateway.Recipient{
		string(token):                                                stream(gateway.Options{}),
		"general." + string(token):                                   stream(gateway.Options{}),
		"show-sender." + string(token):                               stream(gateway.Options{}), // a stream with that name
		other + "." + string(token):                                  stream(gateway.Options{}),
		strings.ToUpper(string(token)) + "+SHOW-SENDER":              stream(gateway.Options{ShowSender: true}),
		string(token) + ".include-footer.include-quotes+prefer-html": stream(gateway.Options{KeepFooter: true, KeepQuotes: true, PreferHTML: true}),
		string(token) + ".prefer-text":                               stream(gateway.Options{}),
		"reply.7.ABCDEFGHIJKLMNOPQRSTUVWXYZ":                         {Org: 7, Reply: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
	} {
		if got, ok := p.Parse("Chat+" + text + "@CHAT.example"); got != want || !ok {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, address := range []string{
		"", "chat@chat.example", "chat+@chat.example", "chat+general@chat.example", "chat+" + string(token) + "@chat.example.org", "x" + string(token) + "@chat.example",
		"chat+reply.0.ABCDEFGHIJKLMNOPQRSTUVWXYZ@chat.example", "chat+reply.99999999999999999999.ABCDEFGHIJKLMNOPQRSTUVWXYZ@chat.example", "chat+reply.7@chat.example",
		"chat+" + string(token[1:]) + "g@chat.example", "@chat.example",
	} {
		if got, ok := p.Parse(address); ok {
			t.Errorf("%s: %+v", address, got)
		}
	}
	if got, ok := gateway.Pattern("").Parse(string(token) + "@chat.example"); ok {
		t.Error(got)
	}
}

// For any stream name, the address is valid for mail servers and identifies the stream.
func TestAddresses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]gateway.Pattern{"*@in.chat.example", "chat+*@c.example"}).Draw(t, "pattern")
		address := p.Stream(rapid.String().Draw(t, "name"), token)
		local, _, _ := strings.Cut(address, "@")
		if len(local) > 64 || strings.Trim(address, "abcdefghijklmnopqrstuvwxyz0123456789._-@+") != "" || strings.Contains(address, "..") {
			t.Errorf("an address: %s", address)
		}
		if got, ok := p.Parse(address); !ok || got.Stream != token || !got.Options.ShowSender {
			t.Errorf("%s: %+v", address, got)
		}
		address = p.Reply(id.Org(1<<62), "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if got, ok := p.Parse(address); !ok || got.Org != 1<<62 || len(address)-len("@in.chat.example") > 64 {
			t.Errorf("%s: %+v", address, got)
		}
	})
}
