import { type Config, readConfig } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import type { RegistrationState } from '../../../features/registration/book/registration.ts'
import type { RegistrationFilter, Registrations } from '../../../features/registration/book/registrations.ts'
import { manageRegistrations } from '../../../features/registration/manage.ts'
import { registrationOf } from '../../../features/registration/settings/settings.ts'
import { withGuestStore } from '../../../services/guests/record-stores.ts'
import type { GuestsSettings } from '../../../services/guests/settings.ts'
import { entryPointNamed } from '../../cli/settings/chosen-entry-point.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'

/** The options of all commands. */
export interface RegistrationOptions {
  readonly json?: boolean
  readonly entryPoint?: string
  readonly domain?: string
  readonly state?: RegistrationState
}

/** What a command does with a registration. */
export type Step = 'approve' | 'refuse' | 'cancel' | 'forget'

/** The most mails in a minute, unless an option says otherwise. */
export const MAILS_PER_MINUTE = 60

const PAGE = 500

export interface OpenRegistrations {
  readonly entryPoint: EntryPoint
  readonly registrations: Registrations
}

/** Opens the registrations of one entry point. @throws ConfigError if the entry point has none. */
export async function withRegistrations<T>(
  { env }: Pick<CommandIo, 'env'>,
  { entryPoint: wanted, mailsPerMinute }: { entryPoint?: string | undefined; mailsPerMinute?: number | undefined },
  work: (opened: OpenRegistrations) => Promise<T>,
): Promise<T> {
  const config = readConfig(env)
  const entryPoint = entryPointNamed({ entryPoints: withRegistration(config) }, wanted)
  return await withGuestStore(storeIn(config), async (records) => {
    const { secrets } = config.sessions
    const nowSeconds = () => Date.now() / 1000
    const registrations = manageRegistrations(entryPoint, { records, secrets, nowSeconds, mailsPerMinute })
    if (registrations === null) throw new ConfigError(`Entry point ${entryPoint.name} has no registration.`)
    return await work({ entryPoint, registrations })
  })
}

/** Opens the registrations of all entry points, of which there may be none. */
export async function withAllRegistrations<T>(
  { env }: Pick<CommandIo, 'env'>,
  work: (opened: readonly OpenRegistrations[]) => Promise<T>,
): Promise<T> {
  const config = readConfig(env)
  const entryPoints = config.entryPoints.filter((entryPoint) => registrationOf(entryPoint) !== undefined)
  if (entryPoints.length === 0) return await work([])
  return await withGuestStore(storeIn(config), async (records) => {
    const deps = { records, secrets: config.sessions.secrets, nowSeconds: () => Date.now() / 1000 }
    const opened = entryPoints.flatMap((entryPoint) => {
      const registrations = manageRegistrations(entryPoint, deps)
      return registrations === null ? [] : { entryPoint, registrations }
    })
    return await work(opened)
  })
}

function storeIn({ features }: Pick<Config, 'features'>) {
  return (features.guests as GuestsSettings).store
}

function withRegistration({ entryPoints }: Config): EntryPoint[] {
  const found = entryPoints.filter((entryPoint) => registrationOf(entryPoint) !== undefined)
  if (found.length > 0) return found
  throw new ConfigError('No entry point has a registration. Set REGISTRATION, or registration of an entry point.')
}

/** Yields the registrations of a filter, page by page. */
export async function* pagesOf(
  registrations: Registrations,
  { state, domain, text }: Pick<RegistrationFilter, 'state' | 'domain' | 'text'>,
) {
  let after: string | undefined
  do {
    const page = await registrations.page({ state, domain: domain?.toLowerCase(), text, after, limit: PAGE })
    yield page.registrations
    after = page.next ?? undefined
  } while (after !== undefined)
}
