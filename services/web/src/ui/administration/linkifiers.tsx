import { useState } from 'preact/hooks'
import '../../style/administration.css'
import { call, CallError } from '../../api/request'
import { useClient, type Client } from '../../client'
import type { Linkifier } from '../../state/organization'
import { text } from '../../text/text'
import { ask } from '../ask'
import { Form, Input } from '../form/form'
import { useAction } from './action'
import { Problem } from './problem'

/** Patterns whose matches become links. */
export function Linkifiers() {
  const { linkifiers } = useClient().state.organization
  const [changing, setChanging] = useState<number>()
  const words = text.administration.linkifiers
  const add = ({ pattern = '', url_format_string = '' }: Readonly<Record<string, string>>) => call('POST /realm/filters', { pattern, url_format_string })
  const isAdded = (typed: Readonly<Record<string, string>>) => linkifiers.peek().some((one) => one.pattern === typed['pattern']?.trim())
  return (
    <>
      <p>{words.hint}</p>
      {linkifiers.value.length === 0 ? <p class="hint">{words.none}</p> : null}
      <ul class="cards" aria-label={words.list}>
        {linkifiers.value.map((one) =>
          one.id === changing ? (
            <li key={one.id} class="card">
              <Change linkifier={one} done={() => setChanging(undefined)} />
            </li>
          ) : (
            <Shown key={one.id} linkifier={one} change={() => setChanging(one.id)} />
          ),
        )}
      </ul>
      <h3>{words.add}</h3>
      <Form action={words.add} submit={add} made={isAdded} blame={blame}>
        <Fields />
      </Form>
    </>
  )
}

function Fields({ linkifier }: { readonly linkifier?: Linkifier }) {
  const words = text.administration.linkifiers
  return (
    <>
      <Input name="pattern" label={words.pattern} hint={words.patternHint} value={linkifier?.pattern ?? ''} most={500} required code />
      <Input name="url_format_string" label={words.format} hint={words.formatHint} value={linkifier?.format ?? ''} most={500} required code />
    </>
  )
}

/** The field that a refusal is about: of several the first, of which the sentence is. A pattern that is there already is about all of it. */
function blame({ answer, field }: CallError): string {
  const errors = (answer['errors'] ?? {}) as object
  return ['pattern', 'url_format_string'].find((name) => name in errors) ?? ('__all__' in errors ? 'pattern' : field)
}

function Shown({ linkifier, change }: { readonly linkifier: Linkifier; readonly change: () => void }) {
  const action = useAction()
  const words = text.administration.linkifiers
  const remove = async () => {
    if (await ask({ title: words.removeQuestion(linkifier.pattern), sentence: words.removeHint, yes: text.remove, danger: true })) {
      await action.run(() => call('DELETE /realm/filters/{filter_id}', { filter_id: linkifier.id }))
    }
  }
  return (
    <li class="card">
      <div dir="ltr">
        <code>{linkifier.pattern}</code>
        <p class="soft">
          <code>{linkifier.format}</code>
        </p>
        <Problem>{action.problem}</Problem>
      </div>
      <span class="field-buttons">
        <button aria-label={words.changeOf(linkifier.pattern)} onClick={change}>
          {text.edit}
        </button>
        <button aria-disabled={action.busy} aria-label={words.removeOf(linkifier.pattern)} onClick={() => void remove()}>
          {text.remove}
        </button>
      </span>
    </li>
  )
}

function Change({ linkifier, done }: { readonly linkifier: Linkifier; readonly done: () => void }) {
  const client = useClient()
  const save = async ({ pattern = '', url_format_string = '' }: Readonly<Record<string, string>>) => {
    await replace(client, linkifier, { pattern, url_format_string })
    done()
  }
  return (
    <Form
      action={text.save}
      submit={save}
      blame={blame}
      beside={
        <button type="button" onClick={done}>
          {text.cancel}
        </button>
      }
    >
      <Fields linkifier={linkifier} />
    </Form>
  )
}

/**
 * Puts another linkifier in the place of one: the interface can't change them. The old one ends once the server has taken the new one. Of
 * two with the same pattern it takes only one: where that is all that it says against the new one, the old one ends before, and comes back if the new one fails.
 */
async function replace(client: Client, old: Linkifier, now: { readonly pattern: string; readonly url_format_string: string }): Promise<void> {
  const add = () => call('POST /realm/filters', now)
  const end = () => call('DELETE /realm/filters/{filter_id}', { filter_id: old.id })
  const refused = await add().then(() => undefined, refusalOf)
  if (refused === undefined) {
    await end()
    return
  }
  if (now.pattern.trim() !== old.pattern || Object.keys((refused.answer['errors'] ?? {}) as object).join() !== '__all__') {
    throw refused
  }
  if (now.url_format_string.trim() !== old.format) {
    await end()
    const failed = await add().then(() => undefined, refusalOf)
    if (failed !== undefined) {
      const lost = await client.attempt(() => call('POST /realm/filters', { pattern: old.pattern, url_format_string: old.format }))
      client.notice.value = lost === '' ? failed.message : `${failed.message} ${text.administration.linkifiers.lost(old.pattern, old.format)}` // the form went with the old one
      throw failed
    }
  }
}

function refusalOf(error: unknown): CallError {
  if (error instanceof CallError) {
    return error
  }
  throw error
}
