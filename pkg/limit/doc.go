// Package limit counts the calls of accounts (rest-api.md, section 1.6): in Redis, where all replicas
// count together, and in the process, where a call is too frequent or too cheap for a round trip.
//
// It promises:
//
//   - A [Rule] lets that many calls through at once and regains them evenly over its window. So a
//     caller who keeps to the rule is never refused, and a refused call doesn't count.
//   - [Shared] fails open: while Redis can't be reached, calls go through uncounted, which is logged
//     once a minute. A limit protects the service from its clients; it must not be what takes it down.
//     Redis is asked again after a second, so that an outage doesn't slow every call. Of a Redis Cluster's
//     servers one that fails is left alone, and the others count.
//   - A busy account's calls are counted in Redis some at a time, at most a twentieth of the rule's, so
//     that not each costs a round trip. What of these isn't called within a second is lost to it.
//   - [Local] needs bounded memory, whatever number of accounts call: when it is full it forgets
//     counts, to the callers' advantage.
package limit
