import { useState } from 'preact/hooks'
import { quoted, CallError } from '../../api/request'
import { useClient } from '../../client'
import { text } from '../../text/text'
import { Dialog } from '../dialog'
import { Form, Input, Select } from '../form/form'
import { shortNameOf, type BotKey } from './botkey'
import { FileButton, images } from './filebutton'
import { KeyShown } from './keyshown'
import { makeBot } from './makebot'
import { kinds, mayMakeBot } from './rights'

/** Makes a bot, and then shows its key. */
export function NewBot({ onClose }: { readonly onClose: () => void }) {
  const client = useClient()
  const { settings } = client.state
  const may = Object.values(kinds).filter((kind) => mayMakeBot(client, kind))
  const [kind, setKind] = useState(String(may[0]))
  const [picture, setPicture] = useState<File>()
  const [made, setMade] = useState<BotKey>()
  const words = text.administration.bots
  const names: Readonly<Record<number, string>> = words.kinds
  const domain = String(settings.value['realm_bot_domain'] ?? '')
  const make = async ({ full_name = '', short_name = '', payload_url = '', interface_type = '1' }: Readonly<Record<string, string>>, again: boolean) => {
    const short = short_name.trim() === '' ? shortNameOf(full_name) : short_name.trim()
    if (short === '') {
      throw new CallError(words.noShort, 400, '', 0, 'short_name')
    }
    const outgoing = kind === String(kinds.outgoing) ? { payload_url: quoted(payload_url), interface_type: Number(interface_type) } : {}
    setMade(await makeBot(client, { full_name, short_name: short, bot_type: Number(kind), ...outgoing }, picture, again))
  }
  return (
    <Dialog title={made === undefined ? words.add : words.made} class="panel" onClose={onClose}>
      {made !== undefined ? (
        <KeyShown made={made} incoming={kind === String(kinds.incoming)} />
      ) : (
        <Form action={words.make} submit={make} blame={blame}>
          <Select name="bot_type" label={words.kind} hint={(words.kindHints as Readonly<Record<string, string>>)[kind]} value={kind} options={may.map((one) => ({ value: String(one), name: names[one] ?? '' }))} change={setKind} />
          <Input name="full_name" label={words.name} most={100} required />
          <Input name="short_name" label={words.short} hint={words.shortHint(domain)} most={50} />
          {kind === String(kinds.outgoing) ? (
            <>
              <Input name="payload_url" type="url" label={words.url} hint={words.urlHint} most={2048} required />
              <Select name="interface_type" label={words.form} options={[{ value: '1', name: words.forms.own }, { value: '2', name: words.forms.slack }]} />
            </>
          ) : null}
          <p class="field-buttons">
            <FileButton label={words.picture} accept={images} take={setPicture} />
            <span class="soft">{picture?.name}</span>
          </p>
        </Form>
      )}
    </Dialog>
  )
}

/** The field that a refusal is about. */
function blame({ message, field }: CallError): string {
  if (field !== '') {
    return field
  }
  return /url/i.test(message) ? 'payload_url' : /username/i.test(message) ? 'short_name' : /name/i.test(message) ? 'full_name' : ''
}
