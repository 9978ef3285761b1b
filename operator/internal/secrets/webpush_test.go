package secrets_test

import (
	"bytes"
	"testing"

	"chatserver.dev/operator/internal/secrets"
	"chatserver.dev/pkg/push"
)

func TestTheKeyOfWebPushIsKept(t *testing.T) {
	made, err := secrets.WebPush(map[string][]byte{"other": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	config := push.Config{Key: string(made[secrets.WebPushKey])}
	if err := config.Check(); err != nil || config.Keys().Public == "" || string(made["other"]) != "x" {
		t.Errorf("%v: %v", made, err)
	}
	kept, err := secrets.WebPush(made)
	if err != nil || !bytes.Equal(kept[secrets.WebPushKey], made[secrets.WebPushKey]) {
		t.Errorf("%v became %v, %v", made, kept, err)
	}
	if another, err := secrets.WebPush(nil); err != nil || bytes.Equal(another[secrets.WebPushKey], made[secrets.WebPushKey]) {
		t.Errorf("two servers have the same key, %v", err)
	}
}
