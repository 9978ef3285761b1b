import '../../style/form.css'
import '../../style/lists.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../api/request'
import { useClient, type Client } from '../../client'
import { privatePlace, type Place } from '../../state/conversation'
import { recipientsOf } from '../../sync/outbox'
import { cancel, type Scheduled as Waiting } from '../../sync/scheduled'
import { moment, text } from '../../text/text'
import { Dialog } from '../dialog'
import { Form, Input } from '../form/form'
import { Cancel } from '../move'
import { localOf } from './times'

/** How many of them a page has. */
const pageSize = 100
/** How often the list is fetched while it is open: no event says that something was sent, in milliseconds. */
const interval = 15_000

/** What is going to be sent. */
export function Scheduled({ close }: { readonly close: () => void }) {
  const client = useClient()
  const [all, setAll] = useState<readonly Waiting[]>()
  const [problem, setProblem] = useState('')
  const [editing, setEditing] = useState<number>()
  const [busy, setBusy] = useState(false) // on a bad line, cancelling takes a while: nothing must be sent twice
  const words = text.acting.schedule
  const load = () => client.attempt(async () => setAll(await fetchAll())).then(setProblem)
  useEffect(() => {
    void load()
    const timer = setInterval(() => void load(), interval)
    return () => clearInterval(timer)
  }, [])
  const act = async (what: () => Promise<unknown>) => {
    if (busy) {
      return
    }
    setBusy(true)
    const refused = await client.attempt(what)
    await load()
    setProblem(refused)
    setBusy(false)
  }
  const sendNow = async (one: Waiting) => {
    await cancel(one)
    client.outbox.send(placeOf(client, one), one.content)
  }
  return (
    <Dialog class="lists" title={text.acting.scheduled} onClose={close}>
      <p class="problem" role="alert">
        {problem}
      </p>
      {all === undefined ? <p class="hint">{text.loading}</p> : all.length === 0 ? <p class="hint">{words.none}</p> : null}
      <ul class="listed">
        {(all ?? []).map((one) => (
          <li key={one.scheduled_message_id}>
            <p class="listed-title" dir="auto">
              {client.nameOf(placeOf(client, one))} <span class="hint">{moment(new Date(one.deliver_at * 1000))}</span>
              {one.reminder ? <span class="tag">{words.isReminder}</span> : null}
            </p>
            {editing === one.scheduled_message_id ? (
              <Change waiting={one} changed={() => (setEditing(undefined), void load())} close={() => setEditing(undefined)} />
            ) : (
              <>
                <p class="listed-text" dir="auto">
                  {one.content}
                </p>
                <p class="buttons">
                  <button type="button" aria-disabled={busy} onClick={() => void act(() => cancel(one))}>
                    {words.remove}
                  </button>
                  {one.reminder ? null : (
                    <button type="button" aria-disabled={busy} onClick={() => void act(() => sendNow(one))}>
                      {words.now}
                    </button>
                  )}
                  <button type="button" aria-disabled={busy} onClick={() => (busy ? undefined : setEditing(one.scheduled_message_id))}>
                    {words.edit}
                  </button>
                </p>
              </>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** Changes what waits: the new one waits before the old one is cancelled, so that none is lost. */
function Change({ waiting, changed, close }: { readonly waiting: Waiting; readonly changed: () => void; readonly close: () => void }) {
  const client = useClient()
  const words = text.acting.schedule
  const posted = useRef('') // what waits by now in place of the old one, which couldn't be cancelled
  const submit = async ({ content = '', time = '' }: Readonly<Record<string, string>>) => {
    const delivery = { delivery_type: waiting.reminder ? 'remind' : 'send_later', deliver_at: new Date(time).toISOString() }
    const wanted = JSON.stringify([content, time])
    if (posted.current !== wanted) {
      await call('POST /messages', { ...recipientsOf(placeOf(client, waiting), client.state.self.peek()), content, ...delivery })
      posted.current = wanted
    }
    await cancel(waiting)
    changed()
  }
  return (
    <Form action={text.save} submit={submit} blame={(error) => (/time/i.test(error.message) ? 'time' : 'content')} beside={<Cancel close={close} />}>
      <Input name="content" label={words.message} value={waiting.content} long required />
      <Input name="time" label={words.time} type="datetime-local" value={localOf(new Date(waiting.deliver_at * 1000))} required />
    </Form>
  )
}

async function fetchAll(): Promise<readonly Waiting[]> {
  const all: Waiting[] = []
  for (;;) {
    const { scheduled_messages: page } = await call('GET /scheduled_messages', { after: all.at(-1)?.scheduled_message_id ?? 0 })
    all.push(...page)
    if (page.length < pageSize) {
      return all.sort((a, b) => a.deliver_at - b.deliver_at)
    }
  }
}

function placeOf(client: Client, { stream_id: stream, topic = '', user_ids: people = [] }: Waiting): Place {
  return stream === undefined ? privatePlace(people, client.state.self.peek()) : { kind: 'topic', stream, topic }
}
