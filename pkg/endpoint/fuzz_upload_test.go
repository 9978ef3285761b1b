package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// FuzzUpload checks that a file that is accepted is the only one in the body, by package multipart's own reading of forms.
func FuzzUpload(f *testing.F) {
	const maxBytes = 200
	part := func(head, content string) string {
		return "--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + content + "\r\n"
	}
	file := part(`name="f"; filename="a.png"`, "content")
	for _, body := range []string{
		file + "--b--", part(`name="name"`, "x") + file + "--b--\r\n", file + part(`name="name"`, "x") + "--b--", file + file + "--b--", file, part(`name="f"; filename=""`, "x") + "--b--",
		part(`name="f"; filename*=UTF-8''a%2fb`, strings.Repeat("x", maxBytes+1)) + "--b--", part(`name=f; filename="..\\a"`+"\r\nContent-Transfer-Encoding: quoted-printable", "=41") + "--b--",
		"preamble\r\n" + file + "--b-- epilogue", strings.ReplaceAll(file, "\r\n", "\n") + "--b--", part(`name="f"; filename="a"; filename="b"`, "x") + "--b--",
	} {
		f.Add("multipart/form-data; boundary=b", body)
	}
	f.Add("multipart/form-data; boundary=\"b\"; boundary=c", file+"--b--")
	f.Add("multipart/mixed; boundary=b", file+"--b--")
	f.Add("multipart/form-data", file+"--b--")
	s := serve(f, endpoint.Upload(endpoint.About{Route: "POST /x", Who: permit.Anyone}, endpoint.OneFile{
		MaxBytes: maxBytes, Missing: fault.Bad("none"), Several: fault.Bad("several"), TooLarge: fault.Bad("large"),
	}, func(_ context.Context, _ actor.Actor, _ none, sent *endpoint.File) (map[string]any, error) {
		content, err := io.ReadAll(sent)
		return map[string]any{"name": sent.Name(), "content": content}, err
	}))
	f.Fuzz(func(t *testing.T, kind, body string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/x", strings.NewReader(body))
		r.Host = host
		r.Header.Set("Authorization", basic(key("m")))
		r.Header.Set("Content-Type", kind)
		w := s.do(r)
		switch w.Code {
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
			return
		case http.StatusOK:
		default:
			t.Fatalf("%d %s %s", w.Code, w.Body, s.log)
		}
		reply := struct {
			Name    string `json:"name"`
			Content []byte `json:"content"`
		}{}
		if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
			t.Fatal(err)
		}
		_, params, _ := mime.ParseMediaType(kind)
		form := multipart.NewReader(strings.NewReader(body), params["boundary"])
		files := 0
		for {
			part, err := form.NextRawPart()
			if err != nil {
				if err != io.EOF || files != 1 { //nolint:errorlint // others wrap it
					t.Errorf("accepted with %d files: %v", files, err)
				}
				return
			}
			if part.FileName() == "" {
				continue
			}
			content, err := io.ReadAll(part)
			if files++; err != nil || !bytes.Equal(content, reply.Content) || part.FileName() != reply.Name || len(content) > maxBytes {
				t.Errorf("read %q as %q (%q as %q): %v", content, reply.Content, part.FileName(), reply.Name, err)
			}
		}
	})
}
