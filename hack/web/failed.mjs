// A reporter of the tests that failed alone: where each is, its error, and what it printed of its pages (browser.mjs).
import { relative } from 'node:path'
import { inspect } from 'node:util'

/** How many characters of an error are worth reading. */
const most = 3_000

export default async function* (events) {
  for await (const { type, data } of events) {
    if (type === 'test:stdout') yield data.message
    // A file fails, too, if one of its tests does.
    if (type === 'test:fail' && data.details.error.failureType !== 'subtestsFailed') {
      const error = inspect(data.details.error.cause ?? data.details.error)
      yield `${relative('', data.file ?? data.name)}:${data.line}: ${data.name}\n${error.slice(0, most).replaceAll(/^/gm, '  ')}\n\n`
    }
  }
}
