package secrets_test

import (
	"strings"
	"testing"

	"chatserver.dev/operator/internal/secrets"
)

func TestLogins(t *testing.T) {
	longest := strings.Repeat("a-", 19) + "zz"
	seen := map[string]bool{}
	for _, of := range [][4]string{
		{"chat", longest, "1", "a"}, {"chat", longest, "1", "b"}, {"chat", longest, "2", "a"}, {"other", longest, "1", "a"}, {"chat", "main", "1", "a"},
	} {
		prefix := secrets.LoginPrefix(of[0], of[1], of[2], of[3])
		made := secrets.Logins(prefix, nil)
		for _, key := range []string{secrets.ServiceUserKey, secrets.EverywhereUserKey} {
			name := string(made[key])
			if len(name) > 63 || seen[name] || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				t.Errorf("%v: %s, which is taken: %t", of, name, seen[name])
			}
			seen[name] = true
		}
		for _, key := range []string{secrets.ServicePasswordKey, secrets.EverywherePasswordKey} {
			if password := string(made[key]); len(password) < 26 || seen[password] {
				t.Errorf("%v: password %q", of, password)
			}
			seen[string(made[key])] = true
		}
	}
	kept := secrets.Logins("new", map[string][]byte{secrets.ServiceUserKey: []byte("old"), secrets.ServicePasswordKey: []byte("pw")})
	if string(kept[secrets.ServiceUserKey]) != "old" || string(kept[secrets.ServicePasswordKey]) != "pw" || string(kept[secrets.EverywhereUserKey]) != "new_everywhere" {
		t.Errorf("%q", kept)
	}
}
