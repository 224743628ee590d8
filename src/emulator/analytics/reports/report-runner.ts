import type { DatabaseSync } from 'node:sqlite'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { z } from 'zod'
import { answerReport } from './answer-report.ts'
import type { ReportQuestion } from './report-question.ts'

/** What the thread is sent: it answers through the port, one chunk for each message that it gets there. */
export interface ReportJob {
  readonly question: ReportQuestion
  readonly port: MessagePort
}

export interface ReportRunner {
  /**
   * The body of the answer in chunks of UTF-8, each made when it is asked for.
   * @throws Error when the report fails; nothing that the caller asked can make it fail.
   */
  answer(question: ReportQuestion): AsyncGenerator<Uint8Array, void>
  close(): Promise<void>
}

/**
 * Reports on a database in a file are made by a thread of their own, so that a scan over a million segments holds up
 * nobody who signs in or plays meanwhile; it starts with the first report. A database in memory cannot be read from
 * another thread: its reports are made here, each in one go.
 */
export function openReportRunner(database: DatabaseSync): ReportRunner {
  const file = database.location()
  return file === null ? answerHere(database) : answerInThread(file)
}

function answerHere(database: DatabaseSync): ReportRunner {
  return {
    async *answer(question) {
      const chunks = [...answerReport(database, question)]
      yield* await Promise.resolve(chunks.map((chunk) => new TextEncoder().encode(chunk)))
    },
    close: () => Promise.resolve(),
  }
}

const Reply = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('chunk'), bytes: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('end') }),
  z.object({ kind: z.literal('failure'), message: z.string() }),
])

function answerInThread(file: string): ReportRunner {
  let worker: Worker | undefined
  const startWorker = () => {
    const started = new Worker(new URL('./worker/main.ts', import.meta.url), { workerData: { file } })
    // Whoever waits for an answer sees its port close; the next report starts a new thread.
    started.on('error', () => {})
    started.on('exit', () => {
      if (worker === started) worker = undefined
    })
    started.unref()
    return started
  }
  return {
    async *answer(question) {
      worker ??= startWorker()
      const { port1, port2 } = new MessageChannel()
      const ended = new Promise<never>((_resolve, reject) => {
        port1.once('close', () => reject(new Error('The thread that makes the reports ended before it had answered')))
      })
      ended.catch(() => {}) // it also closes when all is said
      worker.postMessage({ question, port: port2 } satisfies ReportJob, [port2])
      try {
        for (;;) {
          const reply = Reply.parse(await Promise.race([nextMessage(port1), ended]))
          if (reply.kind === 'end') return
          if (reply.kind === 'failure') throw new Error(`A report failed: ${reply.message}`)
          yield reply.bytes
        }
      } finally {
        port1.close()
      }
    },
    async close() {
      await worker?.terminate()
    },
  }
}

function nextMessage(port: MessagePort): Promise<unknown> {
  return new Promise((resolve) => {
    port.once('message', resolve)
    port.postMessage('next')
  })
}
