package queue

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// answerTime is the default timeout of connecting to Redis, and of an answer. The URL can set other ones, as dial_timeout
// and read_timeout.
const answerTime = 3 * time.Second

// bounded limits each call and each pipeline of a client to twice the timeout of an answer, including its retries: the next
// connection may be as dead as the first. If answer isn't positive, there is no limit.
func bounded(client redis.UniversalClient, answer time.Duration) redis.UniversalClient {
	if answer > 0 {
		client.AddHook(deadline(2 * answer))
	}
	return client
}

// deadline is a hook that limits the time of calls.
type deadline time.Duration

// DialHook changes nothing: connections have their own timeout.
func (deadline) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook limits the time of a call.
func (d deadline) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(d))
		defer cancel()
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook limits the time of a pipeline.
func (d deadline) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(d))
		defer cancel()
		return next(ctx, cmds)
	}
}
