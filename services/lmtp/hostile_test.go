package lmtp_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/lmtp"
	"chatserver.dev/services/servicetest"
)

// Hostile mails are refused or read in little time, and the server keeps working.
func TestHostile(t *testing.T) {
	t.Parallel()
	testbed.Slow(t)
	w := newWorld(t)
	nested, end := strings.Builder{}, ""
	nested.WriteString("Subject: nested\n")
	for i := range 200 {
		fmt.Fprintf(&nested, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
		end = fmt.Sprintf("\n--b%d--\n", i) + end
	}
	parts := strings.Builder{}
	parts.WriteString("Subject: parts\nContent-Type: multipart/mixed; boundary=b\n\n")
	for range 20_000 {
		parts.WriteString("--b\nContent-Type: application/octet-stream\n\nx\n")
	}
	const part = "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
	for what, c := range map[string]struct {
		mail string
		code int
	}{
		"large header of a part": {part + strings.Repeat("a: b\n", 14_000) + "\nx\n--b--\n", 554},
		"fields like boundaries": {part + strings.Repeat("--b: b\n", 14_000) + "\nx\n--b--\n", 554},
		"long field of a part":   {part + "a: b\n" + strings.Repeat(" b\n", 25_000) + "\nx\n--b--\n", 554},
		"large headers of parts": {part + strings.Repeat("\nx\n--b\n"+strings.Repeat("a: b\n", 6_000), 20) + "\nx\n--b--\n", 554},
		"text like a header":     {part + "\nx\n" + strings.Repeat("a: b\n", 50_000) + "\n--b--\n", 0},
		"usual headers of parts": {part + strings.Repeat("\nx\n--b\n"+strings.Repeat("a: b\n", 100), 100) + "\nx\n--b--\n", 0},
		"deep":                   {nested.String() + "\nx" + end, 554},
		"many parts":             {parts.String() + "--b--\n", 554},
		"no end":                 {"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n", 0},
		"large header":           {"Subject: " + strings.Repeat(strings.Repeat("x", 900)+"\n ", 400) + "\n\nx", 554},
		"deep HTML":              {"Subject: x\nContent-Type: text/html\n\n" + strings.Repeat("<div><b><blockquote>\n", 50_000), 0},
		"HTML of tables":         {"Subject: x\nContent-Type: text/html\n\n" + strings.Repeat("<table><tr><td>\n", 20_000), 0},
		"broken base64":          {"Subject: x\nContent-Transfer-Encoding: base64\n\n!!!!", 554},
		"quotes":                 {"Subject: x\n\n" + strings.Repeat(">", 50_000) + "\nx", 0},
		"introductions":          {"Subject: x\n\n" + strings.Repeat("On \n", 40_000) + "x", 0},
		"no header":              {"\n", 0},
		"no colon":               {"what is this", 554},
		"not UTF-8":              {"Subject: \xff\xfe\nFrom: \xff\n\n\xff\xfe", 0},
	} {
		start := time.Now()
		got := w.send("b@x.example", "X: "+what+"\n"+c.mail, w.hall)
		if got[w.hall] != c.code {
			t.Errorf("%s: %v", what, got)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %s", what, took)
		}
	}
	large := strings.Repeat(strings.Repeat("x", 998)+"\n", 27_000)
	if got := w.send("b@x.example", "Subject: large\n\n"+large, w.hall); got[w.hall] == 0 {
		t.Error("a mail of 27 MB was taken", got)
	}
	servicetest.Same(t, "after that", map[string]int{w.hall: 0}, w.send("b@x.example", "Subject: after\n\nx", w.hall))
}

// A refusal is one line, even if it quotes the mail.
func TestRefusalIsOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn := textproto.NewConn(w.dial())
	defer conn.Close()
	say := func(text string) {
		t.Helper()
		if err := conn.PrintfLine("%s", text); err != nil {
			t.Fatal(err)
		}
	}
	ends := func(code int) {
		t.Helper()
		if _, text, err := conn.ReadResponse(code); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	ends(220)
	say("LHLO x")
	ends(250)
	for _, command := range []string{"MAIL FROM:<b@x.example>", "RCPT TO:<" + w.hall + ">"} {
		say(command)
		ends(250)
	}
	say("DATA")
	ends(354)
	say("what\xff is this" + strings.Repeat("!", 1000) + "\r\n250 done\r\n.")
	line, err := conn.ReadLine()
	if err != nil || !strings.HasPrefix(line, "554 5.6.0 <"+w.hall+"> The mail can't be read: ") || !strings.Contains(line, "what? is this!!!") || len(line) > 510 {
		t.Errorf("%q %v", line, err)
	}
	say("QUIT")
	if line, err = conn.ReadLine(); !strings.HasPrefix(line, "221 ") {
		t.Errorf("%q %v", line, err)
	}
}

// A mail ends only with a dot on a line of its own, whose line ends are those of the standard. Mail servers pass on what looks similar:
// what follows it would be the commands of whoever wrote the mail.
func TestEndOfMail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const follows = "MAIL FROM:<b@x.example>\r\nRCPT TO:<%s>\r\nDATA\r\nSubject: second\r\n\r\nx\r\n.\r\n"
	for _, end := range []string{"\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r.\r\n", "\r\n.\r", "\r\n.\x00\r\n", "\r\n\x00.\r\n", "\r\n..\r\n", "\r\n. \r\n", "\n\n.\r\n"} {
		conn := w.dial()
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "LHLO x\r\nMAIL FROM:<b@x.example>\r\nRCPT TO:<%s>\r\nDATA\r\nSubject: %q\r\n\r\nx%s"+follows+"QUIT\r\n", w.hall, end, end, w.hall)
		answers, err := io.ReadAll(conn)
		if n := strings.Count(string(answers), "OK: queued"); n != 1 {
			t.Errorf("%q: %d mails, %v", end, n, err)
		}
		_ = conn.Close()
	}
}

// Clients that send mails slowly don't delay other clients' mails for long.
func TestSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *lmtp.Deps) { d.ArriveTime = 300 * time.Millisecond })
	parts := map[string]string{"BDAT 3\r\nSub": "BDAT 1\r\nx", "DATA\r\nSub": "x"} // that follow what a mail begins with
	slow := map[string]net.Conn{}
	for begin := range parts {
		conn := w.dial()
		slow[begin] = conn
		t.Cleanup(func() { _ = conn.Close() })
		lines := "LHLO x\r\nMAIL FROM:<bob@corp.example>\r\nRCPT TO:<" + w.hall + ">\r\n" + begin
		if got := say(t, conn, lines); !strings.HasPrefix(got, "220 ") {
			t.Fatal(got)
		}
	}
	dripping := errgroup.Group{}
	for begin, conn := range slow {
		dripping.Go(func() error {
			for range 100 {
				if _, err := conn.Write([]byte(parts[begin])); err != nil {
					return nil //nolint:nilerr // cut off
				}
				time.Sleep(50 * time.Millisecond)
			}
			return errors.New("a client sends a mail for five seconds")
		})
	}
	servicetest.Same(t, "another's mail", map[string]int{w.hall: 0}, w.send("bob@corp.example", "From: Bob <bob@corp.example>\nSubject: x\n\nhello\n", w.hall))
	if err := dripping.Wait(); err != nil {
		t.Error(err)
	}
}

// A client that sends no mail loses its connection, however much else it sends. One whose mails come in time keeps it.
func TestConnectionsWithoutMail(t *testing.T) {
	t.Parallel()
	const mailTime = 500 * time.Millisecond
	w := newWorld(t, func(d *lmtp.Deps) { d.MailTime = mailTime })
	for what, c := range map[string]struct {
		text string
		ends bool
	}{
		"commands":              {"NOOP\r\n", true},
		"greetings":             {"LHLO x\r\n", true},
		"a line without an end": {"x", true},
		"mails":                 {"MAIL FROM:<b@x.example>\r\nRCPT TO:<" + w.hall + ">\r\nDATA\r\nSubject: tide\r\n\r\nhigh\r\n.\r\n", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			conn := w.dial()
			defer conn.Close()
			fmt.Fprint(conn, "LHLO x\r\n")
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				_, _ = io.Copy(io.Discard, conn)
			}()
			start := time.Now()
			for time.Since(start) < 4*mailTime {
				_, _ = fmt.Fprint(conn, c.text)
				select {
				case <-closed:
					if took := time.Since(start); !c.ends || took < mailTime/2 {
						t.Errorf("closed after %v", took)
					}
					return
				case <-time.After(mailTime / 10):
				}
			}
			if c.ends {
				t.Error("it is still open")
			}
		})
	}
}

// Clients of one address hold neither all connections nor all the room for mails, so mail from other addresses comes in.
func TestManyFromOneAddress(t *testing.T) {
	t.Parallel()
	const arriveTime = time.Second
	w := newWorld(t, func(d *lmtp.Deps) { d.ArriveTime = arriveTime })
	refused, slow := 0, []net.Conn(nil)
	for range 60 {
		conn := w.dial()
		t.Cleanup(func() { _ = conn.Close() })
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		greeting := readLine(t, bufio.NewReader(conn))
		switch {
		case strings.HasPrefix(greeting, "421 "):
			refused++
		case strings.HasPrefix(greeting, "220 "):
			slow = append(slow, conn)
			fmt.Fprint(conn, "LHLO x\r\nMAIL FROM:<bob@corp.example>\r\nRCPT TO:<"+w.hall+">\r\nDATA\r\nSub")
		default:
			t.Fatal(greeting)
		}
	}
	if refused != 60-25 {
		t.Errorf("%d connections are refused", refused)
	}
	other, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).Dial("tcp", w.addr)
	if err != nil {
		t.Fatalf("macOS needs ifconfig lo0 alias 127.0.0.2 first: %v", err)
	}
	start := time.Now()
	servicetest.Same(t, "another's mail", map[string]int{w.hall: 0}, w.sendBy(smtp.NewClientLMTP(other), "ann@corp.example", "Subject: x\n\nhello\n", w.hall))
	if took := time.Since(start); took > 4*arriveTime {
		t.Errorf("it took %v", took)
	}
	for _, conn := range slow {
		_ = conn.Close()
	}
	for start = time.Now(); ; time.Sleep(10 * time.Millisecond) {
		conn := w.dial()
		greeting := readLine(t, bufio.NewReader(conn))
		if _ = conn.Close(); strings.HasPrefix(greeting, "220 ") {
			return
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("it is refused for ever: ", greeting)
		}
	}
}

// A mail that arrives while the server ends becomes a message.
func TestMailAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	conn := w.dial()
	defer conn.Close()
	client := textproto.NewConn(conn)
	for _, step := range []struct {
		text string
		code int
	}{{"LHLO x", 220}, {"MAIL FROM:<b@x.example>", 250}, {"RCPT TO:<" + w.hall + ">", 250}, {"DATA", 250}, {"Subject: tide", 354}} {
		if err := client.PrintfLine("%s", step.text); err != nil {
			t.Fatal(err)
		}
		if _, text, err := client.ReadResponse(step.code); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	w.end()
	for other := error(nil); other == nil; { // until it takes no connections
		var late net.Conn
		if late, other = net.Dial("tcp", w.addr); other == nil {
			_ = late.Close()
		}
	}
	if err := client.PrintfLine("\r\nhigh\r\n."); err != nil {
		t.Fatal(err)
	}
	if _, text, err := client.ReadResponse(250); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	servicetest.Same(t, "messages", 1, len(w.said()))
	_ = client.PrintfLine("QUIT")
}

// A mail that is cut off isn't delivered, so that it isn't ignored when it comes again as a whole.
func TestCutOff(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	trusting := f.renew(t)
	w := newWorld(t, f.with(t, false))
	mail := "Message-ID: <1@x.example>\r\nSubject: tide\r\n\r\nhigh at noon"
	begin := "MAIL FROM:<b@x.example>\r\nRCPT TO:<" + w.hall + ">\r\n"
	for what, rest := range map[string]string{"DATA": "DATA\r\n" + mail, "BDAT": fmt.Sprintf("BDAT %d LAST\r\n%s", len(mail)+10, mail)} {
		plain := w.dial()
		secured, err := w.startTLS(trusting, "")
		if err != nil {
			t.Fatal(err)
		}
		for conn, below := range map[net.Conn]net.Conn{plain: plain, secured: secured.NetConn()} {
			if _, err := io.WriteString(conn, "LHLO x\r\n"+begin+rest); err != nil {
				t.Fatal(err)
			}
			if err := below.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if answers, _ := io.ReadAll(conn); strings.Contains(string(answers), "OK: queued") {
				t.Errorf("%s, TLS %t: %s", what, conn != below, answers)
			}
			_ = conn.Close()
		}
	}
	servicetest.Same(t, "messages", 0, len(w.said()))
	servicetest.Same(t, "the whole mail", map[string]int{w.hall: 0}, w.send("b@x.example", strings.ReplaceAll(mail, "\r\n", "\n")+" tomorrow", w.hall))
	if said := w.said(); len(said) != 1 || !strings.HasSuffix(said[0], "high at noon tomorrow") {
		t.Errorf("%q", said)
	}
}
