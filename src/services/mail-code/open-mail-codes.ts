import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { ConfigError } from '../../errors.ts'
import type { AppParts, OpenService } from '../../login/service.ts'
import type { Events } from '../event/service.ts'
import type { Guests } from '../guests/service.ts'
import { logOutages } from '../mail/log-outages.ts'
import { createMailShares, type GiveBack, type MailShares } from '../mail/mail-shares.ts'
import type { MailServerSettings } from '../mail/settings.ts'
import { MailFault, type MailServer, openMailServer } from '../mail/smtp.ts'
import { createSeal } from '../pass/seal.ts'
import { type CodeLimits, createCodeLimits } from './code-limits.ts'
import { codeMail } from './code-mail.ts'
import { createMailCodeCounts, type MailCodeCounts } from './mail-code-counts.ts'
import { type CodeReader, createMailCodes, type OpenMailCodes } from './mail-codes.ts'
import { type BuildNotice, createNoticeDelivery } from './notices.ts'
import { createOutbox, type Delivery } from './outbox.ts'
import { OUTBOX_SEAL, type OutboxMail } from './outbox-records.ts'
import type { MailCodeSettings } from './settings.ts'

interface Sender extends CodeReader {
  readonly entryPoint: EntryPoint
}

interface Needed {
  readonly event: Events
  readonly guests: Guests
  readonly mailServer: MailServerSettings | null
}

/** Opens the outbox and the limits. @throws ConfigError without SMTP_URL. */
export async function openMailCodes(
  app: AppParts & Needed,
  { mailsPerHour }: MailCodeSettings,
): Promise<OpenService<OpenMailCodes>> {
  const { openCounter, addressLimit, sessionSettings, nowSeconds, log } = app
  const { records } = app.guests
  if (app.mailServer === null) throw new ConfigError('Codes by mail need SMTP_URL and MAIL_FROM.')
  const server = await openMailServer(app.mailServer)
  const counts = createMailCodeCounts()
  const limits = createCodeLimits(openCounter, addressLimit, mailsPerHour)
  const senders = new Map<string, Sender>()
  const countEntryPoints = () => new Set([...senders.values()].map(({ entryPoint }) => entryPoint.name)).size
  const shares = createMailShares(openCounter, 'mail-code-mails', mailsPerHour, countEntryPoints)
  const notices = new Map<string, BuildNotice>()
  const { secrets } = sessionSettings
  const outbox = createOutbox({
    records,
    seal: createSeal(secrets, OUTBOX_SEAL),
    nowMs: () => nowSeconds() * 1000,
    deliver: createDelivery(app, { server, limits, shares, senders, notices, counts }),
    onFault: (err) => log.warn({ event: 'mail-code', err }, 'Mails with codes wait: the guests store failed'),
  })
  counts.watch(outbox.waiting)
  return {
    handed: {
      at(feature, entryPoint, asked) {
        const scope = `${feature} ${entryPoint.name}`
        senders.set(scope, { entryPoint, ...asked })
        const isLate = async () => (await shares.isUsedUp(entryPoint.name)) || outbox.isLate()
        return createMailCodes({ records, outbox, isLate, limits, secrets, nowSeconds }, scope)
      },
      noticesOf: (feature, { name }, build) => void notices.set(`${feature} ${name}`, build),
      wake: () => outbox.wake(),
    },
    registerMetrics: (registry) => void counts.register(registry),
    close() {
      outbox.close()
      server.close()
    },
  }
}

interface DeliveryDeps {
  readonly server: Pick<MailServer, 'send'>
  readonly limits: Pick<CodeLimits, 'isKnown'>
  readonly shares: MailShares
  readonly senders: ReadonlyMap<string, Sender>
  readonly notices: ReadonlyMap<string, BuildNotice>
  readonly counts: Pick<MailCodeCounts, 'count'>
}

/** Creates the work after the answer: decides if the address may get its code, and sends the mail. */
function createDelivery(
  { publicUrl, securityLog, repeatFilter, log, event: events }: AppParts & Pick<Needed, 'event'>,
  { server, limits, shares, senders, notices, counts }: DeliveryDeps,
) {
  const event = 'mail-code'
  const outages = logOutages(log)
  const deliverNotice = createNoticeDelivery({ server, notices, securityLog, outages })
  return async (mail: OutboxMail): Promise<Delivery> => {
    if (mail.notice !== undefined) return await deliverNotice(mail, mail.notice)
    const sender = senders.get(mail.scope)
    // The entry point is new, or not ready yet: another copy may know it.
    if (sender === undefined) return 'retry'
    const { entryPoint } = sender
    const { address, requestId } = mail
    const step = { event, entryPoint: entryPoint.name, viewer: address, requestId }
    let giveBack: GiveBack | null
    try {
      const permission = await sender.mayGet(address)
      if (!permission.ok) {
        counts.count('withheld', entryPoint.name)
        securityLog.info({ ...step, outcome: 'mail-code-withheld', reason: permission.reason })
        return 'done'
      }
      const isListed = permission.isListed || (await limits.isKnown(address))
      giveBack = await shares.take(entryPoint.name, isListed)
      if (giveBack === null) {
        counts.count('limited', entryPoint.name)
        const outcome = { outcome: 'mail-code-limited', limit: isListed ? 'total' : 'share' }
        const writeSum = (sum: object) => securityLog.warn({ event, entryPoint: entryPoint.name, ...outcome, ...sum })
        const isNew = repeatFilter.isNew({ key: `mail-code-limited ${entryPoint.name} ${outcome.limit}`, writeSum })
        if (isNew) securityLog.warn({ ...step, ...outcome, reason: 'MAIL_CODES_PER_HOUR is reached' })
        // The mails of other entry points go on.
        return 'retry'
      }
    } catch (err) {
      log.warn({ event: 'mail-code', err }, 'A mail with a code waits: a store failed')
      return 'away'
    }
    try {
      const timeZone = events.get(entryPoint.name)?.().timeZone
      await server.send(codeMail(mail, { ...sender, host: publicUrl.hostname, timeZone }))
      outages.onSent?.()
      counts.count('sent', entryPoint.name)
      securityLog.info({ ...step, outcome: 'mail-code-sent' })
      return 'done'
    } catch (error) {
      await giveBack().catch(() => {})
      if (!(error instanceof MailFault)) throw error
      if (error.isFinal && error.isAboutMail) {
        counts.count('bounced', entryPoint.name)
        securityLog.warn({ ...step, outcome: 'mail-code-bounced', reason: error.message })
        return 'done'
      }
      counts.count('away', entryPoint.name)
      outages.onAway(error)
      return error.isAboutMail ? 'retry' : 'away'
    }
  }
}
