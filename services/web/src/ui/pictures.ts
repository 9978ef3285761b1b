import type { Client } from '../client'
import { pictureName } from '../html/content'
import { showPictures } from './screens'

/** A picture of a message. */
export interface Picture {
  /** Where it is in its full size, as far as this server has it. */
  readonly source: string
  /** Where its link leads. */
  readonly link: string
  readonly name: string
  /** The message that has it; 0: none. */
  readonly message: number
}

/** Pictures that open large: a film's opens the film. */
const wanted = '.message_inline_image:not(.youtube-video) a'

/** Returns the picture that an element is in; undefined: none. */
export function pictureAt(element: Element): HTMLElement | undefined {
  return element.closest<HTMLElement>(wanted) ?? undefined
}

/** Returns the first picture of a message that is in the page. */
export function pictureOf(message: number): HTMLElement | undefined {
  return document.querySelector<HTMLElement>(`#message-${message} ${wanted}`) ?? undefined
}

/** Shows a picture large, with all others of the messages that are in the page before and after it. */
export function show(client: Client, picture: HTMLElement): void {
  const all = [...document.querySelectorAll<HTMLAnchorElement>(`#messages ${wanted}, .preview ${wanted}`)].filter((link) => link.querySelector('img') !== null)
  const at = all.findIndex((link) => link === picture)
  if (at >= 0) {
    showPictures(client, all.map(pictureFrom), at)
  }
}

function pictureFrom(link: HTMLAnchorElement): Picture {
  const ours = new URL(link.href).origin === location.origin
  return {
    source: ours ? link.href : (link.querySelector('img')?.src ?? ''),
    link: link.href,
    name: pictureName(link),
    message: Number(link.closest<HTMLElement>('[data-message]')?.dataset['message'] ?? 0),
  }
}
