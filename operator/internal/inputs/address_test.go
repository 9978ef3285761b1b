package inputs_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"chatserver.dev/operator/internal/inputs"
)

// The address that services get from a connection string has no credentials of the database's owner.
func TestAddressHasNoCredentials(t *testing.T) {
	for connection, want := range map[string]string{
		"postgres://owner:hunter2@db:6432/chat":                                    "postgres://db:6432/chat",
		"postgresql://owner@db/chat?sslmode=require":                               "postgresql://db/chat?sslmode=require",
		"postgres://owner:hun%40ter2@a:1,b:2/chat?target_session_attrs=read-write": "postgres://a:1,b:2/chat?target_session_attrs=read-write",
		"postgres://owner:hunter2@[::1]:5432/chat":                                 "postgres://[::1]:5432/chat",
		"postgres:///chat?host=/run/postgres&user=owner&password=hunter2":          "postgres:///chat?host=%2Frun%2Fpostgres",
		"postgres://db/chat?sslpassword=hunter2&passfile=/x&connect_timeout=3":     "postgres://db/chat?connect_timeout=3",
		"host=db port=6432 user=owner password=hunter2 dbname=chat":                "host=db port=6432 dbname=chat",
		"host = db  user= owner password='hun ter2 host=no' dbname='a b'":          "host=db dbname='a b'",
		`password='it\'s \\hunter2' host=db`:                                       "host=db",
		`host='d\'b' password=hun\ ter2`:                                           `host='d\'b'`,
		"password=hunter2":                                                         "",
		"hunter2":                                                                  "",
		"host=db password='hunter2":                                                "",
		"postgres://owner:hunter2@":                                                "",
		"postgres://owner:hunter2@db:port:6432/%zz":                                "",
		"host=db hunter2":                                                          "",
	} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "db"}, Data: map[string][]byte{"url": []byte(connection + "\n")}}
		got, err := inputs.Address(t.Context(), inputs.NewSecrets(fake.NewClientBuilder().WithObjects(secret).Build(), "chat"), external())
		invalid := (*inputs.InvalidError)(nil)
		if got != want || (want == "") != errors.As(err, &invalid) || strings.Contains(got, "owner") || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %s, %v, want %s", connection, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", connection, err)
		}
	}
}
