/** Reports whether what is typed goes into an element. */
export function isField(element: Element | null): boolean {
  return element?.matches('input, textarea, select') === true
}
