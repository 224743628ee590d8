import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ReadMail, readMail } from './read-mail.ts'

export interface SunkMail extends ReadMail {
  readonly to: readonly string[]
}

const HOST = '127.0.0.1'
const MAX_MAIL_BYTES = 1_000_000

export const MAIL_SINK_MISSING = 'The package smtp-server is not installed. Run "npm ci" without --omit=dev.'

/** The package is for development, and a production install leaves it out. */
export function isMailSinkInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('smtp-server')
    return true
  } catch {
    return false
  }
}

/**
 * Starts an SMTP server on loopback that takes all mails and passes none on.
 * @param port 0 picks a free port.
 * @throws the error of the system if the port is in use.
 */
export async function startMailSink(port: number, onMail: (mail: SunkMail) => void) {
  const { SMTPServer } = await import('smtp-server')
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    closeTimeout: 1,
    onData(stream, { envelope }, done) {
      // The second `done` takes the error of a client that stops in the middle of a mail.
      void text(stream).then((raw) => {
        onMail({ to: envelope.rcptTo.map(({ address }) => address), ...readMail(raw) })
        done()
      }, done)
    },
  })
  const failed = once(server, 'error').then(([error]) => Promise.reject(error))
  // A client that gives up is expected.
  server.on('error', () => {})
  failed.catch(() => {})
  const listening = server.listen(port, HOST)
  await Promise.race([once(listening, 'listening'), failed])
  return {
    port: (listening.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
