import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { restore } from './dialog'

/**
 * Has the focus stay among the messages where a control of one has it that goes: others delete messages, and take back reactions. It is at
 * the message then, or else at the list.
 */
export function useRowFocus(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = list
    let row: HTMLElement | null = null
    const changed = new MutationObserver(() => restore(row))
    const note = ({ target }: FocusEvent) => {
      changed.disconnect()
      row = target instanceof Element ? target.closest('article') : null
      if (row !== null && row !== target && row.parentElement !== null) { // no control has it otherwise
        changed.observe(row, { childList: true, subtree: true })
        changed.observe(row.parentElement, { childList: true })
      }
    }
    const leave = ({ target }: FocusEvent) => {
      queueMicrotask(() => {
        if (target instanceof Element && target.isConnected && current?.contains(document.activeElement) === false) { // it went elsewhere, and isn't lost
          changed.disconnect()
        }
      })
    }
    current?.addEventListener('focusin', note)
    current?.addEventListener('focusout', leave)
    return () => {
      changed.disconnect()
      current?.removeEventListener('focusin', note)
      current?.removeEventListener('focusout', leave)
    }
  }, [])
}
