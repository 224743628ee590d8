import type { SecurityLog } from '../../server/log/log.ts'
import type { MailQueueDeps } from '../mail/mail-queue.ts'
import { type Mail, MailFault, type MailServer } from '../mail/smtp.ts'
import type { Delivery } from './outbox.ts'
import type { OutboxMail } from './outbox-records.ts'

/** A mail besides codes, such as "a place is free". It waits in the same outbox, and codes come first. */
export interface Notice {
  readonly address: string
  /** A name that the feature knows. */
  readonly name: string
  readonly language: string
}

/** Builds a notice when its turn comes. Null for a notice that the feature does not know. */
export type BuildNotice = (notice: Notice & Pick<OutboxMail, 'atMs'>) => Mail | null

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
