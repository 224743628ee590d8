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

interface Attempt {
  readonly job: MailJob
  readonly number: number
  readonly mail: Mail | null
}

/** Creates the queue. It is in memory: a stop of the app loses its mails, and viewers ask again. */
export function createMailQueue({
  server,
  onAway,
  onSent = () => {},
  pauseMs = () => Math.random() * LONGEST_PAUSE_MS,
  retryMs = RETRY_MS,
}: MailQueueDeps): MailQueue {
  const timers = new Map<NodeJS.Timeout, MailJob>()
  const waiting: Attempt[] = []
  let running = 0
  let isClosed = false

  function later(attempt: Attempt, afterMs: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      waiting.push(attempt)
      next()
    }, afterMs).unref()
    timers.set(timer, attempt.job)
  }
  function next(): void {
    while (running < PARALLEL_JOBS) {
      const attempt = waiting.shift()
      if (attempt === undefined) return
      running += 1
      void run(attempt).finally(() => {
        running -= 1
        next()
      })
    }
  }
  async function run({ job, number, mail: prepared }: Attempt): Promise<void> {
    let mail = prepared
    try {
      // Prepared once: a repeated mail has the same link.
      mail ??= await job.prepare()
      if (mail === null) return job.onEnd('no-mail')
      await server.send(mail)
      onSent()
      job.onEnd('sent')
    } catch (error) {
      if (error instanceof MailFault && error.isFinal) return job.onEnd('refused', error)
      const afterMs = retryMs[number]
      if (afterMs === undefined || isClosed) return job.onEnd(isClosed ? 'dropped' : 'given-up', error)
      onAway(error)
      later({ job, number: number + 1, mail }, afterMs)
    }
  }
  return {
    add(job) {
      if (isClosed || timers.size + waiting.length + running >= MOST_JOBS) return job.onEnd('dropped')
      later({ job, number: 0, mail: null }, pauseMs())
    },
    close() {
      isClosed = true
      for (const [timer, job] of timers) {
        clearTimeout(timer)
        job.onEnd('dropped')
      }
      timers.clear()
      for (const { job } of waiting.splice(0)) job.onEnd('dropped')
      server.close()
    },
  }
}
