import '../../style/form.css'
import { useState } from 'preact/hooks'
import { serverTime } from '../../api/wire'
import { useClient } from '../../client'
import { privatePlace, type Place } from '../../state/conversation'
import type { Message } from '../../state/model'
import { Schedule } from '../../sync/scheduled'
import { clock, day, moment, text } from '../../text/text'
import { labelOf } from '../../markdown/names'
import { Dialog } from '../dialog'
import { Form, Input, Radios } from '../form/form'
import { Cancel } from '../move'
import { linkTo } from '../read'
import { localOf, offers, timeOf } from './times'

interface LaterProps {
  readonly place: Place
  readonly content: string
  /** Called once the message waits. */
  readonly done: () => void
  readonly close: () => void
}

/** Asks when a message is to be sent. */
export function SendLater({ place, content, done, close }: LaterProps) {
  const client = useClient()
  const waiting = useSchedule()
  const { schedule } = text.acting
  const submit = async (at: Date) => {
    await waiting.add(place, content, at, false)
    client.said.value = { words: schedule.done(moment(at)) }
    void client.waiting.look()
    close()
    done()
  }
  return <When title={schedule.title} action={schedule.yes} submit={submit} close={close} />
}

/** Asks when to be reminded of a message. */
export function RemindMe({ message, close }: { readonly message: Message; readonly close: () => void }) {
  const client = useClient()
  const { state } = client
  const waiting = useSchedule()
  const { schedule } = text.acting
  const submit = async (at: Date) => {
    const content = schedule.reminder(labelOf(state.nameOf(message.sender_id)), linkTo(client, message))
    await waiting.add(privatePlace([], state.self.peek()), content, at, true)
    client.said.value = { words: schedule.doneRemind(moment(at)) }
    void client.waiting.look()
    close()
  }
  return <When title={schedule.remind} action={schedule.yesRemind} submit={submit} close={close} />
}

/** What waits, as far as a dialog has to do with it. */
function useSchedule(): Schedule {
  const { state } = useClient()
  return useState(() => new Schedule(state.self.peek()))[0]
}

interface WhenProps {
  readonly title: string
  readonly action: string
  readonly submit: (at: Date) => Promise<void>
  readonly close: () => void
}

function When({ title, action, submit, close }: WhenProps) {
  const [now] = useState(() => new Date())
  const [chosen, setChosen] = useState(1)
  const all = offers(now)
  const offer = all[chosen]
  const { schedule } = text.acting
  const names = all.map((one) => ('minutes' in one ? schedule.in(one.minutes) : `${day(one.at, now)}, ${clock(one.at)}`))
  return (
    <Dialog class="form-dialog" title={title} onClose={close}>
      <Form
        action={action}
        submit={(typed) => submit(offer === undefined ? new Date(typed['time'] ?? '') : timeOf(offer, new Date(serverTime())))}
        blame={(error) => (/time/i.test(error.message) ? 'time' : '')}
        beside={<Cancel close={close} />}
      >
        <Radios
          name="offer"
          label={schedule.when}
          value="1"
          changed={(value) => setChosen(Number(value))}
          options={[...names, schedule.other].map((name, i) => ({ value: String(i), name }))}
        />
        {offer === undefined ? <Input name="time" label={schedule.time} type="datetime-local" value={localOf(new Date(now.getTime() + 3_600_000))} required /> : null}
      </Form>
    </Dialog>
  )
}
