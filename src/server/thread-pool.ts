import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Returns a function that hands a job to a thread of its own, and resolves with its answer. The module posts one answer for each
 * message. Threads without a job are used again: they end with the process, and do not keep it running. The caller limits the
 * number of parallel jobs, and so of threads.
 */
export function threadPool<Job, Answer>(module: URL): (job: Job) => Promise<Answer> {
  const idle: Worker[] = []
  return async (job) => {
    const thread = idle.pop() ?? new Worker(module, { execArgv: [] })
    thread.ref()
    try {
      const answer = await answerOf<Answer>(thread, job)
      idle.push(thread)
      return answer
    } finally {
      thread.unref()
    }
  }
}

async function answerOf<Answer>(thread: Worker, job: unknown): Promise<Answer> {
  const settled = new AbortController()
  const { signal } = settled
  const ended = once(thread, 'exit', { signal }).then(([status]) => {
    throw new Error(`A thread ended with status ${status}`)
  })
  thread.postMessage(job)
  try {
    const [answer] = await Promise.race([once(thread, 'message', { signal }), ended])
    return answer
  } finally {
    settled.abort()
  }
}
