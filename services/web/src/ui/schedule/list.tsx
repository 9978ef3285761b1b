import '../../style/form.css'
import '../../style/lists.css'
import { useEffect, useState } from 'preact/hooks'
import { useClient } from '../../client'
import { placeOf, Schedule, type Scheduled as Waiting } from '../../sync/scheduled'
import { moment, text } from '../../text/text'
import { ask } from '../ask'
import { Dialog } from '../dialog'
import { Form, Input } from '../form/form'
import { Cancel } from '../move'
import { localOf } from './times'

/** How often the list is fetched while it is open: no event says that something was sent, in milliseconds. */
const interval = 15_000

/** What is going to be sent. */
export function Scheduled({ close }: { readonly close: () => void }) {
  const client = useClient()
  const self = client.state.self.peek()
  const [schedule] = useState(() => new Schedule(self))
  const [all, setAll] = useState<readonly Waiting[]>()
  const [problem, setProblem] = useState('')
  const [editing, setEditing] = useState<number>()
  const [busy, setBusy] = useState(false) // on a bad line, cancelling takes a while: nothing must be sent twice
  const words = text.acting.schedule
  const load = () =>
    client
      .attempt(async () => {
        const listed = await schedule.list()
        setAll(listed)
        client.waiting.heard(listed)
      })
      .then(setProblem)
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
  const cancel = async (one: Waiting) => {
    if (!busy && (one.reminder || (await ask({ ...text.acting.removeUnsent, danger: true })))) {
      await act(() => schedule.cancel(one))
    }
  }
  const sendNow = async (one: Waiting) => {
    await schedule.cancel(one)
    client.outbox.send(placeOf(one, self), one.content)
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
              {client.nameOf(placeOf(one, self))} <span class="hint">{moment(new Date(one.deliver_at * 1000))}</span>
              {one.reminder ? <span class="tag">{words.isReminder}</span> : null}
            </p>
            {editing === one.scheduled_message_id ? (
              <Change schedule={schedule} waiting={one} changed={() => (setEditing(undefined), void load())} close={() => setEditing(undefined)} />
            ) : (
              <>
                <p class="listed-text" dir="auto">
                  {one.content}
                </p>
                <p class="buttons">
                  <button type="button" aria-disabled={busy} onClick={() => void cancel(one)}>
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

interface ChangeProps {
  readonly schedule: Schedule
  readonly waiting: Waiting
  readonly changed: () => void
  readonly close: () => void
}

/** Changes what waits. */
function Change({ schedule, waiting, changed, close }: ChangeProps) {
  const words = text.acting.schedule
  const submit = async ({ content = '', time = '' }: Readonly<Record<string, string>>) => {
    await schedule.change(waiting, content, new Date(time))
    changed()
  }
  return (
    <Form action={text.save} submit={submit} blame={(error) => (/time/i.test(error.message) ? 'time' : 'content')} beside={<Cancel close={close} />}>
      <Input name="content" label={words.message} value={waiting.content} long required />
      <Input name="time" label={words.time} type="datetime-local" value={localOf(new Date(waiting.deliver_at * 1000))} required />
    </Form>
  )
}
