package missed_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
)

// Somebody who is away is mailed what they missed, a mail for each conversation, with what was said before.
func TestPrivateMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	eve := w.Person("Eve", actor.Member)
	before := w.private(w.ann, "long ago", w.bob)
	w.read(w.bob, before)
	w.private(w.ann, "first", w.bob)
	w.private(w.ann, "**second**", w.bob)
	w.private(eve, "in a group", w.bob, w.ann)
	letters := map[string]mail.Letter{}
	for _, l := range w.letters() {
		letters[l.To+": "+l.Subject] = l
	}
	l := letters[w.bob.RealEmail+": Private messages with Ann"]
	same(t, "texts", []string{"long ago", "first", "second"}, said(l))
	if len(letters) != 3 || letters[w.ann.RealEmail+": Private messages with Bob, Eve"].To == "" || l.From != "Plant" ||
		!l.Quotes[0].Messages[0].Old || l.Quotes[0].Messages[1].Old || l.Quotes[0].Messages[2].HTML != "<p><strong>second</strong></p>" {
		t.Errorf("%+v", letters)
	}
	w.nothing("nothing is new")
	// Mails about one conversation are a thread of their own.
	group := letters[w.bob.RealEmail+": Private messages with Ann, Eve"].Thread
	w.private(w.ann, "third", w.bob)
	if again := w.letter(); l.Thread == "" || again.Thread != l.Thread || group == l.Thread || group != letters[w.ann.RealEmail+": Private messages with Bob, Eve"].Thread {
		t.Errorf("threads %q, %q, %q", l.Thread, again.Thread, group)
	}
}

// Mail is in the language of who gets it.
func TestLanguageOfMail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bob.Do(http.MethodPatch, "/settings/display", params{"default_language": `"de"`, "twenty_four_hour_time": true}).OK()
	w.private(w.ann, "eins", w.bob)
	w.private(w.ann, "zwei\n```spoiler\ndrei\n```", w.bob)
	l := w.letter()
	if l.Language != "de" || l.Subject != "Private Nachrichten mit Ann" || !strings.HasSuffix(l.Before[0], "warten 2 ungelesene Nachrichten.") ||
		!strings.HasSuffix(l.Quotes[0].Messages[0].At, " Uhr") || !strings.Contains(l.Quotes[0].Messages[1].Text, "(verborgen: ") {
		t.Errorf("%+v", l)
	}
}

// What counts is what is there when the mail is sent.
func TestReadAndChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.read(w.bob, w.private(w.ann, "read", w.bob))
	w.nothing("it was read")
	gone := w.private(w.ann, "gone", w.bob)
	owner := w.Person("Owner", actor.Owner)
	owner.Do(http.MethodDelete, path("/messages", gone), nil)
	w.sql.Exec("delete from messages where message_id = $1", gone) // as an administrator of a private conversation would
	w.nothing("it was deleted")
	edited := w.private(w.ann, "old words", w.bob)
	w.find()
	w.ann.Do(http.MethodPatch, path("/messages", edited), params{"content": "new words"}).OK()
	same(t, "texts", []string{"read", "new words"}, said(w.letter()))
	moved := w.ann.SendStream("hall", "here", "@**Bob** hello")
	w.find()
	w.ann.Do(http.MethodPatch, path("/messages", moved), params{"topic": "there"}).OK()
	same(t, "subject", "#hall > there", w.letter().Subject)
	unmentioned := w.ann.SendStream("hall", "here", "@**Bob** hello")
	w.find()
	w.ann.Do(http.MethodPatch, path("/messages", unmentioned), params{"content": "hello all"}).OK()
	w.nothing("nobody is mentioned any more")
	w.private(w.ann, "read in the last moment", w.bob)
	w.later()
	w.sql.Exec("update users set read_upto = (select max(message_id) from messages)")
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("read before it is sent: %+v", letters)
	}
}

// Each setting decides what it is for, and that of a subscription before that of the account.
func TestSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if d := user.Defaults(); d.EnableStreamEmailNotifications || d.EnableStreamPushNotifications {
		t.Fatal("the index users_hear_streams has other defaults")
	}
	a := w.acts()
	for _, test := range []struct {
		what  string
		set   func()
		send  func()
		mails int
	}{
		{"mentioned", nil, a.mention, 1},
		{"all mentioned", nil, a.toAll, 1},
		{"a message of a stream", nil, a.plain, 0},
		{"not of wildcards", a.account("wildcard_mentions_notify", false), a.toAll, 0},
		{"of wildcards here", a.own("wildcard_mentions_notify", true), a.toAll, 1},
		{"of wildcards", a.account("wildcard_mentions_notify", true), a.toAll, 1},
		{"not of wildcards here", a.own("wildcard_mentions_notify", false), a.toAll, 0},
		{"of wildcards here again", a.own("wildcard_mentions_notify", true), a.toAll, 1},
		{"of this stream", a.own("email_notifications", true), a.plain, 1},
		{"of this stream, muted", a.own("is_muted", true), a.plain, 0},
		{"all mentioned in a muted stream", nil, a.toAll, 0},
		{"mentioned in a muted stream", nil, a.mention, 1},
		{"no longer muted", a.own("is_muted", false), a.plain, 1},
		{"a muted topic", a.muteTopic("add"), a.plain, 0},
		{"all mentioned in a muted topic", nil, a.toAll, 0},
		{"mentioned in a muted topic", nil, a.mention, 1},
		{"a topic no longer muted", a.muteTopic("remove"), a.plain, 1},
		{"of all streams but this", a.own("email_notifications", false), a.plain, 0},
		{"of all streams", a.account("enable_stream_email_notifications", true), a.plain, 0},
		{"of all streams, as the account says", func() { w.sql.Exec("update subscriptions set email_notifications = null") }, a.plain, 1},
		{"of streams, but not of mentions", a.account("enable_offline_email_notifications", false), a.mention, 1},
		{"of streams, not of private messages", nil, a.private, 0},
		{"not at all", a.account("enable_stream_email_notifications", false), a.mention, 0},
		{"of private messages", a.account("enable_offline_email_notifications", true), a.private, 1},
	} {
		if test.set != nil {
			test.set()
		}
		w.sql.Exec("update missed_mails set mails = 0")
		test.send()
		letters := w.letters()
		if len(letters) != test.mails {
			t.Errorf("%s: %d mails, want %d", test.what, len(letters), test.mails)
		}
	}
}

// What messages say, and which organization it is about, is in mail where both the organization and the reader want it.
func TestContentStaysHere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.Person("Owner", actor.Owner)
	w.private(w.ann, "secret", w.bob)
	w.find()
	w.notifications(w.bob, params{"message_content_in_email_notifications": false, "realm_name_in_notifications": true})
	l := w.letter()
	if l.Subject != "New messages [Plant]" || len(l.Quotes) > 0 || strings.Contains(fmt.Sprint(l), "secret") || strings.Contains(fmt.Sprint(l), "Ann") {
		t.Errorf("%+v", l)
	}
	w.notifications(w.bob, params{"message_content_in_email_notifications": true})
	owner.Do(http.MethodPatch, "/realm", params{"message_content_allowed_in_email_notifications": false}).OK()
	w.private(w.ann, "secret", w.bob)
	if l := w.letter(); len(l.Quotes) > 0 || strings.Contains(fmt.Sprint(l), "secret") {
		t.Errorf("%+v", l)
	}
}

// Nobody is written to who is there, is a bot, is deactivated, wasn't there for a month, or can't see the message.
func TestNobodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	robot := w.Bot("Robot", actor.GenericBot, w.ann)
	w.private(w.ann, "hello", robot)
	w.nothing("a bot")
	w.private(w.bob, "note to self", w.bob)
	w.nothing("their own message")
	w.bob.Do(http.MethodPost, "/users/me/presence", params{"status": "active", "client": "website"}).OK()
	w.private(w.ann, "hello", w.bob)
	w.nothing("somebody who is there")
	w.must(w.Presence.Forget(t.Context(), w.Org.ID))
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.sql.Exec("update users set active = false where user_id = $1", w.bob.ID)
	w.nothing("a deactivated account")
	w.sql.Exec("update users set active = true where user_id = $1", w.bob.ID)
	w.private(w.ann, "hello", w.bob)
	w.find()
	w.sql.Exec("update organizations set deactivated = true")
	w.nothing("a deactivated organization")
	w.sql.Exec("update organizations set deactivated = false")
	w.ann.SendStream("hall", "topic", "@**Bob** hello")
	w.find()
	w.bob.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{"hall"}}).OK()
	w.nothing("somebody who left the stream")
	w.sql.Exec("update users set joined_at = joined_at - interval '31 days'")
	w.sql.Exec("update messages set sent_at = sent_at - interval '31 days'")
	w.private(w.ann, "hello", w.bob)
	w.nothing("somebody who hasn't been here for a month")
	w.bob.Do(http.MethodPost, "/users/me/presence", params{"status": "idle", "client": "website"}).OK()
	w.private(w.ann, "hello", w.bob)
	w.letter()
}

// Who was there shortly before a message may have left. They are mailed it when that is certain, unless they have been there since.
func TestJustLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	comes := func() {
		w.bob.Do(http.MethodPost, "/users/me/presence", params{"status": "active", "client": "website"}).OK()
	}
	leaves := func() { w.must(w.Presence.Forget(t.Context(), w.Org.ID)) }
	w.notifications(w.bob, params{"enable_stream_email_notifications": true})
	comes()
	w.read(w.bob, w.private(w.ann, "read", w.bob))
	w.private(w.ann, "hello", w.bob)
	w.nothing("Bob may be there")
	w.nothing("Bob may still be there")
	leaves()
	same(t, "texts", []string{"read", "hello"}, said(w.letter()))
	comes()
	w.ann.SendStream("hall", "topic", "words")
	w.nothing("Bob may be in the stream")
	leaves()
	same(t, "texts of the stream", []string{"words"}, said(w.letter()))
	comes()
	w.private(w.ann, "not answered", w.bob)
	w.nothing("Bob may be there again")
	w.sql.Exec("update messages set sent_at = sent_at - interval '10 minutes'")
	w.nothing("Bob has been there since")
	leaves()
	w.nothing("Bob left later")
}

// Nobody is mailed about another organization's messages.
func TestOtherOrganizations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	abroad := w.NewOrg("other")
	eve, mallory := w.Account(abroad, user.Draft{FullName: "Eve", Role: actor.Member}), w.Account(abroad, user.Draft{FullName: "Mallory", Role: actor.Member})
	w.private(eve, "hello", mallory)
	l := w.letter()
	if l.To != mallory.RealEmail || l.From != "other" || !strings.HasPrefix(l.Unsubscribe, "https://other.chat.example/unsubscribe/") {
		t.Errorf("%+v", l)
	}
}

// However much somebody misses, they are sent a few mails in an hour, and mails have a bounded size.
func TestManyMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 14 {
		w.ann.SendStream("hall", fmt.Sprint("topic ", i), "@**Bob** hello")
	}
	if l := w.letter(); l.Subject != "Messages in 14 conversations" || len(l.Quotes) != 14 {
		t.Errorf("%+v", l)
	}
	w.ann.SendStream("hall", "more", "@**Bob** hello")
	w.nothing("the hour isn't over")
	w.sql.Exec("update missed_mails set hour = hour - interval '1 hour', due_at = now()")
	if l := w.letter(); l.Subject != "#hall > more" {
		t.Errorf("%+v", l)
	}
	w.private(w.ann, "hello", w.bob)
	w.letter()
	w.sent("select c.org_id, 0 + u.user_id as sender_id, c.conversation_id, '<p>'||i||'</p>' as rendered" +
		" from conversations c, users u, generate_series(1, 1000) i where u.full_name = 'Ann'")
	l := w.letter()
	texts := said(l)
	if len(texts) != 53 || texts[3] != "901" || len(l.After) != 1 || l.After[0] != "50 more messages aren't in this mail." {
		t.Errorf("%d %q %q", len(texts), texts, l.After)
	}
	w.nothing("all others are too many to be mailed")
}

// Who hears of all messages of a busy stream misses none that is private or mentions them, whether all are found at once or not.
func TestBusyStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what   string
		before int // messages of the stream before those for Bob
		passes []int
	}{
		{"in one pass", 0, []int{150}},
		{"in one pass, in between", 50, []int{150}},
		{"in several passes", 0, []int{0, 50, 50, 50}},
		{"in several passes, many before", 150, []int{0, 1, 149}},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.device(int64(w.bob.ID))
			w.notifications(w.bob, params{"enable_stream_email_notifications": true, "enable_stream_push_notifications": true})
			noise := func(count int) {
				w.sent("select s.org_id, 0 + u.user_id as sender_id, s.stream_id, 'noise' as topic from streams s, users u, generate_series(1, $1) i"+
					" where u.full_name = 'Ann' and s.name = 'hall'", count)
			}
			noise(test.before)
			gone := w.private(w.ann, "gone", w.bob)
			if len(test.passes) > 1 {
				w.find()
			}
			w.sql.Exec("delete from messages where message_id = $1", gone)
			own := []int64{w.private(w.ann, "for you", w.bob), w.ann.SendStream("hall", "mention", "@**Bob** hello"), w.ann.SendStream("hall", "all", "@**all** hello")}
			for _, count := range test.passes {
				noise(count)
				w.find()
			}
			newest := storetest.Values[int64](w.sql, "select message_id from (select message_id from messages where topic = 'noise' order by 1 desc limit 97) m order by 1")
			for _, table := range []string{"missed_mails", "push_devices"} {
				same(t, table, append(own, newest...), storetest.Values[[]int64](w.sql, "select messages from "+table+" where user_id = $1", w.bob.ID)[0])
			}
			subjects := []string{}
			for _, l := range w.letters() {
				subjects = append(subjects, l.Subject)
			}
			slices.Sort(subjects)
			same(t, "subjects", []string{"#hall > all", "#hall > mention", "#hall > noise", "Private messages with Ann"}, subjects)
		})
	}
}

// Who wants no mail about what is for them has it take no room of what they want.
func TestBusyPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.notifications(w.bob, params{"enable_stream_email_notifications": true, "enable_offline_email_notifications": false})
	w.private(w.ann, "hello", w.bob)
	w.sent("select c.org_id, 0 + u.user_id as sender_id, c.conversation_id from conversations c, users u, generate_series(1, 100) i where u.full_name = 'Ann'")
	w.ann.SendStream("hall", "topic", "words")
	same(t, "texts", []string{"words"}, said(w.letter()))
}

// In a mail about many conversations those that are for its reader come first, and all have their names. Its link ends mail of all streams.
func TestManyConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.notifications(w.bob, params{"enable_stream_email_notifications": true})
	w.ann.Subscribe("attic")
	w.bob.Subscribe("attic")
	for range 51 {
		w.ann.SendStream("hall", "noise", "again")
	}
	for i := range 20 {
		w.ann.SendStream("hall", fmt.Sprint("topic ", i), "words")
	}
	w.ann.SendStream("attic", "dust", "words")
	w.private(w.ann, "for you", w.bob)
	l := w.letter()
	titles := []string{}
	for _, q := range l.Quotes {
		titles = append(titles, q.Title)
	}
	if len(titles) != 23 {
		t.Fatalf("%q", titles)
	}
	same(t, "the first ones", []string{"Private messages with Ann", "#hall > noise"}, titles[:2])
	same(t, "the last one", "#attic > dust", titles[len(titles)-1])
	texts := said(l)
	same(t, "messages", 50, len(texts))
	same(t, "the first one", "for you", texts[0])
	same(t, "what it says of the others", []string{"23 more messages aren't in this mail."}, l.After)
	if status, body := w.page(http.MethodPost, l.Unsubscribe, oneClick); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	w.sql.Exec("update missed_mails set hour = hour - interval '1 hour'")
	w.ann.SendStream("attic", "dust", "words")
	w.ann.SendStream("hall", "noise", "words")
	w.nothing("they are ended")
}

// A mention of everybody in a large stream is noted in portions, once for each of those who are away.
func TestManyPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec(`insert into users (org_id, email, full_name) select $1, 'u' || i || '@chat.example', 'User ' || i from generate_series(1, 1250) i`, int64(w.Org.ID))
	w.sql.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) select u.org_id, s.stream_id, u.user_id, '#000000', '{[0,)}' from users u, streams s
		where u.full_name like 'User %' and s.name = 'hall'`)
	w.ann.SendStream("hall", "topic", "@**all** hello")
	w.find()
	got := storetest.Rows[struct{ Accounts, Messages int }](w.sql, "select count(*)::int as accounts, sum(cardinality(messages))::int as messages from missed_mails")[0]
	if got.Accounts != 1251 || got.Messages != 1251 {
		t.Errorf("%+v", got)
	}
}

// Whatever people are called and write, a mail has no active content, nothing of a spoiler, and loads nothing.
func TestHostileContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec("update users set full_name = E'Ann\\r\\nBcc: eve@corp.example <script>' where user_id = $1", w.ann.ID)
	w.ann.SendStream("hall", "<b>\" onload=x", "@**Bob** <script>alert(1)</script> [x](javascript:alert(1)) [here](/user_uploads/1/a/b.png) https://corp.example/picture.png :wave:\n"+
		"```spoiler the end\nthe butler\n```\n```quote\nsaid\n```")
	l := w.letter()
	markup := string(l.Quotes[0].Messages[0].HTML)
	for _, bad := range []string{"<script", `="javascript`, "<img", "butler", "class=", "onload", `"/user_uploads`} {
		if strings.Contains(markup, bad) {
			t.Errorf("%s in %s", bad, markup)
		}
	}
	for _, good := range []string{"&lt;script&gt;", `<a href="https://chat.example/user_uploads/1/a/b.png">`, "the end", "👋", "<blockquote>"} {
		if !strings.Contains(markup, good) {
			t.Errorf("no %s in %s", good, markup)
		}
	}
	if text := said(l)[0]; strings.Contains(text, "butler") || !strings.Contains(text, "> said") || !strings.Contains(text, "here (https://chat.example/user_uploads/1/a/b.png)") {
		t.Error(text)
	}
}
