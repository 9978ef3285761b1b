/**
 * Replaces a part of a field's text that somebody may be typing in meanwhile: the caret stays where it is. It can be undone where
 * the focus is in the field.
 */
export function replace(field: HTMLTextAreaElement | null, start: number, end: number, text: string): void {
  if (field === null) {
    return
  }
  const moved = (at: number) => (at <= start ? at : at >= end ? at + text.length - (end - start) : start + text.length)
  const { selectionStart: from, selectionEnd: to } = field
  if (document.activeElement === field) {
    insert(field, start, end, text)
    field.setSelectionRange(moved(from), moved(to))
    return
  }
  field.setRangeText(text, start, end, 'preserve')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Replaces a part of a field's text as if it was typed, so that it can be undone, and puts the caret behind it. */
export function insert(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus()
  field.setSelectionRange(start, end)
  const command = text === '' ? 'delete' : 'insertText'
  // Nothing else keeps undoing; browsers have this command for that.
  if ((start === end && text === '') || (document.activeElement === field && document.execCommand(command, false, text))) {
    return
  }
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
