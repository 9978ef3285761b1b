import { ChevronLeft, ChevronRight, X, ZoomIn, ZoomOut } from 'lucide'
import { useRef, useState } from 'preact/hooks'
import { useClient } from '../client'
import { moment, text } from '../text/text'
import '../style/viewer.css'
import { useModal } from './dialog'
import { Icon } from './icon'
import type { Picture } from './pictures'
import { useZoom } from './zoom'

/** By how many pixels an arrow moves a picture that is larger than the window. */
const panned = 120

/** A picture as large as the window, or larger, with the next and the previous one by buttons and keys. */
export function Viewer({ pictures, first, close }: { readonly pictures: readonly Picture[]; readonly first: number; readonly close: () => void }) {
  const [at, setAt] = useState(first)
  const { dialog, closed } = useModal(close)
  const [failed, setFailed] = useState('')
  const words = text.reading
  const picture = pictures[at]
  const box = useRef<HTMLDivElement>(null)
  const zoom = useZoom(box, picture?.source ?? '')
  if (picture === undefined) {
    return null
  }
  const move = (by: number) => {
    if (pictures[at + by] !== undefined) {
      setAt(at + by)
    }
  }
  const key = (event: KeyboardEvent) => {
    const forwards = text.direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
    const by = event.key === 'ArrowRight' || event.key === 'ArrowLeft' ? (event.key === forwards ? 1 : -1) : 0
    const larger = { '+': 1, '=': 1, '-': -1 }[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return // the browser's own
    }
    if (larger !== undefined) {
      zoom.step(larger)
    } else if (event.key === '0') {
      zoom.reset()
    } else if (by !== 0 && zoom.times === 1) {
      event.preventDefault()
      move(by)
    } else if (zoom.times > 1 && event.key.startsWith('Arrow')) {
      event.preventDefault()
      box.current?.scrollBy(event.key === 'ArrowRight' ? panned : event.key === 'ArrowLeft' ? -panned : 0, event.key === 'ArrowDown' ? panned : event.key === 'ArrowUp' ? -panned : 0)
    } else if (event.key === 'v') {
      close()
    }
  }
  return (
    <dialog ref={dialog} class="viewer" aria-label={picture.name} onClose={closed} onKeyDown={key}>
      <header>
        <p class="viewer-name">
          <strong>{picture.name}</strong> <Origin message={picture.message} />
        </p>
        <p role="status">
          {words.pictureOf(at + 1, pictures.length)}
          {zoom.times === 1 ? '' : ` · ${words.zoomed(zoom.times)}`}
        </p>
        <button class="icon" aria-label={words.smaller} title={words.smaller} aria-disabled={zoom.times === 1} onClick={() => zoom.step(-1)}>
          <Icon of={ZoomOut} />
        </button>
        <button class="icon" aria-label={words.larger} title={words.larger} aria-disabled={zoom.isLargest} onClick={() => zoom.step(1)}>
          <Icon of={ZoomIn} />
        </button>
        <a class="button plain" href={picture.link} target="_blank" rel="noopener noreferrer">
          {words.original}
        </a>
        <button class="icon" aria-label={text.close} onClick={close}>
          <Icon of={X} />
        </button>
      </header>
      <div ref={box} class={zoom.times === 1 ? 'viewer-picture' : 'viewer-picture zoomed'} tabIndex={zoom.times === 1 ? -1 : 0} role="group" aria-label={picture.name} onWheel={zoom.wheel} onPointerDown={zoom.press} onPointerMove={zoom.draw}>
        {failed === picture.source ? (
          <p role="alert">{words.noPicture}</p>
        ) : (
          <img
            key={picture.source}
            src={picture.source}
            alt={picture.name}
            style={zoom.size ?? {}}
            onError={() => setFailed(picture.source)}
            onClick={() => (zoom.times === 1 ? close() : zoom.wasDrawn() ? undefined : zoom.reset())}
          />
        )}
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
