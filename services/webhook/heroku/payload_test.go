package heroku_test

import (
	"testing"

	"chatserver.dev/services/webhook/heroku"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, heroku.Receive)
}
