// Package hook has what all integrations have in common (rest-api.md, section 6.1).
//
// It promises:
//
//   - A message goes to the stream that the request names, or to the bot's owner where it names none.
//   - The third party can't react to errors, so what is too long is cut, with a mark that shows it,
//     and a stream that doesn't exist is no error: the bot's owner is notified, at most once a minute.
//   - The owner is also notified if the payload isn't JSON.
//   - Nothing that a third party wrote mentions anybody: [Format] and the other functions that make
//     [Markdown] escape it, and mentions have no effect in messages of integrations.
package hook
