import { bots } from './bots'
import { content } from './content'
import { organization } from './organization'
import { people } from './people'
import { rules } from './rules'

/** Die Seiten der Organisation, für Administratoren und Inhaber, und was Mitglieder davon sehen. */
export const administration = { ...organization, ...rules, ...people, ...bots, ...content }
