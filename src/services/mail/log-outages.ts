import type { Logger } from 'pino'
import type { MailQueueDeps } from './mail-queue.ts'

/** Logs an outage of the mail server once a minute at most, and its end. */
export function logOutages(
  log: Pick<Logger, 'info' | 'warn'>,
  nowMs: () => number = Date.now,
): Pick<MailQueueDeps, 'onAway' | 'onSent'> {
  let isAway = false
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    onAway(error) {
      isAway = true
      if (nowMs() - lastMs < 60_000) return
      lastMs = nowMs()
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ event: 'mail-away', reason }, 'A mail could not be sent. The app tries again for 12 minutes')
    },
    onSent() {
      if (!isAway) return
      isAway = false
      log.info({ event: 'mail-back' }, 'Mails can be sent again')
    },
  }
}
