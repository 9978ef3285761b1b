import { useEffect } from 'preact/hooks'
import '../../style/administration.css'
import { call } from '../../api/request'
import { useClient } from '../../client'
import type { Export } from '../../state/organization'
import { moment, text } from '../../text/text'
import { ask } from '../ask'
import { useAction } from './action'
import { Problem } from './problem'

/** Archives of what is public in the organization. */
export function Exports() {
  const { exports } = useClient().state.organization
  const action = useAction()
  const words = text.administration.exports
  const all = exports.value
  useEffect(() => {
    if (all === undefined) {
      void action.run(async () => (exports.value = (await call('GET /export/realm', {})).exports))
    }
  }, [all === undefined])
  const shown = [...(all ?? [])].filter((one) => one.deleted_timestamp === null).reverse()
  return (
    <>
      <p>{words.about}</p>
      <p class="hint">{words.imports}</p>
      <p class="field-buttons">
        <button class="primary" aria-disabled={action.busy} onClick={() => void action.run(() => call('POST /export/realm', {}))}>
          {words.start}
        </button>
      </p>
      <Problem>{action.problem}</Problem>
      {all !== undefined && shown.length === 0 ? <p class="hint">{words.none}</p> : null}
      <ul class="cards" aria-label={words.list}>
        {shown.map((one) => (
          <Archive key={one.id} archive={one} />
        ))}
      </ul>
    </>
  )
}

function Archive({ archive }: { readonly archive: Export }) {
  const { state } = useClient()
  const action = useAction()
  const words = text.administration.exports
  const time = moment(new Date(archive.export_time * 1000))
  const remove = async () => {
    if (await ask({ title: words.removeQuestion(time), yes: text.remove, danger: true })) {
      await action.run(() => call('DELETE /export/realm/{export_id}', { export_id: archive.id }))
    }
  }
  return (
    <li class="card">
      <div>
        <strong>{time}</strong> <span class="soft">{state.nameOf(archive.acting_user_id)}</span>
        <p role="status">{archive.pending ? words.pending : archive.failed_timestamp !== null ? words.failed : words.ready}</p>
        <Problem>{action.problem}</Problem>
      </div>
      <span class="field-buttons">
        {archive.export_url === null ? null : (
          <a class="button" href={archive.export_url} download="" aria-label={words.downloadOf(time)}>
            {words.download}
          </a>
        )}
        <button aria-disabled={action.busy} aria-label={words.removeOf(time)} onClick={() => void remove()}>
          {text.remove}
        </button>
      </span>
    </li>
  )
}
