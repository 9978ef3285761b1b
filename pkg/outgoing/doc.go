// Package outgoing manages the calls of outgoing webhook bots and the replies to them (rest-api.md, section 5.12). The transaction that
// stores a message for such a bot also stores the call. Package services/outgoing makes the calls over HTTP, in any of its processes.
//
// It promises:
//
//   - No call is lost: its row is deleted only when its reply or failure is stored, or when the call is obsolete: it has waited for
//     [oldest], the organization or the bot is deactivated, or the bot can't read the message anymore. If a process ends during a call,
//     another one takes the call over after [lease]. Therefore a bot may be called twice for a message, but only one reply is stored.
//   - A bot is called for one message after the other, in the order of the messages.
//   - Messages of a private stream are sent to a bot only if the bot or its owner is subscribed.
package outgoing
