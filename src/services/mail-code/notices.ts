import { randomBytes } from 'node:crypto'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { SecurityLog } from '../../server/log/log.ts'
import type { RecordWrite } from '../guests/guest-records.ts'
import type { MailQueueDeps } from '../mail/mail-queue.ts'
import { type Mail, MailFault, type MailServer } from '../mail/smtp.ts'
import { createSeal } from '../pass/seal.ts'
import { placeOf } from './lanes.ts'
import { type Delivery, OUTBOX_SEAL, type OutboxMail, outboxStep } from './outbox.ts'

/** A mail besides codes, such as "a place is free". It waits in the same outbox, and codes come first. */
export interface Notice {
  readonly address: string
  /** A name that the feature knows. */
  readonly name: string
  readonly language: string
}

/** Builds a notice when its turn comes. Null for a notice that the feature does not know. */
export type BuildNotice = (notice: Notice & Pick<OutboxMail, 'atMs'>) => Mail | null

const LIFETIME_SECONDS = 3 * 86_400

/**
 * Creates the steps that add notices of a feature at an entry point. The batch of the change writes them too. Commands
 * also use them: the app then sends the notices.
 * @param secrets SESSION_SECRET and the previous one.
 * @param spacingMs the time between two notices.
 */
export function createNoticeSteps(
  secrets: readonly string[],
  { feature, entryPoint }: { readonly feature: string; readonly entryPoint: Pick<EntryPoint, 'name'> },
  { nowMs, spacingMs }: { readonly nowMs: () => number; readonly spacingMs: number },
): (notice: Notice) => RecordWrite {
  const seal = createSeal(secrets, OUTBOX_SEAL)
  const scope = `${feature} ${entryPoint.name}`
  let lastMs = 0
  return ({ address, name, language }) => {
    const atMs = nowMs()
    lastMs = Math.max(atMs, lastMs + spacingMs)
    const endsAtSeconds = lastMs / 1000 + LIFETIME_SECONDS
    const requestId = randomBytes(9).toString('base64url')
    const mail = { scope, address, language, notice: name, code: '', device: [], requestId, atMs, endsAtSeconds }
    return outboxStep(seal, mail, placeOf(lastMs), lastMs)
  }
}

interface DeliveryDeps {
  readonly server: Pick<MailServer, 'send'>
  /** By feature and entry point. */
  readonly notices: ReadonlyMap<string, BuildNotice>
  readonly securityLog: SecurityLog
  readonly outages: Pick<MailQueueDeps, 'onAway' | 'onSent'>
}

/** Creates the function that builds and sends a notice. */
export function createNoticeDelivery({ server, notices, securityLog, outages }: DeliveryDeps) {
  return async ({ scope, requestId, ...mail }: OutboxMail, name: string): Promise<Delivery> => {
    const build = notices.get(scope)
    // The entry point is new, or not ready yet: another copy may know it.
    if (build === undefined) return 'retry'
    const built = build({ ...mail, name })
    if (built === null) return 'done'
    const [event = '', entryPoint = ''] = scope.split(' ')
    const step = { event, entryPoint, viewer: mail.address, requestId, notice: name }
    try {
      await server.send(built)
      outages.onSent?.()
      securityLog.info({ ...step, outcome: 'notice-mailed' })
      return 'done'
    } catch (error) {
      if (!(error instanceof MailFault)) throw error
      if (error.isFinal && error.isAboutMail) {
        securityLog.warn({ ...step, outcome: 'notice-not-mailed', reason: error.message })
        return 'done'
      }
      outages.onAway(error)
      return error.isAboutMail ? 'retry' : 'away'
    }
  }
}
