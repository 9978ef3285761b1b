/** Goes to the next conversation of the table, or to the one before. */
export function moveInTable(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('.recent-topic')]
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))]?.focus()
}
