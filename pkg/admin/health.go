package admin

import (
	"context"
	"regexp"
	"sync"
	"time"

	"chatserver.dev/pkg/adminapi"
)

// healthTime is the timeout of a check.
const healthTime = 5 * time.Second

// Health checks whether database and cache respond, accept writes and have space.
func (s *Service) Health(ctx context.Context) adminapi.Health {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	health, asking := adminapi.Health{}, sync.WaitGroup{}
	asking.Go(func() { health.Database = text(s.DB.Check(ctx)) })
	asking.Go(func() { health.Cache = text(s.Redis.Check(ctx)) })
	asking.Wait()
	return health
}

// caller matches the local address in a network error, whose port differs each time.
var caller = regexp.MustCompile(`\S+:\d+->`)

// text returns the text of an error, which is the same for the same cause; empty for nil.
func text(err error) string {
	if err == nil {
		return ""
	}
	return caller.ReplaceAllString(err.Error(), "")
}
