/** Reports whether a key belongs to a character that is being composed. In Safari the key that ends it comes after its end, with the number 229. */
export function composes(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229
}
