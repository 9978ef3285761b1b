import { X } from 'lucide'
import { useState } from 'preact/hooks'
import '../../style/administration.css'
import { callWithFile } from '../../api/file'
import { call, CallError } from '../../api/request'
import { useClient } from '../../client'
import type { CustomEmoji } from '../../state/state'
import { byName } from '../../text/order'
import { text } from '../../text/text'
import { ask } from '../ask'
import { Form, Input } from '../form/form'
import { Icon } from '../icon'
import { useAction } from './action'
import { FileButton, images } from './filebutton'
import { Problem } from './problem'
import { isAdmin, mayAddEmoji } from './rights'

/** The organization's own emoji. */
export function Emoji() {
  const client = useClient()
  const words = text.administration.emoji
  const all = [...client.state.emoji.value.values()].filter((emoji) => !emoji.deactivated).sort(byName)
  return (
    <>
      {mayAddEmoji(client) ? <NewEmoji /> : <p>{words.notAllowed}</p>}
      {all.length === 0 ? <p class="hint">{words.none}</p> : null}
      <ul class="cards small" aria-label={words.list}>
        {all.map((emoji) => (
          <Own key={emoji.id} emoji={emoji} />
        ))}
      </ul>
    </>
  )
}

function NewEmoji() {
  const [file, setFile] = useState<File>()
  const [name, setName] = useState('')
  const words = text.administration.emoji
  const take = (taken: File) => {
    setFile(taken)
    setName(nameOf(taken.name))
  }
  const add = async ({ name: typed = '' }: Readonly<Record<string, string>>) => {
    if (file === undefined) {
      throw new CallError(words.noFile, 400, '', 0)
    }
    await callWithFile('POST /realm/emoji/{emoji_name}', { emoji_name: typed.trim() }, file)
  }
  const done = () => {
    setFile(undefined)
    setName('')
  }
  const { emoji } = useClient().state
  const isAdded = (all: Readonly<Record<string, string>>) => [...emoji.peek().values()].some((one) => !one.deactivated && one.name === all['name']?.trim())
  return (
    <Form action={words.add} submit={add} made={isAdded} done={done} blame={({ message }) => (/name/i.test(message) ? 'name' : '')}>
      <p class="field-buttons">
        <FileButton label={words.choose} accept={images} take={take} />
        <span class="soft">{file?.name}</span>
      </p>
      <Input key={name} name="name" label={words.name} hint={words.nameHint} value={name} most={100} required />
    </Form>
  )
}

/** What an emoji of a file is called. */
function nameOf(file: string): string {
  return file.replace(/\.\w+$/, '').toLowerCase().replace(/[^a-z0-9_.-]+/g, '_').replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
}

function Own({ emoji }: { readonly emoji: CustomEmoji }) {
  const client = useClient()
  const action = useAction()
  const words = text.administration.emoji
  const { name } = emoji
  const remove = async () => {
    if (await ask({ title: words.removeQuestion(name), sentence: words.removeHint, yes: text.remove, danger: true })) {
      await action.run(() => call('DELETE /realm/emoji/{emoji_name}', { emoji_name: name }))
    }
  }
  return (
    <li class="card">
      <img class="own-emoji" src={emoji.source_url} alt="" loading="lazy" />
      <div>
        <strong dir="ltr">:{name}:</strong>
        <p class="soft">{client.state.nameOf(emoji.author_id)}</p>
        <Problem>{action.problem}</Problem>
      </div>
      {isAdmin(client) || (mayAddEmoji(client) && emoji.author_id === client.state.self.value) ? (
        <button class="icon" aria-label={words.removeOf(name)} title={text.remove} aria-disabled={action.busy} onClick={() => void remove()}>
          <Icon of={X} />
        </button>
      ) : null}
    </li>
  )
}
