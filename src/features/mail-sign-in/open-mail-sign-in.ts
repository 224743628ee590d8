import { ConfigError } from '../../errors.ts'
import { gateRefusal } from '../../login/answer/policy-text.ts'
import type { EntryPointOf, OpenFeature } from '../../login/feature.ts'
import type { Gate } from '../../login/route-deps.ts'
import type { AppParts } from '../../login/service.ts'
import { guestSubjectOf, MAIL_ISSUER } from '../../services/guests/guest-identity.ts'
import type { Guests } from '../../services/guests/service.ts'
import { createCodeCookie } from '../../services/mail-code/code-cookie.ts'
import type { MailPermission, OpenMailCodes } from '../../services/mail-code/mail-codes.ts'
import type { MailSignInSettings } from './fields.ts'
import { openGuestList } from './guest-list.ts'
import { createMailViewers, type MailViewers } from './mail-viewers.ts'
import { mailSignInRoutes } from './routes.ts'
import { mailScreenPart } from './screen-part.ts'

interface Needed {
  readonly guests: Guests
  readonly mailCodes: OpenMailCodes
}

/** Opens the lists of guests. @throws ConfigError if a file of guests cannot be read. */
export async function openMailSignIn(
  app: AppParts & Needed,
  entryPoints: readonly EntryPointOf<MailSignInSettings>[],
): Promise<OpenFeature<MailSignInSettings>> {
  const { users, nowSeconds, log, sessionSettings, mailCodes } = app
  const sessionSeconds = sessionSettings.lifetimeSeconds
  const opened = entryPoints.map(async ({ entryPoint, settings }) => {
    const { name } = entryPoint
    if (settings.mode === 'store' && users.find === undefined) {
      throw new ConfigError('MAIL_SIGN_IN=store needs a user store that finds a viewer without a password.')
    }
    const own = { event: 'mail-guests', entryPoint: name }
    const guests = await openGuestList(settings, {
      onChange: (count, came, went) => log.info({ ...own, guests: count, came, went }, 'The guests have changed'),
      onFault: (fault) => log.warn(own, `${fault}. The guests stay as they were`),
      onBadRows: (rows) => log.warn(own, `${rows}. The other rows count`),
    })
    const findKnown = (address: string) => app.guests.findKnown(entryPoint, address)
    const viewers = createMailViewers(settings, { guests, findKnown, users, sessionSeconds, nowSeconds })
    return [name, { guests, viewers, settings }] as const
  })
  const byName = new Map(await Promise.all(opened))
  return {
    at(entryPoint) {
      const own = byName.get(entryPoint.name)
      if (own === undefined) throw new Error(`Entry point ${entryPoint.name} is not open`)
      const { viewers } = own
      const mayGet = async (address: string): Promise<MailPermission> => {
        const found = await viewers.find(address)
        if (found.viewer === null) return { ok: false, reason: found.reason }
        return { ok: true, isListed: found.isByDomain !== true }
      }
      const cookie = createCodeCookie(app, 'mail-sign-in', entryPoint.name)
      const ownCodes = mailCodes.at('mail-sign-in', entryPoint, { mayGet })
      return {
        screenPart: mailScreenPart(cookie),
        acceptsSession: viewers.acceptsSession,
        gate: () => listGate(viewers),
        routes: (deps) => mailSignInRoutes({ ...deps, codes: ownCodes, cookie, viewers }),
      }
    },
    close() {
      for (const { guests } of byName.values()) guests.close()
    },
  }
}

const REMOVED = gateRefusal('mail-guest-removed', (texts) => texts['mail-sign-in'].errors.removed)

/**
 * Refuses guests who are no longer on the list, at their next return. A guest who is known here in another way signs in
 * again: the session may have the groups of the list, or be from another entry point.
 */
function listGate({ isListed }: Pick<MailViewers, 'isListed'>): Gate {
  return (_req, _res, { identity }) => {
    const address = identity ? guestSubjectOf({ identity }, MAIL_ISSUER) : null
    return address === null || isListed(address) ? null : REMOVED
  }
}
