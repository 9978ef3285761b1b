import { acting } from './acting'
import { administration } from './administration'
import { account } from './account'
import { alerts } from './alerts'
import { compose } from './compose'
import { feed } from './feed'
import { general } from './general'
import { gone } from './gone'
import { keyGroups, keyNames, keys } from './keys'
import { message } from './message'
import { notifications } from './notifications'
import { profiles } from './profiles'
import { organizations } from './organizations'
import { reading } from './reading'
import { search } from './search'
import { settings } from './settings'
import { sidebar } from './sidebar'
import { signin } from './signin'

/** Everything that the client says, in English: parts that are older are flat, newer ones are objects. Other languages are folders of the same shape. */
export const catalogue = {
  ...general,
  ...signin,
  ...sidebar,
  ...search,
  ...feed,
  ...message,
  ...compose,
  gone,
  keys,
  keyGroups,
  keyNames,
  alerts,
  reading,
  settings,
  acting,
  administration,
  account,
  notifications,
  organizations,
  profiles,
}

/** A language. */
export type Catalogue = typeof catalogue
