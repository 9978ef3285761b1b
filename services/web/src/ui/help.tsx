import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { text } from '../text/text'
import { shortcuts } from './keys'

/** Whether the list of keys is shown. */
export const helpOpen = signal(false)

/** The list of keys. */
export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = helpOpen.value
  useEffect(() => {
    if (open) {
      dialog.current?.showModal()
    }
  }, [open])
  if (!open) {
    return null
  }
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (helpOpen.value = false)}>
      <header class="bar">
        <h2 id="help-title">{text.help}</h2>
        <button class="icon" aria-label={text.close} onClick={() => (helpOpen.value = false)}>
          ✕
        </button>
      </header>
      <KeyList />
    </dialog>
  )
}

/** All keys with what they do. */
export function KeyList() {
  return (
    <dl class="keys">
      {shortcuts.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{{ ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' }[key] ?? key}</kbd>
            ))}
          </dt>
          <dd>{text.keys[does]}</dd>
        </div>
      ))}
    </dl>
  )
}
