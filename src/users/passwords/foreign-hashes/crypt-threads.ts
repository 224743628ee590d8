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

function answerOf(thread: Worker, job: CryptJob): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const onMessage = (digest: Uint8Array) => settle(() => resolve(Buffer.from(digest)))
    const onError = (error: unknown) => settle(() => reject(error))
    const onExit = (status: number) => settle(() => reject(new Error(`A hashing thread ended with status ${status}`)))
    const settle = (settled: () => void) => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit)
      settled()
    }
    thread.on('message', onMessage).on('error', onError).on('exit', onExit)
    thread.postMessage(job)
  })
}
