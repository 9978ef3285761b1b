package plain_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/services/api/plain"
)

// A page declares its language and text direction.
func TestLanguage(t *testing.T) {
	t.Parallel()
	hebrew := catalogue.In("en")
	hebrew.Code, hebrew.RightToLeft = "he", true
	for want, texts := range map[string]catalogue.Texts{
		`<html lang="en" dir="ltr">`: catalogue.In("en"), `<html lang="de" dir="ltr">`: catalogue.In("de"), `<html lang="he" dir="rtl">`: hebrew,
	} {
		w := httptest.NewRecorder()
		if err := plain.Show(w, 200, plain.Page{Language: texts, Title: "<script>", Org: `"><img src=x>`}); err != nil {
			t.Fatal(err)
		}
		if body := w.Body.String(); !strings.Contains(body, want) || strings.Contains(body, "<script>") || strings.Contains(body, "<img src=x>") {
			t.Errorf("no %s:\n%s", want, body)
		}
	}
}

// A page costs little more than its text: anybody can request any number of them.
//
//nolint:paralleltest // it counts what the process allocates
func TestCost(t *testing.T) {
	page := plain.Page{Language: catalogue.In("en"), Title: "Reset your password", Fields: []plain.Field{{Name: "email"}}, Button: "Send"}
	allocations := testing.AllocsPerRun(10, func() {
		if err := plain.Show(httptest.NewRecorder(), 200, page); err != nil {
			t.Error(err)
		}
	})
	if allocations > 300 {
		t.Errorf("%v allocations", allocations)
	}
}
