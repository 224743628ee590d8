import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { answerReport } from '../answer-report.ts'
import type { ReportJob } from '../report-runner.ts'

const { file } = z.object({ file: z.string() }).parse(workerData)

parentPort?.on('message', ({ question, port }: ReportJob) => {
  const chunks = openAnswer(question)
  port.on('message', () => sendNextChunk(chunks, port))
  port.on('close', () => chunks.return())
})

/**
 * Each answer reads through a connection of its own, in one transaction: it sees the segments as they were at one moment,
 * however slowly it is fetched and whatever is recorded meanwhile.
 */
function* openAnswer(question: ReportJob['question']): Generator<string, void> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  try {
    database.exec('PRAGMA mmap_size = 1073741824; BEGIN')
    yield* answerReport(database, question)
  } finally {
    database.close()
  }
}

/** The bytes change hands without being copied. */
function sendNextChunk(chunks: Generator<string, void>, port: MessagePort): void {
  try {
    const { done, value } = chunks.next()
    if (done === true) {
      port.postMessage({ kind: 'end' })
    } else {
      const bytes = new TextEncoder().encode(value)
      port.postMessage({ kind: 'chunk', bytes }, [bytes.buffer])
    }
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    port.postMessage({ kind: 'failure', message })
  }
}
