package splunk_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/splunk"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, splunk.Receive)
}
