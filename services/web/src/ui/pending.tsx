import { useLayoutEffect, useRef } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { keyOf } from '../state/conversation'
import { narrowTo, showsSent } from '../state/narrow'
import type { Pending } from '../sync/outbox'
import { clock, text } from '../text/text'
import { ask } from './ask'
import { Avatar } from './avatar'
import { writeInto } from './compose'
import { restore } from './dialog'
import { PlaceHeading } from './message'

/** A message that is on its way, or that failed. place says whether its place is shown. */
export function PendingRow({ pending, place }: { readonly pending: Pending; readonly place: boolean }) {
  const client = useClient()
  const self = client.state.self.value
  const time = new Date(pending.time * 1000)
  const tries = pending.failed === undefined
  const failed = useRef(pending.failed) // stays while it is tried again: it would be heard each time, and the focus may be at its buttons
  failed.current = pending.failed ?? failed.current
  const row = useRef<HTMLElement>(null)
  useLayoutEffect(
    () => () => {
      if (row.current?.contains(document.activeElement)) { // it was sent, or discarded by a key
        restore()
      }
    },
    [],
  )
  return (
    <>
      {place ? <PlaceHeading place={pending.place} /> : null}
      <article ref={row} class="message pending with-sender" aria-labelledby={`sender-${pending.localID}`} tabIndex={-1}>
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
          {failed.current === undefined ? null : (
            <p class="problem" role="alert">
              <span>{(tries || pending.waits ? text.notSentYet : text.notSent)(failed.current)}</span>{' '}
              <span>
                <button aria-disabled={tries} onClick={() => (tries ? undefined : client.outbox.again(pending.localID))}>
                  {text.tryAgain}
                </button>{' '}
                {tries || pending.waits ? null : (
                  <button class="plain" onClick={() => takeBack(client, pending)}>
                    {text.edit}
                  </button>
                )}{' '}
                <button class="plain" aria-disabled={tries} onClick={() => (tries ? undefined : void discard(client, pending))}>
                  {text.discard}
                </button>
              </span>
            </p>
          )}
        </div>
        <p class="when">{tries ? <span class="hidden">{text.sending}</span> : null} {clock(time)}</p>
      </article>
    </>
  )
}

/** Has a message that was refused be written again: it goes back to the field of its place. */
function takeBack(client: Client, { localID, place, content }: Pending): void {
  client.outbox.drop(localID)
  writeInto(place, content, '')
}

async function discard(client: Client, { localID }: Pending): Promise<void> {
  if (await ask({ ...text.acting.removeUnsent, danger: true })) {
    client.outbox.drop(localID)
  }
}

/** Leads to the messages that were not sent and that are not among those on screen: nobody would notice otherwise. */
export function Unsent() {
  const client = useClient()
  const { narrow, recent } = client.destination.value
  const { state, outbox } = client
  const elsewhere = outbox.pending.value.filter((p) => p.failed !== undefined && p.waits !== true && (recent === true || !showsSent(narrow, p.place, state.self.value)))
  const places = new Map(elsewhere.map((p) => [keyOf(p.place), p.place]))
  return (
    <div class="strip" role="status">
      {places.size === 0 ? null : (
        <p>
          {text.unsent}
          {[...places].map(([key, place]) => (
            <a key={key} href={client.address({ narrow: narrowTo(place) })}>
              {client.nameOf(place)}
            </a>
          ))}
        </p>
      )}
    </div>
  )
}
