package queue

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// answerTime is how long Redis is waited for where it usually answers at once: for a connection, and for an answer.
// The URL may say dial_timeout and read_timeout in its place.
const answerTime = 3 * time.Second

// bounded ends each call and each pipeline of a client after two answers' time, whatever it tries meanwhile: the next
// connection may be as dead as the first. It doesn't where an answer may take any time.
func bounded(client redis.UniversalClient, answer time.Duration) redis.UniversalClient {
	if answer > 0 {
		client.AddHook(deadline(2 * answer))
	}
	return client
}

// deadline is a hook that bounds calls.
type deadline time.Duration

// DialHook changes nothing: connections have their own timeout.
func (deadline) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook bounds a call.
func (d deadline) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(d))
		defer cancel()
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook bounds a pipeline.
func (d deadline) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(d))
		defer cancel()
		return next(ctx, cmds)
	}
}
