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
