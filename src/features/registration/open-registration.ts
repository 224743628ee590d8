import type { EntryPointOf, OpenFeature } from '../../login/feature.ts'
import { compileView } from '../../login/screens/views.ts'
import type { AppParts } from '../../login/service.ts'
import type { Events } from '../../services/event/service.ts'
import { guestSubjectOf } from '../../services/guests/guest-identity.ts'
import type { Guests } from '../../services/guests/service.ts'
import { createCodeCookie } from '../../services/mail-code/code-cookie.ts'
import type { MailPermission, OpenMailCodes } from '../../services/mail-code/mail-codes.ts'
import { OWN_KINDS } from './book/book.ts'
import { createRegistrations, type Registrations } from './book/registrations.ts'
import { createFormSeal } from './form/sealed-form.ts'
import { createGate } from './gate.ts'
import { guestOf, subjectOf } from './guest.ts'
import { REGISTRATION_ISSUER } from './guest-way.ts'
import { createMails, mailSteps } from './mails.ts'
import { createRegistrationPages } from './screens/pages.ts'
import { registrationPart } from './screens/screen-part.ts'
import { REGISTRATION, type RegistrationSettings } from './settings/settings.ts'
import { registrationRoutes } from './steps/routes.ts'

/** After a command that was stopped, or a start with more places, a place may be free. */
const MOVE_ON_EVERY_MS = 30_000

interface Needed {
  readonly event: Events
  readonly guests: Guests
  readonly mailCodes: OpenMailCodes
}

/** Opens the registrations. */
export function openRegistration(
  app: AppParts & Needed,
  entryPoints: readonly EntryPointOf<RegistrationSettings>[],
): OpenFeature<RegistrationSettings> {
  const { publicUrl, nowSeconds, sessionSettings, log, guests, mailCodes } = app
  const { records } = guests
  const template = compileView('registration/form')
  const sessionSeconds = sessionSettings.lifetimeSeconds
  const opened = entryPoints.map(({ entryPoint, settings }) => {
    mailCodes.noticesOf(REGISTRATION, entryPoint, createMails(entryPoint, publicUrl.hostname, app.event))
    const mailOf = mailSteps(sessionSettings.secrets, entryPoint.name, nowSeconds)
    const registrations = createRegistrations({ records, entryPoint: entryPoint.name, settings, nowSeconds, mailOf })
    return [entryPoint.name, { settings, registrations }] as const
  })
  const byName = new Map(opened)
  const started = new Set<Registrations>()
  async function moveOn(): Promise<void> {
    for (const { registrations } of byName.values()) {
      if (!started.has(registrations)) await registrations.followDeletesAt()
      started.add(registrations)
      await registrations.moveOn()
    }
  }
  const warn = (err: unknown) => log.warn({ event: 'registration', err }, 'A waiting list does not move on for now')
  const moving = setInterval(() => void moveOn().catch(warn), MOVE_ON_EVERY_MS).unref()
  void moveOn().catch(warn)
  guests.pruneFirst(OWN_KINDS)
  guests.addSource(async ({ name }, address) => {
    const own = byName.get(name)
    const registration = (await own?.registrations.find(address)) ?? null
    if (own === undefined || registration?.state !== 'approved') return null
    return guestOf(registration, own.settings, nowSeconds() + sessionSeconds)
  })
  return {
    at(entryPoint, settings) {
      const { name } = entryPoint
      const registrations = byName.get(name)?.registrations
      if (registrations === undefined) throw new Error(`The registration of ${name} is not open`)
      const ownCodes = mailCodes.at(REGISTRATION, entryPoint, {
        mayGet: (address) => mayGet(registrations, address),
        words: ({ registration: { mail } }) => ({ subject: mail.codeSubject, intro: mail.codeIntro }),
      })
      const formSeal = createFormSeal(app, name)
      const cookie = createCodeCookie(app, REGISTRATION, name)
      return {
        screenPart: registrationPart(cookie),
        acceptsSession: (viewer) =>
          guestSubjectOf(viewer, REGISTRATION_ISSUER)?.startsWith(subjectOf(name, '')) ?? false,
        gate: () => createGate(registrations, entryPoint),
        routes(deps) {
          const pages = createRegistrationPages(deps, template)
          const own = { settings, registrations, codes: ownCodes, cookie, formSeal, pages, sessionSeconds }
          return registrationRoutes({ ...deps, ...own })
        },
      }
    },
    close: () => clearInterval(moving),
  }
}

/** Lets an address get a code that is registered, or can register. */
async function mayGet(registrations: Registrations, address: string): Promise<MailPermission> {
  if ((await registrations.find(address)) !== null) return { ok: true, isListed: true }
  const openness = await registrations.openness()
  return { ok: openness === 'open' || openness === 'waiting-list', isListed: false }
}
