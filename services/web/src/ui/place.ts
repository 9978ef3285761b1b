/** How far from the screen's edges, and from what it belongs to, something that opens is, in pixels. */
const edge = 8
const gap = 4

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Returns where something opens: below what it belongs to, or above where there is more room, and on the screen in any case. */
export function clamped(at: Box, size: { readonly width: number; readonly height: number }, screen: { readonly width: number; readonly height: number; readonly rtl: boolean }) {
  const below = at.bottom + gap
  const above = at.top - gap - size.height
  const fits = below + size.height + edge <= screen.height || screen.height - at.bottom > at.top
  // It grows towards the middle of the screen.
  const wanted = (at.left + at.right < screen.width) !== screen.rtl || at.right < size.width + edge ? at.left : at.right - size.width
  return {
    left: within(wanted, edge, screen.width - size.width - edge),
    top: within(fits ? below : above, edge, screen.height - size.height - edge),
  }
}

function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
