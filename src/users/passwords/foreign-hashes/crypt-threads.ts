import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CryptJob } from './crypt-digests.ts'

/** Threads without a job. They end with the process, and do not keep it running. */
const idle: Worker[] = []

/**
 * Computes a digest in a thread, so that other requests go on. Node has no asynchronous function for these digests. The
 * caller limits the number of parallel jobs, and so of threads: see work-queue.ts.
 */
export async function cryptDigestInThread(job: CryptJob): Promise<Buffer> {
  const thread = idle.pop() ?? new Worker(new URL('./crypt-thread.ts', import.meta.url), { execArgv: [] })
  thread.ref()
  try {
    const digest = await answerOf(thread, job)
    idle.push(thread)
    return digest
  } finally {
    thread.unref()
  }
}

async function answerOf(thread: Worker, job: CryptJob): Promise<Buffer> {
  const settled = new AbortController()
  const { signal } = settled
  const ended = once(thread, 'exit', { signal }).then(([status]) => {
    throw new Error(`A hashing thread ended with status ${status}`)
  })
  thread.postMessage(job)
  try {
    const [digest] = await Promise.race([once(thread, 'message', { signal }), ended])
    return Buffer.from(digest)
  } finally {
    settled.abort()
  }
}
