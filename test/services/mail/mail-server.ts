import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished } from 'vitest'
import type { MailServerSettings } from '../../../src/services/mail/settings.ts'

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as sent. */
  readonly raw: string
  /** The decoded parts of the body. */
  readonly text: string
  readonly html: string
  readonly isEncrypted: boolean
}

/** The settings for a mail server of a test. */
export function mailSettings(port: number, changed: Partial<MailServerSettings> = {}): MailServerSettings {
  const from = { name: 'Example Video', address: 'login@example.com' }
  return { host: '127.0.0.1', port, tls: 'none', ca: null, auth: null, from, ...changed }
}

export type TestMailServer = Awaited<ReturnType<typeof startMailServer>>

/** Starts an SMTP server on loopback until the test ends. Without other options: no TLS, no authentication. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0) {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: options.onAuth === undefined,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    logger: false,
    closeTimeout: 1,
    onData(stream, { envelope, secure }, done) {
      // The second `done` takes the error of a client that stops in the middle of a mail.
      void text(stream).then((raw) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        const plain = partOf(raw, 'text/plain')
        const html = partOf(raw, 'text/html')
        mails.push({ from, to, raw, text: plain, html, isEncrypted: secure })
        done()
      }, done)
    },
    ...options,
  })
  // A client that gives up is expected.
  server.on('error', () => {})
  const listening: Server = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await new Promise<void>((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return {
    port: (listening.address() as AddressInfo).port,
    mails,
    close,
    /** Waits until this many mails have come. */
    async received(count: number) {
      await expect.poll(() => mails.length, { timeout: 60_000, interval: 20 }).toBeGreaterThanOrEqual(count)
      return mails
    },
  }
}

/** Returns the decoded part of a mail with this type; empty without one. */
function partOf(raw: string, type: string): string {
  const boundary = /^content-type: multipart\/alternative;\s+boundary="([^"]+)"/im.exec(raw)?.[1]
  const parts = boundary === undefined ? [raw] : raw.split(`--${boundary}`).slice(1)
  const part = parts.find((found) => found.split('\r\n\r\n')[0]?.toLowerCase().includes(`content-type: ${type}`))
  return part === undefined ? '' : bodyOf(boundary === undefined ? part : part.replace(/\r\n$/, ''))
}

/** Returns the decoded text of a mail with one part, or of a part. */
function bodyOf(raw: string): string {
  const [headers = '', ...rest] = raw.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const encoding = /^content-transfer-encoding: (.+)$/im.exec(headers)?.[1]?.trim()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** Returns the token of the link in a mail. */
export function tokenIn({ text: body }: ReceivedMail): string {
  return /\/account\/new-password\?token=([\w-]+)/.exec(body)?.[1] ?? expect.unreachable(`no link in ${body}`)
}
