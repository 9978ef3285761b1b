import { Paperclip, X } from 'lucide'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useClient, type Client } from '../client'
import { text } from '../text/text'
import { Icon } from './icon'
import { insert } from './insert'

/** How many bytes a MiB has. */
const mebi = 1 << 20

/** The largest file that the server takes, in bytes; 0: it takes none. */
export function largest(client: Client): number {
  return Number(client.state.settings.value['max_file_upload_size_mib'] ?? 0) * mebi
}

/** Begins to upload files for a draft, and writes where their links are going to be. */
export function attach(client: Client, draft: string, field: HTMLTextAreaElement | null, files: Iterable<File>): void {
  const most = largest(client)
  for (const file of files) {
    if (file.size > most) {
      client.uploads.refuse(draft, file.name, text.tooLarge(most / mebi))
    } else if (field !== null) {
      insert(field, field.selectionStart, field.selectionEnd, client.uploads.add(draft, file, text.uploading) + ' ')
    }
  }
}

/**
 * The files that are dragged or pasted; of what has a text, too, such as a part of a table, the text is meant, unless it is the files' names, which
 * macOS has beside them.
 */
export function filesOf(data: DataTransfer | null): readonly File[] {
  const files = [...(data?.files ?? [])]
  const words = data?.getData('text/plain').split(/[\r\n]+/).filter((line) => line !== '') ?? []
  return words.every((line) => files.some(({ name }) => name === line.split('/').at(-1))) ? files : []
}

/** Who takes what is dropped: the field that came last. */
const takers: { readonly current: (files: readonly File[]) => void }[] = []

function over(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files')) {
    event.preventDefault()
  }
}

function drop(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files')) {
    event.preventDefault()
    takers.at(-1)?.current([...event.dataTransfer.files])
  }
}

/** Takes files that are dropped anywhere on the page, which would else be opened in its place. */
export function useDropped(take: (files: readonly File[]) => void): void {
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    takers.push(latest)
    addEventListener('dragover', over)
    addEventListener('drop', drop)
    return () => {
      takers.splice(takers.indexOf(latest), 1)
      if (takers.length === 0) {
        removeEventListener('dragover', over)
        removeEventListener('drop', drop)
      }
    }
  }, [])
}

/** The button by which files are chosen. */
export function AttachButton({ take }: { readonly take: (files: readonly File[]) => void }) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="icon" aria-label={text.attach} title={text.attach} onClick={() => chooser.current?.click()}>
        <Icon of={Paperclip} />
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          take([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

/** Says to those who hear the page when files are on their way, and when all of them have come to an end: their bars aren't heard, and one after the other would be too much. */
function UploadsHeard({ under }: { readonly under: number }) {
  const before = useRef({ under: 0, begun: 0 })
  const begun = under === 0 ? before.current.begun : Math.max(under, before.current.under === 0 ? 0 : before.current.begun)
  useEffect(() => {
    before.current = { under, begun }
  })
  return (
    <p class="hidden" role="status">
      {under > 0 ? text.uploadsBegun(begun) : begun > 0 ? text.uploadsEnded : ''}
    </p>
  )
}

interface UploadingProps {
  readonly draft: string
  /** Where the draft is written. */
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly take: (files: readonly File[]) => void
}

/** The files of a draft that are on their way, or that weren't stored. */
export function Uploading({ draft, field, take }: UploadingProps) {
  const { uploads } = useClient()
  const drop = (id: number, button: HTMLElement) => {
    const item = button.closest('li, p')
    const next = (item?.nextElementSibling ?? item?.previousElementSibling)?.querySelector('button')
    ;(next ?? field.current)?.focus() // before the button goes
    uploads.drop(id)
  }
  const own = uploads.list.value.filter((u) => u.draft === draft)
  const failed = own.filter((u) => u.failed !== undefined)
  const under = own.length - failed.length
  return (
    <>
      <UploadsHeard under={under} />
      {under === 0 ? null : (
        <ul class="uploads" aria-label={text.uploads}>
          {own.filter((u) => u.failed === undefined).map((u) => (
            <li key={u.id}>
              <span class="name">{u.name}</span> <progress value={u.part} aria-label={text.uploading(u.name)} />{' '}
              <button type="button" class="icon" aria-label={text.stopUpload(u.name)} onClick={(event) => drop(u.id, event.currentTarget)}>
                <Icon of={X} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="not-uploaded" role="alert">
        {failed.map((u) => (
          <p key={u.id} class="problem">
            {text.notUploaded(u.name, u.failed ?? '')}{' '}
            {u.file === undefined ? null : (
              <button type="button" aria-label={`${text.tryAgain}: ${u.name}`} onClick={(event) => (drop(u.id, event.currentTarget), take(u.file === undefined ? [] : [u.file]))}>
                {text.tryAgain}
              </button>
            )}{' '}
            <button type="button" class="icon" aria-label={text.close} onClick={(event) => drop(u.id, event.currentTarget)}>
              <Icon of={X} />
            </button>
          </p>
        ))}
      </div>
    </>
  )
}
