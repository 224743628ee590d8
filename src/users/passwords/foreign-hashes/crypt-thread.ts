import { parentPort } from 'node:worker_threads'
import { type CryptJob, cryptDigest } from './crypt-digests.ts'

// A thread of crypt.ts. It answers each job with its digest.
parentPort?.on('message', (job: CryptJob) => parentPort?.postMessage(cryptDigest(job)))
