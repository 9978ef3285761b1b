package lmtp

import (
	"testing"
	"unicode/utf8"

	"chatserver.dev/pkg/gateway"
)

// No mail causes a panic or takes long, and what is left of it isn't far larger than it is.
func FuzzRead(f *testing.F) {
	const crlf = "\r\n"
	for _, raw := range []string{
		"From: Ada <ada@x.example>" + crlf + "Subject: =?utf-8?q?T=C3=A4g?=" + crlf + crlf + "Hello" + crlf + "> quoted" + crlf + "-- " + crlf + "Ada",
		"Subject: x" + crlf + "Content-Type: text/html; charset=iso-8859-1" + crlf + crlf + "<ul><li>a<blockquote>b<table><tr><td>1<td>2</table>\xe4<h1><a href='x'>y",
		"Content-Type: multipart/mixed; boundary=b" + crlf + crlf + "--b" + crlf + crlf + "text" + crlf + "--b" + crlf +
			"Content-Type: image/png; name=a.png" + crlf + "Content-Transfer-Encoding: base64" + crlf + crlf + "iVBORw0KGgo=" + crlf + "--b--",
		"Content-Type: multipart/alternative; boundary=\"a b\"" + crlf + crlf + "--a b" + crlf + "Content-Type: message/rfc822" + crlf + crlf +
			"Subject: inner" + crlf + crlf + "x" + crlf + "--a b--",
		"Content-Transfer-Encoding: quoted-printable" + crlf + "Content-Type: text/plain; charset=utf-16" + crlf + crlf + "=FE=FF=00a=\r\n=00",
		"On Monday, Bob wrote:" + crlf + "> a" + crlf + crlf + "-##- reply above -##-" + crlf + crlf + "below",
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := read(raw)
		if err != nil {
			return
		}
		files := 0
		for _, file := range m.Files {
			files += len(file.Content)
		}
		if files > maxExpanded*len(raw) {
			t.Errorf("%d bytes of files", files)
		}
		for _, o := range []gateway.Options{{}, {PreferHTML: true}, {KeepQuotes: true, KeepFooter: true}, {KeepQuotes: true, PreferHTML: true}} {
			text := m.Text(o)
			if !utf8.ValidString(text) {
				t.Errorf("%+v: the text is invalid: %q", o, text)
			}
			if len(text) > 10_000+100*len(raw) {
				t.Errorf("%+v: %d bytes of text", o, len(text))
			}
		}
	})
}
