// Package limit limits the rate of calls of accounts (rest-api.md, section 1.6). It counts in Redis, for all replicas
// together, or in the process, for calls that are too frequent or too cheap for a round trip. [Concurrent] limits how
// much is done at a time instead.
//
// It promises:
//
//   - A [Rule] allows that many calls at once, and regains them evenly over its window. So a
//     caller who keeps to the rule is never refused. Refused calls don't count.
//   - [Shared] fails open: while Redis can't be reached, it allows all calls without counting them, and logs that
//     once a minute. A limit protects the service from its clients, so it must not cause an outage.
//     It tries Redis again after a second, so that an outage doesn't slow down every call. In a Redis Cluster, this applies
//     to each server separately.
//   - A busy account's calls are counted in Redis in batches, of at most a twentieth of the rule's calls, so
//     that not every call needs a round trip. Calls of a batch that aren't made within a second are lost. A process
//     counts one batch of an account at a time, however many of its calls are parallel.
//   - The memory of [Local] is bounded, for any number of accounts. When it is full, it drops
//     counts, to the callers' advantage.
package limit
