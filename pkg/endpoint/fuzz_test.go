package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzParams checks that no parameters cause a panic or an internal error.
func FuzzParams(f *testing.F) {
	for _, seed := range []struct{ query, kind, body string }{
		{"raw=a&json=%22b%22", "application/x-www-form-urlencoded", `subs=[{"name":"x","color":"#fff"}]&ids=[1]`},
		{"bool=true&int=5&float=1e400", "", ""},
		{"dict={\"a\":1}&either=[]&any=[[[]]]", "application/x-www-form-urlencoded", "nn=-1&even=2&policy=3"},
		{"date=2020-01-01&url=http://x&client=%ff", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"raw\"\r\n\r\nv\r\n--x--\r\n"},
		{"evens=[2]&json_raw=1e999&str_or_int=1&nul=%00", "application/x-www-form-urlencoded", "%=%&=&&&raw=%zz"},
	} {
		f.Add(seed.query, seed.kind, seed.body)
	}
	s := serve(f, echo[everything]("POST /x"), echo[sendParams]("DELETE /x"))
	f.Fuzz(func(t *testing.T, query, kind, body string) {
		for _, method := range []string{http.MethodPost, http.MethodDelete} {
			r := httptest.NewRequestWithContext(t.Context(), method, "/api/v1/x", strings.NewReader(body))
			r.Host, r.URL.RawQuery = host, query
			r.Header.Set("Authorization", basic(key("m")))
			r.Header.Set("Content-Type", kind)
			if w := s.do(r); w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
				t.Errorf("%d %s %s", w.Code, w.Body, s.log)
			}
		}
	})
}
