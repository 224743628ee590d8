import { createQueue } from '../../server/work-queue.ts'
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
export type MailQueue = ReturnType<typeof createMailQueue>

export interface MailQueueDeps {
  readonly server: MailServer
  /** The queue has a place for each of them, for example while the mail server is away. */
  readonly mailsPerHour: number
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
/** Bounds the memory. The rest of the queue is for notices and for names that turn out to be unknown. */
const FEWEST_PLACES = 1_000
const LONGEST_PAUSE_MS = 4_000
const RETRY_MS = [20_000, 120_000, 600_000]

/** Creates the queue. It is in memory: a stop of the app loses its mails, and viewers ask again. */
export function createMailQueue({
  server,
  mailsPerHour,
  onAway,
  onSent = () => {},
  pauseMs = () => Math.random() * LONGEST_PAUSE_MS,
  retryMs = RETRY_MS,
}: MailQueueDeps) {
  const mostJobs = FEWEST_PLACES + mailsPerHour
  const queue = createQueue({ width: PARALLEL_JOBS, queueLength: mostJobs })
  /** Ends a pause early. A set, because a signal with thousands of listeners blocks the process. */
  const pauses = new Set<() => void>()
  let isClosed = false
  let jobs = 0

  function pause(ms: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(end, ms)
    function end() {
      clearTimeout(timer)
      pauses.delete(end)
      resolve()
    }
    pauses.add(end)
    return promise
  }
  async function resultOf({ prepare }: MailJob): Promise<[MailResult, unknown?]> {
    let mail: Mail | null = null
    async function attempt(): Promise<MailResult> {
      if (isClosed) return 'dropped'
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
        await pause(waitsMs.shift())
        return [isClosed ? 'dropped' : await queue.run(attempt)]
      } catch (error) {
        if (error instanceof MailFault && error.isFinal) return ['refused', error]
        if (isClosed) return ['dropped', error]
        if (waitsMs.length === 0) return ['given-up', error]
        onAway(error)
      }
    }
  }
  return {
    add(job: MailJob): void {
      if (isClosed || jobs >= mostJobs) return void job.onEnd('dropped')
      jobs += 1
      void resultOf(job).then(([result, error]) => {
        jobs -= 1
        job.onEnd(result, error)
      })
    },
    /** Drops all mails that are not sent yet, and closes the connections. */
    close(): void {
      isClosed = true
      for (const end of pauses) end()
      server.close()
    },
  }
}
