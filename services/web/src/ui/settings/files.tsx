import { useState } from 'preact/hooks'
import { call } from '../../api/request'
import { useClient } from '../../client'
import type { OwnFile } from '../../state/model'
import { moment, text } from '../../text/text'
import { ask } from '../ask'
import { useFetched } from '../fetched'

/** How many files are shown at first, and by how many more. */
const portion = 50

/** The files that the account uploaded. */
export function Files() {
  const client = useClient()
  const { files } = client.state
  const [problem, setProblem] = useState('')
  const [shown, setShown] = useState(portion)
  const said = text.account
  useFetched(files.value === undefined, () => client.attempt(() => client.history.files()).then(setProblem))
  const all = [...(files.value ?? [])].sort((a, b) => b.create_time - a.create_time)
  const space = all.reduce((sum, file) => sum + file.size, 0)
  return (
    <div class="fields">
      <p class="problem" role="alert">
        {problem}
      </p>
      <p role="status">{files.value === undefined ? (problem === '' ? text.loading : '') : said.filesHint(all.length, sizeOf(space))}</p>
      {files.value?.length === 0 ? <p class="soft">{said.noFiles}</p> : null}
      <ul class="list">
        {all.slice(0, shown).map((file) => (
          <FileRow key={file.id} file={file} />
        ))}
      </ul>
      {all.length > shown ? (
        <p>
          <button onClick={() => setShown(shown + portion)}>{said.moreFiles}</button>
        </p>
      ) : null}
    </div>
  )
}

function FileRow({ file }: { readonly file: OwnFile }) {
  const client = useClient()
  const said = text.account
  const [newest] = file.messages
  const remove = async () => {
    if (await ask({ title: said.removeFile(file.name), sentence: said.removeFileHint, yes: text.remove, danger: true })) {
      await client.act(() => call('DELETE /attachments/{attachment_id}', { attachment_id: file.id }))
    }
  }
  return (
    <li>
      <a class="list-name" dir="auto" href={`/user_uploads/${file.path_id}`} target="_blank" rel="noopener">
        {file.name}
      </a>
      <span class="list-about">
        {sizeOf(file.size)} · {moment(new Date(file.create_time))}
        {newest === undefined ? null : (
          <>
            {' · '}
            <a href={`#narrow/id/${newest.id}`} aria-label={said.messageWith(file.name)}>
              {text.message}
            </a>
          </>
        )}
      </span>
      <button aria-label={said.removeFile(file.name)} onClick={() => void remove()}>
        {text.remove}
      </button>
    </li>
  )
}

/** Writes a size. */
function sizeOf(bytes: number): string {
  const [unit, of] = bytes < 1_000 ? (['byte', 1] as const) : bytes < 1_000_000 ? (['kilobyte', 1_000] as const) : (['megabyte', 1_000_000] as const)
  return new Intl.NumberFormat(text.locale, { style: 'unit', unit, unitDisplay: unit === 'byte' ? 'long' : 'short', maximumFractionDigits: 1 }).format(bytes / of)
}
