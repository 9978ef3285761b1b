package teamcity_test

import (
	"testing"

	"chatserver.dev/services/webhook/hooktest"
	"chatserver.dev/services/webhook/teamcity"
)

func TestReceive(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, teamcity.Receive)
}
