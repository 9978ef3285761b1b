import { useId } from 'preact/hooks'
import { useClient } from '../client'
import { moment, text } from '../text/text'
import { SelectField, Toggle } from './form/chosen'

/** The night that is offered. */
const night = ['22:00', '07:00'] as const

/** The hour at which a pause until tomorrow ends. */
const morning = 9

const choices = ['none', 'hour', 'tomorrow'] as const

/** When this browser neither shows notifications nor plays sounds. */
export function Pauses() {
  const { silence } = useClient()
  const said = text.alerts
  const until = silence.until.value
  const nights = silence.nights.value
  const pause = async (choice: string) => {
    const now = new Date()
    const ends = { hour: new Date(now.getTime() + 60 * 60 * 1000), tomorrow: new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, morning), none: undefined }
    silence.pause(choice in ends ? ends[choice as keyof typeof ends] : until)
  }
  return (
    <>
      <SelectField<string>
        label={said.pause}
        hint={said.pauseHint}
        value={until === undefined ? 'none' : 'until'}
        options={[...(until === undefined ? [] : [{ value: 'until', name: said.pausedUntil(moment(until)) }]), ...choices.map((value) => ({ value, name: said.pauses[value] }))]}
        save={pause}
      />
      <Toggle label={said.nights} value={nights !== undefined} save={async (on) => silence.everyNight(on ? night : undefined)} />
      {nights === undefined ? null : (
        <div class="field-buttons" role="group" aria-label={said.nights}>
          <Time label={said.from} value={nights[0]} save={(from) => silence.everyNight([from, nights[1]])} />
          <Time label={said.to} value={nights[1]} save={(to) => silence.everyNight([nights[0], to])} />
        </div>
      )}
    </>
  )
}

function Time({ label, value, save }: { readonly label: string; readonly value: string; readonly save: (time: string) => void }) {
  const id = useId()
  return (
    <>
      <label for={id}>{label}</label>
      <input id={id} type="time" required value={value} onChange={({ currentTarget: { value: time } }) => (time === '' ? undefined : save(time))} />
    </>
  )
}
