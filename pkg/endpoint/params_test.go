package endpoint_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
)

type shared struct {
	Announce bool `param:"announce" default:"false"`
}

type sendParams struct {
	Type  string  `param:"type"`
	Topic *string `param:"topic" alias:"subject"`
	shared
	Content string         `param:"content"`
	To      *[]id.User     `param:"to"`
	Tags    []string       `param:"tags" default:"[\"x\"]"`
	Count   endpoint.NNInt `param:"count" default:"3"`
}

func (p *sendParams) Check() error {
	if p.Content == "forbidden" {
		return fault.Bad("Not that")
	}
	return nil
}

// sent returns the JSON of sendParams with a type and a content.
func sent(typ, content string) string {
	return fmt.Sprintf(`{"result":"success","msg":"","in":{"Type":%q,"Topic":null,"Announce":false,"Content":%q,"To":null,"Tags":["x"],"Count":3}}`, typ, content)
}

func TestSources(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/x"
	const missing = `{"result":"error","code":"REQUEST_VARIABLE_MISSING","msg":"Missing 'type' argument","var_name":"type"}`
	methods := []string{http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodGet}
	endpoints := []endpoint.Endpoint{}
	for _, m := range methods {
		endpoints = append(endpoints, echo[sendParams](m+" /x"))
	}
	s := serve(t, endpoints...)
	for _, m := range methods[:4] {
		t.Run(m, func(t *testing.T) {
			t.Parallel()
			want(t, s.do(request(t, m, path, "type=a&content=b")), 200, sent("a", "b"))
			want(t, s.do(request(t, m, path+"?type=a&content=b", "")), 200, sent("a", "b"))
			want(t, s.do(request(t, m, path+"?type=query&content=q", "type=body")), 200, sent("body", "q"))
			want(t, s.do(request(t, m, path, "type=a&type=b&content=c&content=d")), 200, sent("b", "d"))
			want(t, s.do(multi(t, m, path+"?type=query", "type", "a", "type", "b", "content", "c", "unknown", "z")), 200, sent("b", "c"))
		})
	}
	t.Run("GET has no body", func(t *testing.T) {
		t.Parallel()
		want(t, s.do(request(t, http.MethodGet, path, "type=a&content=b")), 400, missing)
		want(t, s.do(request(t, http.MethodGet, path+"?type=a&content=b", "type=z")), 200, sent("a", "b"))
	})
	t.Run("charset", func(t *testing.T) {
		t.Parallel()
		r := request(t, http.MethodPost, path, "type=a&content=b")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
		want(t, s.do(r), 200, sent("a", "b"))
	})
	t.Run("JSON body is not understood", func(t *testing.T) {
		t.Parallel()
		r := request(t, http.MethodPost, path, `{"type":"a","content":"b"}`)
		r.Header.Set("Content-Type", "application/json")
		want(t, s.do(r), 400, missing)
	})
	t.Run("encoded and unknown names", func(t *testing.T) {
		t.Parallel()
		want(t, s.do(request(t, http.MethodPost, path, "t%79pe=a+b%20c&content=b&%zz=1&other=%00&=&&")), 200, sent("a b c", "b"))
	})
}

// multi returns a multipart request with names and values.
func multi(t *testing.T, method, target string, pairs ...string) *http.Request {
	t.Helper()
	body := &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteField(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := request(t, method, target, body.String())
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

func TestMissing(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[sendParams]("POST /x"))
	for body, name := range map[string]string{"": "type", "content=x": "type", "type=x": "content", "type=a&to=[": ""} {
		w := s.do(request(t, http.MethodPost, "/api/v1/x", body))
		if name == "" {
			name = "content" // it comes before "to"
		}
		want(t, w, 400, `{"result":"error","code":"REQUEST_VARIABLE_MISSING","msg":"Missing '`+name+`' argument","var_name":"`+name+`"}`)
	}
}

func TestAlias(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[sendParams]("POST /x"))
	do := func(body string) (status int, answer string) {
		w := s.do(request(t, http.MethodPost, "/api/v1/x?type=a&content=b", body))
		return w.Code, w.Body.String()
	}
	for _, name := range []string{"topic", "subject"} {
		if status, answer := do(name + "=t"); status != 200 || !strings.Contains(answer, `"Topic":"t"`) {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	want(t, s.do(request(t, http.MethodPost, "/api/v1/x?type=a&content=b&topic=x", "subject=y")), 400,
		`{"result":"error","code":"REQUEST_CONFUSING_VAR","msg":"Can't decide between 'topic' and 'subject' arguments","var_name1":"topic","var_name2":"subject"}`)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[sendParams]("POST /x"))
	want(t, s.do(request(t, http.MethodPost, "/api/v1/x", "type=a&content=forbidden")), 400, badRequest("Not that"))
}

func TestDefaultsAreNotShared(t *testing.T) {
	t.Parallel()
	s := serve(t, endpoint.New(endpoint.About{Route: "POST /x", Who: permit.Anyone},
		func(_ context.Context, _ actor.Actor, in sendParams) (map[string]any, error) {
			in.Tags[0] += "!"
			return map[string]any{"tag": in.Tags[0]}, nil
		}))
	for range 2 {
		want(t, s.do(request(t, http.MethodPost, "/api/v1/x", "type=a&content=b")), 200, `{"result":"success","msg":"","tag":"x!"}`)
	}
}

// null for a list or an object that may be left out is the same as leaving it out, with a default or without.
func TestNull(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[struct {
		List     *[]int                           `param:"list"`
		Names    []string                         `param:"names" default:"[\"x\"]"`
		Dict     map[string]string                `param:"dict" default:"{}"`
		Either   endpoint.Either[[]int, []string] `param:"either" default:"[]"`
		Count    int                              `param:"count" default:"3"`
		Required []int                            `param:"required"`
	}]("POST /x"))
	const nulls = "list=null&names=null&dict=+null&either=null"
	want(t, s.do(request(t, http.MethodPost, "/api/v1/x", nulls+"&required=[1]")), 200,
		`{"result":"success","msg":"","in":{"List":null,"Names":["x"],"Dict":{},"Either":{"First":[],"Second":null},"Count":3,"Required":[1]}}`)
	want(t, s.do(request(t, http.MethodPost, "/api/v1/x", nulls+"&required=null")), 400, badRequest("required is not a list"))
	want(t, s.do(request(t, http.MethodPost, "/api/v1/x", "required=[1]&count=null")), 400, badRequest("count is not an integer"))
}

func TestPath(t *testing.T) {
	t.Parallel()
	type two struct {
		Topic  string    `path:"topic"`
		Stream id.Stream `path:"stream_id"`
	}
	type rest struct {
		Rest string `path:"rest"`
	}
	type nothing struct{}
	type small struct {
		ID int8 `path:"id"`
	}
	s := serve(
		t,
		echo[two]("GET /streams/{stream_id}/topics/{topic}"),
		echo[small]("GET /small/{id}"),
		echo[rest]("GET /files/{rest...}"),
		echo[nothing]("GET /streams/me/topics/x"),
	)
	for path, in := range map[string]string{
		"streams/5/topics/a%2Fb%20c": `{"Topic":"a/b c","Stream":5}`,
		"streams/5/topics/x":         `{"Topic":"x","Stream":5}`,
		"streams/me/topics/x":        `{}`,
		"files/a/b/c.txt":            `{"Rest":"a/b/c.txt"}`,
		// Numbers that are too large are the largest one.
		"streams/9223372036854775808/topics/x":  `{"Topic":"x","Stream":9223372036854775807}`,
		"streams/99999999999999999999/topics/x": `{"Topic":"x","Stream":9223372036854775807}`,
		"small/128":                             `{"ID":127}`,
	} {
		want(t, s.do(request(t, http.MethodGet, "/api/v1/"+path+"?topic=query&stream_id=9", "")), 200, `{"result":"success","msg":"","in":`+in+`}`)
	}
	want(t, s.do(request(t, http.MethodGet, "/api/v1/streams/5/topics/%00", "")), 400, badRequest("topic contains NULL (0x00) characters"))
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	const tooLarge = `{"result":"error","code":"REQUEST_TOO_LARGE","msg":"The request's body is too large","max_bytes":100}`
	about := endpoint.About{Route: "POST /x", Who: permit.Anyone, MaxBody: 100}
	s := serve(t, endpoint.New(about, func(context.Context, actor.Actor, everything) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, nil
	}))
	big := "json=" + strings.Repeat("a", 100)
	want(t, s.do(request(t, http.MethodPost, "/api/v1/x", big)), 413, tooLarge)
	want(t, s.do(multi(t, http.MethodPost, "/api/v1/x", "json", strings.Repeat("a", 100))), 413, tooLarge)

	chunked := request(t, http.MethodPost, "/api/v1/x", "")
	chunked.Body, chunked.ContentLength = io.NopCloser(strings.NewReader(big)), -1
	chunked.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	want(t, s.do(chunked), 413, tooLarge)

	exactly := "op=add&" + strings.Repeat("a", 93)
	want(t, s.do(request(t, http.MethodPost, "/api/v1/x", exactly)), 200, `{"result":"success","msg":""}`)

	if small := echo[none]("GET /x").About().MaxBody; small != 64<<10 {
		t.Errorf("the default limit is %d", small)
	}
	defer func() {
		if recover() == nil {
			t.Error("an endpoint takes more than 1 MiB")
		}
	}()
	echoLimited[none]("POST /x", endpoint.LargeBody+1)
}

// A compressed body isn't taken for one without parameters.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[sendParams]("POST /x"))
	for encoding, refused := range map[string]string{"gzip": "gzip", " Br , gzip": "Br , gzip", "identity": "", "Identity ": "", "": ""} {
		r := request(t, http.MethodPost, "/api/v1/x", "type=a&content=b")
		r.Header.Set("Content-Encoding", encoding)
		w := s.do(r)
		if refused == "" {
			want(t, w, 200, sent("a", "b"))
			continue
		}
		want(t, w, 415, `{"result":"error","msg":"The request's body has the Content-Encoding '`+refused+`': send it without one","code":"UNSUPPORTED_CONTENT_ENCODING"}`)
		if accepted := w.Header().Get("Accept-Encoding"); accepted != "identity" {
			t.Errorf("Accept-Encoding: %q", accepted)
		}
	}
}

// The error has the reason why a form can't be parsed, which isn't always its size.
func TestManyParts(t *testing.T) {
	t.Parallel()
	pairs := []string{}
	for range 1001 {
		pairs = append(pairs, "x", "")
	}
	headers := strings.Builder{}
	for i := range 10001 {
		fmt.Fprintf(&headers, "X-%d: x\r\n", i)
	}
	many := request(t, http.MethodPost, "/api/v1/x", "--b\r\nContent-Disposition: form-data; name=x\r\n"+headers.String()+"\r\n\r\n--b--\r\n")
	many.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	s := serve(t, echoLimited[none]("POST /x", endpoint.LargeBody))
	for what, r := range map[string]*http.Request{"parts": multi(t, http.MethodPost, "/api/v1/x", pairs...), "headers": many} {
		w := s.do(r)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "too many parts or headers of parts: at most 1000 parts, and 10000 headers") {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
}

func TestUnreadableBody(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[everything]("POST /x"))
	for _, kind := range []string{"multipart/form-data", "multipart/form-data; boundary=x"} {
		r := request(t, http.MethodPost, "/api/v1/x", "nothing like it")
		r.Header.Set("Content-Type", kind)
		want(t, s.do(r), 400, badRequest("The request's body can't be read"))
	}
}

// A file is ignored if the endpoint accepts none.
func TestFilesAreIgnored(t *testing.T) {
	t.Parallel()
	body := &bytes.Buffer{}
	w := multipart.NewWriter(body)
	part, err := w.CreateFormFile("op", "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, err = part.Write([]byte("text"))
	if err := errors.Join(err, w.WriteField("raw", "abc"), w.Close()); err != nil {
		t.Fatal(err)
	}
	r := request(t, http.MethodPost, "/api/v1/x", body.String())
	r.Header.Set("Content-Type", w.FormDataContentType())
	answer := serve(t, echo[struct {
		Op  *string `param:"op"`
		Raw string  `param:"raw"`
	}]("POST /x")).do(r)
	want(t, answer, 200, `{"result":"success","msg":"","in":{"Op":null,"Raw":"abc"}}`)
}

func TestClientName(t *testing.T) {
	t.Parallel()
	got := ""
	s := serve(t, endpoint.New(endpoint.About{Route: "POST /x", Who: permit.Anyone},
		func(_ context.Context, who actor.Actor, _ none) (endpoint.Nothing, error) {
			got = who.Client
			return endpoint.Nothing{}, nil
		}))
	for _, c := range []struct{ query, body, agent, want string }{
		{"", "", "ZulipPython/0.8.2 (Linux)", "ZulipPython"},
		{"", "", "Mozilla/5.0 (X11)", "Mozilla"},
		{"", "", "curl7.1", "curl"},
		{"", "", "My Bot (test)", "My Bot"},
		{"", "", "", "Unspecified"},
		{"", "", "5", "Unspecified"},
		{"", "", "a\xffb/1", "ab"},
		{"client=query", "client=body", "x/1", "query"},
		{"", "client=body", "x/1", "body"},
		{"client=", "", "x/1", "x"},
		{"client=" + strings.Repeat("%C3%A4", 31), "", "", strings.Repeat("ä", 30)},
	} {
		r := request(t, http.MethodPost, "/api/v1/x?"+c.query, c.body)
		r.Header.Set("User-Agent", c.agent)
		s.do(r)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}
