import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { type MailSignInSettings, USERNAME } from '../../../features/mail-sign-in/fields.ts'
import { parseMailAddress } from '../../../services/guests/mail-address.ts'
import type { UserStore, Viewer } from '../../../users/user-store.ts'
import { entryPointsIn } from '../../cli/settings/chosen-entry-point.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import type { FactReader } from '../../cli/viewers/shown-viewer.ts'

export interface SharedAddress {
  readonly attribute: string
  readonly address: string
}

/** Mail addresses of a viewer to which no code is sent, because other viewers have them too. */
export const sharedAddressesFact: FactReader = {
  field: 'sharedAddresses',
  label: 'Code by mail',
  async read(store, viewer, env) {
    const shared = await sharedAddresses(store, viewer, env)
    if (shared === null) return null
    const texts = shared.map(({ attribute, address }) => `${address} (${attribute})`)
    return { value: shared, text: texts.length === 0 ? null : `refused: other viewers have ${texts.join(', ')} too` }
  },
}

/** Null if the settings cannot be read here, or the store finds no addresses. */
async function sharedAddresses(store: UserStore, { attributes }: Pick<Viewer, 'attributes'>, env: CommandIo['env']) {
  const entryPoints = entryPointsIn(env)
  if (entryPoints === null || store.findByAddress === undefined) return null
  const shared: SharedAddress[] = []
  for (const attribute of new Set(entryPoints.flatMap(addressAttribute))) {
    const address = parseMailAddress(attributes[attribute])
    if (address !== null && (await store.findByAddress(attribute, address)) === 'several') {
      shared.push({ attribute, address })
    }
  }
  return shared
}

/** Returns the attribute with the addresses of an entry point. Empty if there is none: a user name has one viewer. */
function addressAttribute({ features }: EntryPoint): string[] {
  const settings = features['mail-sign-in'] as MailSignInSettings | undefined
  const { mode, attribute = USERNAME } = settings ?? {}
  return mode === 'store' && attribute !== USERNAME ? [attribute] : []
}
