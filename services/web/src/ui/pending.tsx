import { useClient } from '../client'
import type { Pending } from '../sync/outbox'
import { clock, text } from '../text/text'
import { Avatar } from './avatar'
import { PlaceHeading } from './message'

/** A message that is on its way, or that failed. place says whether its place is shown. */
export function PendingRow({ pending, place }: { readonly pending: Pending; readonly place: boolean }) {
  const client = useClient()
  const self = client.state.self.value
  const time = new Date(pending.time * 1000)
  return (
    <>
      {place ? <PlaceHeading place={pending.place} /> : null}
      <article class="message pending with-sender" aria-labelledby={`sender-${pending.localID}`} tabIndex={-1}>
        <Avatar user={self} size={36} />
        <div class="message-body">
          <p class="sender">
            <strong id={`sender-${pending.localID}`}>
              <bdi>{client.state.nameOf(self)}</bdi>
            </strong>
          </p>
          <p class="content raw" dir="auto">
            {pending.content}
          </p>
          {pending.failed === undefined ? null : (
            <p class="problem" role="alert">
              <span>{(pending.waits ? text.notSentYet : text.notSent)(pending.failed)}</span>{' '}
              <span>
                <button onClick={() => client.outbox.again(pending.localID)}>{text.tryAgain}</button>{' '}
                <button class="plain" onClick={() => client.outbox.drop(pending.localID)}>
                  {text.discard}
                </button>
              </span>
            </p>
          )}
        </div>
        <p class="when">{pending.failed === undefined ? <span class="hidden">{text.sending}</span> : null} {clock(time)}</p>
      </article>
    </>
  )
}
