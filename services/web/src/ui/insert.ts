/** Replaces a part of a field's text as if it was typed, so that it can be undone, and puts the caret behind it. */
export function insert(field: HTMLTextAreaElement, start: number, end: number, text: string): void {
  field.focus()
  field.setSelectionRange(start, end)
  const command = text === '' ? 'delete' : 'insertText'
  // Nothing else keeps undoing; browsers have this command for that.
  if ((start === end && text === '') || document.execCommand(command, false, text)) {
    return
  }
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
