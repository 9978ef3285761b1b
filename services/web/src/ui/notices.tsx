import { signal } from '@preact/signals'
import { X } from 'lucide'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { useClient } from '../client'
import { text } from '../text/text'
import { restore } from './dialog'
import { Icon } from './icon'

/** The dialogs that are open, the last over the others. */
const dialogs = signal<readonly object[]>([])

/** Has what is said be in a dialog as long as that is over the others: whatever is behind it is neither heard nor can be closed. */
export function useNotices(dialog: object): void {
  useLayoutEffect(() => {
    dialogs.value = [...dialogs.peek(), dialog]
    return () => {
      dialogs.value = dialogs.peek().filter((one) => one !== dialog)
    }
  }, [])
}

/** What was said about the last actions, in a dialog, or in what is behind all of them. */
export function Notices({ dialog }: { readonly dialog?: object }) {
  return dialogs.value.at(-1) === dialog ? (
    <>
      <Notice />
      <Said />
    </>
  ) : null
}

/** What was said about the last action that failed. */
function Notice() {
  const { notice } = useClient()
  const close = () => {
    restore() // the button had the focus
    notice.value = ''
  }
  return (
    <div class="notice" role="alert">
      {notice.value === '' ? null : (
        <p>
          {notice.value}{' '}
          <button class="icon" aria-label={text.close} onClick={close}>
            <Icon of={X} />
          </button>
        </p>
      )}
    </div>
  )
}

/** How long it is on screen that something worked, in milliseconds. */
const saidFor = 4_000

/** What was said about the last action that worked, as long whenever it is said again. */
function Said() {
  const { said } = useClient()
  useEffect(() => {
    const timer = setTimeout(() => (said.value = undefined), saidFor)
    return () => clearTimeout(timer)
  }, [said.value])
  return (
    <div class="notice said" role="status">
      {said.value === undefined ? null : <p>{said.value.words}</p>}
    </div>
  )
}
