package picture_test

import (
	"fmt"
	"image/color"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/bots"
	"chatserver.dev/services/api/branding"
	"chatserver.dev/services/api/customemoji"
	"chatserver.dev/services/api/users"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/servicetest"
)

// Without a storage no picture can be uploaded, and the response says so.
func TestNoStorage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga := w.Person("Olga", actor.Owner)
	without := domain.New(domain.Deps{DB: w.DB, Orgs: w.Orgs, Now: time.Now, Logger: w.Logger})
	config := org.Config{ExternalHost: servicetest.Host, ExternalScheme: "https"}
	router := endpoint.NewRouter(endpoint.Config{
		Authenticator: user.NewAuthenticator(w.DB, config, time.Now, w.Logger), Limiter: servicetest.Unlimited{}, LocalLimiter: servicetest.Unlimited{},
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Failed: servicetest.Declared(t),
	}, []endpoint.Endpoint{
		customemoji.Add(without.Emoji), users.SetAvatar(without.Avatars), branding.SetIcon(without.Branding), branding.SetLogo(without.Branding),
		bots.Create(without.Accounts), bots.Change(without.Accounts),
	})
	olga.Do(http.MethodPost, "/bots", servicetest.Params{"full_name": "Echo", "short_name": "echo"}).OK()
	bot := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select user_id from users where full_name = 'Echo'")[0]
	for _, request := range []string{
		"POST /realm/emoji/x", "POST /users/me/avatar", "POST /realm/icon", "POST /realm/logo?night=true",
		"POST /bots", fmt.Sprint("PATCH /bots/", bot),
	} {
		method, path, _ := strings.Cut(request, " ")
		body, kind := servicetest.Form(t, map[string]string{"full_name": "Bot", "short_name": "bot"}, "x.png", servicetest.PNG(t, 10, 10, color.Black))
		r := httptest.NewRequestWithContext(t.Context(), method, "/api/v1"+path, body)
		r.Host = servicetest.Host
		r.Header.Set("Content-Type", kind)
		r.SetBasicAuth(olga.RealEmail, olga.Key)
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, r)
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "This server isn't set up to store files.") {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}
