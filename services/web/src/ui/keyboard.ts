/** What covers more of the page than these pixels is a keyboard, and not one of the browser's bars. */
const least = 100

/**
 * Has the page end above a keyboard on the screen, in browsers that lay it over the page (see the viewport in index.html for the others), until the
 * function that it returns is called.
 */
export function clearOfKeyboard(): () => void {
  const { documentElement: page } = document
  const viewport = visualViewport
  if (viewport === null) {
    return () => {}
  }
  const fit = () => {
    const covered = Math.round(page.clientHeight - viewport.height * viewport.scale) // who enlarges the page sees less of it, too
    if (covered < least) {
      page.style.removeProperty('--keyboard')
      return
    }
    page.style.setProperty('--keyboard', `${covered}px`)
    if (viewport.scale === 1) {
      scrollTo(0, 0) // browsers push the page up to the field, which needs that no more
    }
  }
  viewport.addEventListener('resize', fit)
  viewport.addEventListener('scroll', fit)
  return () => {
    viewport.removeEventListener('resize', fit)
    viewport.removeEventListener('scroll', fit)
  }
}
