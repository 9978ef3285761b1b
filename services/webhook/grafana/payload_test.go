package grafana_test

import (
	"testing"

	"chatserver.dev/services/webhook/grafana"
	"chatserver.dev/services/webhook/hooktest"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, grafana.Receive)
}
