import { parentPort } from 'node:worker_threads'
import { type CryptJob, cryptDigest } from './crypt-digests.ts'

// The thread that crypt-threads.ts starts. It answers each job with its digest.
parentPort?.on('message', (job: CryptJob) => parentPort?.postMessage(cryptDigest(job)))
