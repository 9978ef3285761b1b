// Package hook has the common parts of all integrations (rest-api.md, section 6.1).
//
// It promises:
//
//   - A message goes to the stream that the request names, or otherwise to the bot's owner.
//   - Third parties can't react to errors. So text that is too long is cut, with a mark, and a stream that doesn't exist
//     isn't an error: the bot's owner is notified, at most once a minute.
//   - The owner is also notified if the payload isn't JSON or is too large.
//   - Text of a third party never mentions anyone: [Format] and the other functions that return [Markdown] escape it,
//     and mentions have no effect in messages of integrations.
package hook
