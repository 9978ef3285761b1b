import { bots } from './bots'
import { content } from './content'
import { organization } from './organization'
import { people } from './people'
import { rules } from './rules'

/** The pages of the organization, for administrators and owners, and what members see of them. */
export const administration = { ...organization, ...rules, ...people, ...bots, ...content }
