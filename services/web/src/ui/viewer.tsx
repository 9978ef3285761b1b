import { ChevronLeft, ChevronRight, X } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useClient } from '../client'
import { moment, text } from '../text/text'
import '../style/viewer.css'
import { Icon } from './icon'
import { looking, type Picture } from './pictures'

/** A picture as large as the window, with the next and the previous one by buttons and keys. */
export function Viewer({ pictures, at }: { readonly pictures: readonly Picture[]; readonly at: number }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [failed, setFailed] = useState('')
  const words = text.reading
  const picture = pictures[at]
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => (before instanceof HTMLElement ? before.focus() : undefined)
  }, [])
  if (picture === undefined) {
    return null
  }
  const close = () => (looking.value = undefined)
  const move = (by: number) => {
    if (pictures[at + by] !== undefined) {
      looking.value = { pictures, at: at + by }
    }
  }
  const key = (event: KeyboardEvent) => {
    const forwards = text.direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const by = event.key === 'ArrowRight' || event.key === 'ArrowLeft' ? (event.key === forwards ? 1 : -1) : 0
    if (by !== 0) {
      event.preventDefault()
      move(by)
    } else if (event.key === 'v') {
      close()
    }
  }
  return (
    <dialog ref={dialog} class="viewer" aria-label={picture.name} onClose={close} onKeyDown={key}>
      <header>
        <p class="viewer-name">
          <strong>{picture.name}</strong> <Origin message={picture.message} />
        </p>
        <p role="status">{words.pictureOf(at + 1, pictures.length)}</p>
        <a class="button plain" href={picture.link} target="_blank" rel="noopener noreferrer">
          {words.original}
        </a>
        <button class="icon" aria-label={text.close} onClick={close}>
          <Icon of={X} />
        </button>
      </header>
      <div class="viewer-picture">
        {failed === picture.source ? <p role="alert">{words.noPicture}</p> : <img key={picture.source} src={picture.source} alt={picture.name} onError={() => setFailed(picture.source)} onClick={close} />}
      </div>
      <button class="icon before" aria-label={words.previousPicture} aria-disabled={at === 0} onClick={() => move(-1)}>
        <Icon of={ChevronLeft} directed />
      </button>
      <button class="icon after" aria-label={words.nextPicture} aria-disabled={at === pictures.length - 1} onClick={() => move(1)}>
        <Icon of={ChevronRight} directed />
      </button>
    </dialog>
  )
}

/** Who sent a picture, and when. */
function Origin({ message: id }: { readonly message: number }) {
  const { state } = useClient()
  const message = state.message(id)?.value
  return message === undefined ? null : (
    <span>
      {state.nameOf(message.sender_id)}, {moment(new Date(message.timestamp * 1000))}
    </span>
  )
}
