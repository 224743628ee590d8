import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../../errors.ts'
import { type MailSignInSettings, USERNAME } from '../../../../features/mail-sign-in/fields.ts'
import { openGuestList } from '../../../../features/mail-sign-in/guest-list.ts'
import { mailGuests } from '../../../../features/mail-sign-in/guest-way.ts'
import { parseMailAddress } from '../../../../services/guests/mail-address.ts'
import type { KnownPerson } from '../../../cli/viewers/show-command.ts'
import type { OtherWay } from '../../../manager/people/other-ways.ts'
import { type SharedAddress, sharedAddressesFact } from '../shared-addresses.ts'

/** A code by mail, for guests and for viewers of the store. */
export const mailWay: OtherWay = {
  name: mailGuests.words,
  isOpenTo,
  hindrance(person, { features }) {
    const { attribute } = (features['mail-sign-in'] as MailSignInSettings | undefined) ?? {}
    const shared = sharedAddressesOf(person).find((one) => one.attribute === attribute)
    return shared ? { text: 'sharedAddress', values: { address: shared.address }, remedy: 'edit' } : null
  },
}

/** Addresses that other viewers have too, as `viewers show` says. A code is refused to all of them. */
function sharedAddressesOf({ [sharedAddressesFact.field]: shared }: KnownPerson): readonly SharedAddress[] {
  return (shared as readonly SharedAddress[] | null | undefined) ?? []
}

async function isOpenTo(person: KnownPerson, { features }: EntryPoint): Promise<boolean> {
  const settings = features['mail-sign-in'] as MailSignInSettings | undefined
  if (settings === undefined) return false
  const { mode, attribute = USERNAME } = settings
  if (mode === 'store') {
    // Null for a name that the store does not know.
    const { groups, username, attributes } = person
    if (sharedAddressesOf(person).some((one) => one.attribute === attribute)) return false
    return groups !== null && parseMailAddress(attribute === USERNAME ? username : attributes?.[attribute]) !== null
  }
  const address = parseMailAddress(person.username)
  return address !== null && (await isOnList(settings, address))
}

async function isOnList(settings: MailSignInSettings, address: string): Promise<boolean> {
  try {
    const guests = await openGuestList(settings, { onChange: () => {}, onFault: () => {} })
    guests.close()
    return guests.find(address) !== null
  } catch (error) {
    // A file with a fault lets the app keep its guests. This page does not know them.
    if (error instanceof ConfigError) return false
    throw error
  }
}
