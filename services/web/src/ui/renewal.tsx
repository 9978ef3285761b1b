import { useEffect } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { versions } from '../sync/version'
import { text } from '../text/text'
import { isTyped } from './widget/typed'

/** How often it is looked whether the page may be loaded again, and after how long without a sign nobody is there, in milliseconds. */
const interval = 1_000
const awayAfter = 5 * 60_000

/** What shows that somebody is there. */
const signs = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const

/** Says that the server has another version of the page, and loads it as soon as that disturbs nobody. */
export function Renewal() {
  const client = useClient()
  const there = versions.other.value !== ''
  useEffect(() => {
    if (!there) {
      return
    }
    let last = Date.now()
    const note = () => (last = Date.now())
    const timer = setInterval(() => {
      const unseen = document.hidden || versions.lacking.peek() || Date.now() - last > awayAfter
      if (unseen && !isBusy(client)) {
        versions.renew()
      }
    }, interval)
    signs.forEach((sign) => addEventListener(sign, note, { passive: true }))
    return () => {
      clearInterval(timer)
      signs.forEach((sign) => removeEventListener(sign, note))
    }
  }, [there, client])
  return (
    <div class="renewal" role="status">
      {there ? (
        <p>
          {text.otherVersion} <button onClick={() => versions.renew()}>{text.reload}</button>
        </p>
      ) : null}
    </div>
  )
}

/** Whether something would be lost: a file or a message on its way, or what was typed in other fields than those of drafts, which are kept. */
function isBusy({ uploads, outbox }: Client): boolean {
  const sending = uploads.list.peek().some((file) => file.failed === undefined) || outbox.pending.peek().some((message) => message.failed === undefined || message.waits)
  return sending || isTyped() || document.querySelector('dialog[open]') !== null || [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(typed)].some(isHalfFilledIn)
}

/** Fields in which something is typed that isn't only looked for. */
const typed = 'textarea, input:not([type=search], [type=checkbox], [type=radio])'

function isHalfFilledIn(field: HTMLInputElement | HTMLTextAreaElement): boolean {
  return field.value !== field.defaultValue && !field.readOnly && field.closest('footer.compose, [role=search]') === null
}
