import { setTimeout as sleep } from 'node:timers/promises'
import { createQueue } from '../../../server/work-queue.ts'
import type { Mail, MailServer } from './smtp.ts'
import { MailFault } from './smtp.ts'

export type MailResult =
  | 'sent'
  /** `prepare` returned no mail. */
  | 'no-mail'
  /** The server refused the mail for good. */
  | 'refused'
  /** The mail server or the store was away for too long. */
  | 'given-up'
  /** The queue was full, or the app stopped. */
  | 'dropped'

export interface MailJob {
  /** Returns the mail, or null for none. Called again if it fails. */
  readonly prepare: () => Promise<Mail | null>
  /** Called once. */
  readonly onEnd: (result: MailResult, error?: unknown) => void
}

/** Sends mails after the answer to the viewer, so that no answer waits for the mail server. */
export interface MailQueue {
  add(job: MailJob): void
  /** Drops all mails that are not sent yet, and closes the connections. */
  close(): void
}

export interface MailQueueDeps {
  readonly server: MailServer
  /** Called with a failed attempt that is repeated later. */
  readonly onAway: (error: unknown) => void
  /** Called with each mail that was sent. */
  readonly onSent?: () => void
  /** Returns the time before the first attempt. Random, so that the load of an attempt tells nothing about a viewer. */
  readonly pauseMs?: () => number
  /** The times before further attempts. Together shorter than the life of a link. */
  readonly retryMs?: readonly number[]
}

const PARALLEL_JOBS = 2
/** Bounds the memory: ten times the default of RESET_MAILS_PER_HOUR. */
const MOST_JOBS = 1_000
const LONGEST_PAUSE_MS = 4_000
const RETRY_MS = [20_000, 120_000, 600_000]

/** Creates the queue. It is in memory: a stop of the app loses its mails, and viewers ask again. */
export function createMailQueue({
  server,
  onAway,
  onSent = () => {},
  pauseMs = () => Math.random() * LONGEST_PAUSE_MS,
  retryMs = RETRY_MS,
}: MailQueueDeps): MailQueue {
  const queue = createQueue({ width: PARALLEL_JOBS, queueLength: MOST_JOBS })
  const closing = new AbortController()
  const { signal } = closing
  let jobs = 0

  async function resultOf({ prepare }: MailJob): Promise<[MailResult, unknown?]> {
    let mail: Mail | null = null
    async function attempt(): Promise<MailResult> {
      // Prepared once: a repeated mail has the same link.
      mail ??= await prepare()
      if (mail === null) return 'no-mail'
      await server.send(mail)
      onSent()
      return 'sent'
    }
    const waitsMs = [pauseMs(), ...retryMs]
    while (true) {
      try {
        await sleep(waitsMs.shift(), null, { ref: false, signal })
        return [await queue.run(attempt, signal)]
      } catch (error) {
        if (error instanceof MailFault && error.isFinal) return ['refused', error]
        if (signal.aborted) return ['dropped', error]
        if (waitsMs.length === 0) return ['given-up', error]
        onAway(error)
      }
    }
  }
  return {
    add(job) {
      if (signal.aborted || jobs >= MOST_JOBS) return job.onEnd('dropped')
      jobs += 1
      void resultOf(job).then(([result, error]) => {
        jobs -= 1
        job.onEnd(result, error)
      })
    },
    close() {
      closing.abort()
      server.close()
    },
  }
}
