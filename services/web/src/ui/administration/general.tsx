import { useId, useState } from 'preact/hooks'
import '../../style/administration.css'
import { callWithFile } from '../../api/file'
import { call, CallError, quoted } from '../../api/request'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { ask } from '../ask'
import { Form, Input } from '../form/form'
import { Below, describedBy, Labelled } from '../form/frame'
import { useSaving } from '../form/saving'
import { TextField } from '../form/typed'
import { Preview } from '../preview'
import { useAction } from './action'
import { FileButton, images } from './filebutton'
import { Problem } from './problem'
import { isOwner } from './rights'

/** The longest name and description, in characters. */
const longestName = 40
const longestDescription = 1000

/** What the organization is called, and what it looks like. */
export function General() {
  const client = useClient()
  const { settings } = client.state
  const words = text.administration.general
  const of = (name: string) => String(settings.value[name] ?? '')
  return (
    <>
      <div class="fields">
        <TextField label={words.name} value={of('realm_name')} most={longestName} required save={(name) => call('PATCH /realm', { name: quoted(name) })} />
        <Description value={of('realm_description')} />
        <Picture
          label={words.icon}
          hint={words.iconHint}
          address={of('realm_icon_url')}
          own={of('realm_icon_source') === 'U'}
          store={(file) => callWithFile('POST /realm/icon', {}, file)}
          remove={() => call('DELETE /realm/icon', {})}
        />
        {[false, true].map((night) => (
          <Picture
            key={night}
            label={night ? words.nightLogo : words.logo}
            hint={words.logoHint}
            night={night}
            address={of(night ? 'realm_night_logo_url' : 'realm_logo_url')}
            own={of(night ? 'realm_night_logo_source' : 'realm_logo_source') === 'U'}
            store={(file) => callWithFile('POST /realm/logo', { night }, file)}
            remove={() => call('DELETE /realm/logo', { night })}
          />
        ))}
      </div>
      {isOwner(client) ? <Deactivation name={of('realm_name')} /> : null}
    </>
  )
}

function Description({ value }: { readonly value: string }) {
  const id = useId()
  const words = text.administration.general
  const saving = useSaving(value, (typed: string) => call('PATCH /realm', { description: quoted(typed) }), true)
  const [shown, setShown] = useState(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void saving.save(saving.value)
  }
  return (
    <form aria-label={words.description} onSubmit={submit}>
      <Labelled id={id} label={words.description}>
        {shown ? (
          <Preview content={saving.value} />
        ) : (
          <textarea
            id={id}
            rows={4}
            dir="auto"
            maxlength={longestDescription}
            defaultValue={value}
            value={saving.value}
            aria-describedby={describedBy(id)}
            aria-invalid={saving.problem !== ''}
            onInput={(event) => saving.type(event.currentTarget.value)}
          />
        )}
        <span class="field-buttons">
          <button type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>
            {text.preview}
          </button>
          {saving.changed && saving.phase !== 'saving' ? <button class="primary">{text.save}</button> : null}
        </span>
        <Below id={id} hint={words.descriptionHint} problem={saving.problem} phase={saving.phase} />
      </Labelled>
    </form>
  )
}

interface PictureProps {
  readonly label: string
  readonly hint: string
  readonly address: string
  /** Whether it was uploaded, and isn't one that the server has. */
  readonly own: boolean
  /** Whether it is for dark grounds. */
  readonly night?: boolean
  readonly store: (file: File) => Promise<unknown>
  readonly remove: () => Promise<unknown>
}

function Picture({ label, hint, address, own, night = false, store, remove }: PictureProps) {
  const action = useAction()
  const words = text.administration
  return (
    <fieldset class="field picture">
      <legend>{label}</legend>
      {address === '' ? null : <img class={night ? 'on-night' : ''} src={address} alt="" />}
      <span class="field-buttons">
        <FileButton label={words.upload(label)} accept={images} disabled={action.busy} take={(file) => void action.run(() => store(file))} />
        {own ? (
          <button type="button" aria-disabled={action.busy} onClick={() => void action.run(remove)}>
            {words.removeNamed(label)}
          </button>
        ) : null}
      </span>
      <p class="field-hint">{hint}</p>
      <Problem>{action.problem}</Problem>
    </fieldset>
  )
}

/** The end of the organization, for those who type its name. */
function Deactivation({ name }: { readonly name: string }) {
  const words = text.administration.general
  const deactivate = async ({ confirmation = '' }: Readonly<Record<string, string>>) => {
    if (confirmation.trim() !== name.trim()) {
      throw new CallError(words.otherName, 400, '', 0, 'confirmation')
    }
    if (await ask({ title: words.deactivateQuestion(name), sentence: words.deactivateHint, yes: words.deactivate, danger: true })) {
      await call('POST /realm/deactivate', {})
    }
  }
  return (
    <details class="apart">
      <summary>{words.end}</summary>
      <p>{words.deactivateHint}</p>
      <Form action={words.deactivate} danger submit={deactivate}>
        <Input name="confirmation" label={words.typeName(name)} required />
      </Form>
    </details>
  )
}
