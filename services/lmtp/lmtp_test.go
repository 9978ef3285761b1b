package lmtp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/incomingmail"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/reply"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/lmtp"
	"chatserver.dev/services/servicetest"
)

// world is a server that accepts mail, with Ann in the stream hall.
type world struct {
	*servicetest.World
	t    *testing.T
	sql  *storetest.Session
	ann  servicetest.Account
	hall string // the stream's address
	addr string
	wait time.Duration // what the limit of the organization says
	left int           // addresses that replies may come from
	end  func()        // ends the server
}

// Count implements incomingmail.Tries.
func (w *world) Count(context.Context, string) (time.Duration, error) { return w.wait, nil }

// CountAddress implements incomingmail.Logins.
func (w *world) CountAddress(context.Context, actor.Actor, string) error {
	if w.left--; w.left < 0 {
		return login.ErrTries
	}
	return nil
}

func newWorld(t *testing.T, change ...func(*lmtp.Deps)) *world {
	t.Helper()
	w := &world{World: servicetest.New(t), t: t, left: 20}
	w.sql = storetest.Connect(t, w.DatabaseURL)
	w.ann = w.Person("Ann", actor.Member)
	w.ann.Subscribe("hall")
	w.hall = w.address(w.ann, "hall")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.addr = listener.Addr().String()
	mail := incomingmail.New(incomingmail.Deps{
		DB: w.DB, Orgs: w.Orgs, Messages: w.Messages, Attachments: w.Attachments, PerOrg: w, Logins: w, Own: "chat@chat.example", Now: time.Now,
	})
	deps := lmtp.Deps{Mail: mail, Domain: "chat.example", Logger: w.Logger}
	for _, c := range change {
		c(&deps)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.end = cancel
	ended := make(chan error, 1)
	go func() { ended <- lmtp.New(deps).Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return w
}

// address returns the address of a stream, as a subscriber sees it.
func (w *world) address(who servicetest.Account, stream string) string {
	w.t.Helper()
	reply := struct {
		Subscriptions []struct {
			Name  string
			Email string `json:"email_address"`
		}
	}{}
	who.Do(http.MethodGet, "/users/me/subscriptions", nil).OK().Decode(&reply)
	for _, s := range reply.Subscriptions {
		if s.Name == stream {
			return s.Email
		}
	}
	w.t.Fatalf("no address of %s: %+v", stream, reply)
	return ""
}

func (w *world) dial() net.Conn {
	w.t.Helper()
	conn, err := net.Dial("tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	return conn
}

// send sends a mail, and returns the code for each recipient; 0: accepted.
func (w *world) send(from, mail string, to ...string) map[string]int {
	w.t.Helper()
	return w.sendBy(smtp.NewClientLMTP(w.dial()), from, mail, to...)
}

// sendBy is like send, over a given connection, which it closes.
func (w *world) sendBy(client *smtp.Client, from, mail string, to ...string) map[string]int {
	w.t.Helper()
	defer client.Close()
	if err := client.Mail(from, nil); err != nil {
		w.t.Fatal(err)
	}
	codes := map[string]int{}
	code := func(to string, err error) {
		codes[to] = 0
		refusal := (*smtp.SMTPError)(nil)
		if errors.As(err, &refusal) {
			codes[to] = refusal.Code
		} else if err != nil {
			w.t.Errorf("%s: %v", to, err)
		}
	}
	accepted := 0
	for _, address := range to {
		err := client.Rcpt(address, nil)
		code(address, err)
		if err == nil {
			accepted++
		}
	}
	if accepted == 0 {
		return codes
	}
	data, err := client.Data()
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = data.Write([]byte(strings.ReplaceAll(mail, "\n", "\r\n")))
	refusals := smtp.LMTPDataError{}
	if err := data.Close(); errors.As(err, &refusals) {
		for to, refusal := range refusals {
			codes[to] = refusal.Code
		}
	} else if err != nil {
		w.t.Error(err)
	}
	return codes
}

// said returns the contents of the messages since the start, in order.
func (w *world) said() []string {
	return storetest.Values[string](w.sql, `select a.full_name || ' ' || coalesce('#' || s.name || ' > ' || m.topic, 'private') || ': ' || m.content
		from messages m join users a on a.org_id = m.org_id and a.user_id = m.sender_id
		left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id where m.client = 'Email' order by m.message_id`)
}

const head = "From: Bob <bob@elsewhere.example>\nTo: x\nSubject: Lunch\nMessage-ID: <1@elsewhere.example>\n"

func TestToStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if !strings.HasPrefix(w.hall, "hall.") || !strings.HasSuffix(w.hall, ".show-sender@in.chat.example") {
		t.Error(w.hall)
	}
	queue := w.ann.Register(servicetest.Params{"event_types": []string{"message"}})
	unknown := "hall.0123456789abcdef0123456789abcdef@in.chat.example"
	plain := strings.Replace(w.hall, ".show-sender", "", 1)
	got := w.send("bob@elsewhere.example", head+"\nAt noon, @**Ann** @**all**?\n\n-- \nBob Inc.\n", w.hall, unknown, "ann@chat.example")
	servicetest.Same(t, "answers", map[string]int{w.hall: 0, unknown: 550, "ann@chat.example": 550}, got)
	w.send("bob@elsewhere.example", "Received: from another\n"+head+"\nAt noon, @**Ann** @**all**?\n\n-- \nBob Inc.\n", w.hall) // again
	want := []string{"Email Gateway #hall > Lunch: From: Bob <bob@elsewhere.example>\nAt noon, @**Ann** @**all**?"}
	servicetest.Same(t, "messages", want, w.said())
	for _, e := range queue.Poll() {
		servicetest.Same(t, "flags", []string{}, e.Flags)
	}
	w.send("bob@elsewhere.example", strings.Replace(head, "<1@", "<2@", 1)+"\nAt noon!\n", plain)
	servicetest.Same(t, "without the option", append(want, "Email Gateway #hall > Lunch: At noon!"), w.said())
	// Somebody who knows a mail's Message-ID can't keep it out by sending another one first.
	mallory := strings.Replace(strings.Replace(head, "<1@", "<9@", 1), "bob@", "mallory@", 1)
	w.send("mallory@x.example", mallory+"\nMine\n", plain)
	w.send("bob@elsewhere.example", strings.Replace(mallory, "mallory@", "bob@", 1)+"\nMine\n", plain)
	w.send("bob@elsewhere.example", mallory+"\nHis\n", plain)
	servicetest.Same(t, "mails with one Message-ID", []string{"Mine", "Mine", "His"}, lists.Map(w.said()[2:], func(said string) string {
		return strings.TrimPrefix(said, "Email Gateway #hall > Lunch: ")
	}))
	// The address stays valid when the stream is renamed, and ends with the stream.
	w.sql.Exec("update streams set name = 'Höhle', version = version + 1 where name = 'hall'")
	renamed := w.address(w.ann, "Höhle")
	if !strings.HasPrefix(renamed, "hohle.") {
		t.Error(renamed)
	}
	servicetest.Same(t, "the old address", map[string]int{w.hall: 0}, w.send("b@x.example", strings.Replace(head, "<1@", "<3@", 1)+"\nx", w.hall))
	w.sql.Exec("update streams set deactivated = true, version = version + 1")
	servicetest.Same(t, "a stream that has ended", map[string]int{renamed: 550}, w.send("b@x.example", head+"\nx", renamed))
}

// People who have left a private stream no longer see its address.
func TestAddressOfPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.Person("Bob", actor.Member)
	w.ann.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{
		"subscriptions": `[{"name":"vault"}]`, "invite_only": true, "principals": []int64{int64(w.ann.ID), int64(bob.ID)},
	}).OK()
	if address := w.address(bob, "vault"); address != w.address(w.ann, "vault") || !strings.HasPrefix(address, "vault.") {
		t.Error(address)
	}
	bob.Do(http.MethodDelete, "/users/me/subscriptions", servicetest.Params{"subscriptions": `["vault"]`}).OK()
	state := struct{ Unsubscribed []map[string]any }{}
	bob.RegisterInto(servicetest.Params{"event_types": []string{"subscription"}}, &state)
	servicetest.Same(t, "who has left", "", state.Unsubscribed[0]["email_address"])
}

// Messages have the text of mails in any format.
func TestTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := strings.Replace(w.hall, ".show-sender", "", 1)
	with := func(option string) string { return strings.Replace(plain, "@", "."+option+"@", 1) }
	multi := "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\ntext\n--b\nContent-Type: text/html\n\n<p>some <b>bold</b></p><blockquote>old</blockquote>\n--b--\n"
	for i, c := range []struct{ to, mail, want string }{
		{plain, "Subject: =?iso-8859-1?Q?Re:_Gr=FC=DFe?=\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe\n", "Grüße: Grüße"},
		{plain, "Subject: =?utf-8?B?5pel5pys?=\nContent-Type: text/plain; charset=shift_jis\nContent-Transfer-Encoding: base64\n\nk/qWew==\n", "日本: 日本"},
		{plain, "Subject: x\nContent-Type: text/plain; charset=martian\n\nx\n", "x: x"},
		{plain, "\nno subject\n", "(no topic): no subject"},
		{plain, "Subject: =?utf-8?B?44Wk?=\n\nunseen\n", "(no topic): unseen"},
		{plain, "Subject: Fwd: RE: AW: " + strings.Repeat("x", 70) + "\n\nx", strings.Repeat("x", 57) + "...: x"},
		{plain, "Subject: re\x01view\n\na\x00b", "re view: ab"},
		{plain, "Subject: empty\n\n", "empty: (No email body)"},
		{plain, "Subject: alternatives\n" + multi, "alternatives: text"},
		{with("prefer-html"), "References: <q@x.example>\nSubject: alternatives\n" + multi, "alternatives: some **bold**"},
		{with("prefer-html+include-quotes"), "References: <q@x.example>\nSubject: alternatives\n" + multi, "alternatives: some **bold**\n\n> old"},
		{plain, "Subject: html\nContent-Type: text/html\n\n<script>alert(1)</script><p>a <a href='https://x.example/'>link</a></p>", "html: a [link](https://x.example/)"},
		{plain, "In-Reply-To: <q@x.example>\nSubject: quoted\n\nYes.\n\nOn Monday, Ann wrote:\n> Really?\n", "quoted: Yes."},
		{plain, "In-Reply-To: <q@x.example>\nSubject: quoted\n\nYes.\n\nOn Monday, 1 January 2024 at 12:00,\nAnn <ann@chat.example> wrote:\n> Really?\n", "quoted: Yes."},
		{plain, "In-Reply-To: <q@x.example>\nSubject: quoted\n\n> Really?\n\nYes.\n", "quoted: > Really?\n\nYes."},
		{with("include-quotes"), "In-Reply-To: <q@x.example>\nSubject: quoted\n\nYes.\n\nOn Monday, Ann wrote:\n> Really?\n", "quoted: Yes.\n\nOn Monday, Ann wrote:\n> Really?"},
		{with("include-footer"), "Subject: footer\n\nYes.\n-- \nBob\n", "footer: Yes.\n-- \nBob"},
		{plain, "Subject: long\n\n" + strings.Repeat("é", 6000), "long: " + strings.Repeat("é", 4990) + "\n[message truncated]"},
		{plain, "Subject: marks\nContent-Type: text/html\n\n<p># of snake_case: 2*3*4, [1]<p>1. C:\\dir", "marks: # of snake_case: 2*3*4, [1]\n\n1. C:\\dir"},
		{plain, "Subject: table\nContent-Type: text/html\n\n<table><tr><th>host<th>state</tr><tr><td>db1<td><b>down</b></tr></table>after", "table: host state\n\ndb1 **down**\n\nafter"},
		{with("show-sender"), "Subject: from nobody\n\nx", "from nobody: x"},
		{plain, "Subject: Fwd: Re: x\nReferences: <q@x.example>\n\nFYI\n\n-- \nBob\n\n---------- Forwarded message ---------\nFrom: c\n\nthe text\n", "x: FYI\n\n-- \nBob\n\n---------- Forwarded message ---------\nFrom: c\n\nthe text"},
		{plain, "Subject: Re: Fwd: x\nReferences: <q@x.example>\n\nThanks\n\n---------- Original Message ---------\nFrom: c\n\nthe text\n", "x: Thanks"},
		{plain, "Subject: report\n\ndisks\n____________________\nfull\n", "report: disks\n____________________\nfull"},
		{plain, "Subject: html\nContent-Type: text/html\n\nsee<blockquote>a quotation</blockquote>", "html: see\n\n> a quotation"},
		{plain, "In-Reply-To: <q@x.example>\nSubject: html\nContent-Type: text/html\n\n<blockquote>all of it</blockquote>", "html: > all of it"},
	} {
		got := w.send("bob@elsewhere.example", fmt.Sprintf("Message-ID: <t%d@x.example>\n", i)+c.mail, c.to)
		servicetest.Same(t, fmt.Sprint("answer ", i), map[string]int{c.to: 0}, got)
		all := w.said()
		if len(all) != i+1 {
			t.Fatalf("%d: %q", i, all)
		}
		text := strings.TrimPrefix(all[i], "Email Gateway #hall > ")
		isRight := text == c.want
		if cut := "[message truncated]"; strings.HasSuffix(c.want, cut) {
			isRight = len(text) <= 10_100 && strings.HasSuffix(text, cut)
		}
		if !isRight {
			t.Errorf("%d: %q, want %q", i, text, c.want)
		}
	}
}

// Indented lines of a mail are text, and not code.
func TestIndentedText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send("bob@elsewhere.example", head+"\nAt noon:\n\n    by the harbour\n", w.hall)
	html := storetest.Values[string](w.sql, "select rendered from messages where client = 'Email'")
	if len(html) != 1 || !strings.Contains(html[0], "<p>by the harbour</p>") {
		t.Errorf("%q", html)
	}
}

// Automatic replies, bounces and the server's own mail don't become messages. Mail of other programs does, in streams.
func TestLoops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, header := range []string{"Auto-Submitted: auto-replied", "Precedence: auto_reply", "X-Autoreply: yes", "X-Autorespond: yes", "From: chat@chat.example"} {
		servicetest.Same(t, header, map[string]int{w.hall: 0}, w.send("b@x.example", header+"\nSubject: x\n\n"+header, w.hall))
	}
	servicetest.Same(t, "returned", map[string]int{w.hall: 0}, w.send("", "Subject: returned\n\nx", w.hall))
	servicetest.Same(t, "messages", 0, len(w.said()))
	for _, header := range []string{"Auto-Submitted: auto-generated", "List-Id: <x>", "Auto-Submitted: no", "Precedence: bulk"} {
		w.send("b@x.example", header+"\nSubject: x\n\n"+header, w.hall)
	}
	servicetest.Same(t, "messages", 4, len(w.said()))
	w.wait = time.Hour
	servicetest.Same(t, "too many", map[string]int{w.hall: 451}, w.send("b@x.example", "Subject: one more\n\nx", w.hall))
	servicetest.Same(t, "messages", 4, len(w.said()))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := strings.Replace(w.hall, ".show-sender", "", 1)
	w.ann.Subscribe("shed")
	shed := w.address(w.ann, "shed")
	mail := "Message-ID: <f@x.example>\nSubject: files\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nsee\n" +
		"--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=\"../../etc/pass]wd.txt\"\n\nroot\n" +
		"--b\nContent-Type: image/png; name=\"=?utf-8?Q?gr=C3=BCn.png?=\"\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--b--\n"
	servicetest.Same(t, "answers", map[string]int{plain: 0, shed: 0}, w.send("b@x.example", mail, plain, shed))
	said := w.said()
	if len(said) != 2 {
		t.Fatalf("%q", said)
	}
	for _, text := range said {
		if !strings.Contains(text, "see\n\n[../../etc/passwd.txt](/user_uploads/") || !strings.Contains(text, "[grün.png](/user_uploads/") {
			t.Errorf("%q", text)
		}
	}
	servicetest.Same(t, "files in messages", []int64{4}, storetest.Values[int64](w.sql, "select count(*) from attachment_messages"))
	servicetest.Same(t, "sizes", []int64{4, 8, 4, 8}, storetest.Values[int64](w.sql, "select size from attachments order by attachment_id"))
	servicetest.Same(t, "names", slices.Repeat([]string{"passwd.txt", "grün.png"}, 2), storetest.Values[string](w.sql, "select name from attachments order by attachment_id"))
	w.send("b@x.example", mail, plain)
	servicetest.Same(t, "files of a mail that comes twice", []int64{4}, storetest.Values[int64](w.sql, "select count(*) from attachments"))
}

// A message that waits for a change of the subscribers comes after the change in the log, as it does for who receives it.
func TestAfterSubscribers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send("b@x.example", "Subject: first\n\nx", w.hall) // with it, the bot is there
	w.sql.Exec("begin")
	w.sql.Exec("select pg_advisory_xact_lock(stream_id) from streams where name = 'hall'")
	sent := make(chan map[string]int, 1)
	go func() { sent <- w.send("b@x.example", "Subject: second\n\nx", w.hall) }()
	w.sql.AwaitBlocked(1)
	change := storetest.Values[string](w.sql, "select pg_current_xact_id()::text")[0]
	w.sql.Exec("commit")
	servicetest.Same(t, "answers", map[string]int{w.hall: 0}, <-sent)
	later := "select count(*) from event_log where type = 'message' and xid > $1::text::xid8"
	servicetest.Same(t, "messages after the change", []int64{1}, storetest.Values[int64](w.sql, later, change))
}

// A reply to a mail becomes a message in its conversation, sent by whoever replies.
func TestReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.Person("Bob", actor.Member)
	bob.Subscribe("hall")
	w.ann.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": fmt.Sprintf("[%d]", bob.ID), "content": "hi"}).OK()
	conversation := storetest.Values[int64](w.sql, "select conversation_id from messages where content = 'hi'")[0]
	stream := storetest.Values[int64](w.sql, "select stream_id from streams where name = 'hall'")[0]
	address := func(to message.Place) (address string) {
		err := w.DB.Write(t.Context(), w.Org.ID, func(tx *store.Tx) (err error) {
			address, err = reply.Address(t.Context(), tx, w.Orgs.Config().MailIn, bob.ID, to, time.Now())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	private, public := address(message.Place{Conversation: id.Conversation(conversation)}), address(message.Place{Stream: id.Stream(stream), Topic: "lunch"})
	yes := head + "\nYes, @**Ann**.\n\nOn Monday, Ann wrote:\n> hi\n"
	got := w.send("bob@home.example", yes, strings.ToUpper(private), public)
	servicetest.Same(t, "answers", map[string]int{strings.ToUpper(private): 0, public: 0}, got)
	w.send("bob@home.example", yes, private) // again
	servicetest.Same(t, "messages", []string{"Bob private: Yes, @**Ann**.", "Bob #hall > lunch: Yes, @**Ann**."}, w.said())
	for _, header := range []string{"Auto-Submitted: auto-generated", "List-Id: <x>", "X-Auto-Response-Suppress: All", "Precedence: bulk"} {
		servicetest.Same(t, header, map[string]int{public: 0}, w.send("bob@home.example", header+"\nSubject: away\n\nI am away", public))
	}
	servicetest.Same(t, "messages", 2, len(w.said()))
	ofAnn := "From: Ann <" + strings.ToUpper(w.ann.RealEmail) + ">\nSubject: x\n\nI am Ann"
	servicetest.Same(t, "another account", map[string]int{private: 550, public: 550}, w.send(w.ann.RealEmail, ofAnn, private, public))
	servicetest.Same(t, "messages", 2, len(w.said()))
	// Whoever guesses addresses doesn't learn by it which ones have accounts, once there were too many.
	w.left = 1
	guess := func(from string) int {
		return w.send("bob@home.example", "From: "+from+"\nSubject: x\n\n"+from, public)[public]
	}
	servicetest.Same(t, "guesses", []int{550, 451, 451}, []int{guess(w.ann.RealEmail), guess(w.ann.RealEmail), guess("nobody@home.example")})
	servicetest.Same(t, "messages", 2, len(w.said()))
	servicetest.Same(t, "own address", 0, guess(strings.ToUpper(bob.RealEmail)))
	servicetest.Same(t, "messages", 3, len(w.said()))
	w.left = 20
	w.sql.Exec("update streams set post_policy = 2, version = version + 1")
	withFile := "Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee\n--b\nContent-Disposition: attachment; filename=plan.txt\n\nx\n--b--\n"
	servicetest.Same(t, "who may not send", map[string]int{public: 550}, w.send("bob@home.example", withFile, public))
	servicetest.Same(t, "files of a refused mail", []int64{0}, storetest.Values[int64](w.sql, "select count(*) from attachments"))
	w.sql.Exec("update organizations set deactivated = true")
	for what, to := range map[string]string{"a reply": private, "a stream": w.hall} {
		servicetest.Same(t, what+" of an organization that has ended", map[string]int{to: 550}, w.send("bob@home.example", "Subject: x\n\nx", to))
	}
	w.sql.Exec("update organizations set deactivated = false")
	for _, change := range []string{"update users set email = 'new@home.example' where user_id = $1", "insert into passwords (org_id, user_id, hash) select org_id, user_id, 'x' from users where user_id = $1"} {
		private := address(message.Place{Conversation: id.Conversation(conversation)})
		w.sql.Exec(change, bob.ID)
		servicetest.Same(t, change, map[string]int{private: 550}, w.send("bob@home.example", "Subject: x\n\nx", private))
	}
	private = address(message.Place{Conversation: id.Conversation(conversation)})
	servicetest.Same(t, "messages", 3, len(w.said()))
	w.sql.Exec("update users set active = false where user_id = $1", bob.ID)
	servicetest.Same(t, "who is gone", map[string]int{private: 550}, w.send("bob@home.example", "Subject: x\n\nx", private))
	w.sql.Exec("update mail_links set ends_at = now()")
	servicetest.Same(t, "an old address", map[string]int{private: 550}, w.send("bob@home.example", "Subject: x\n\nx", private))
}
