import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { makeCertificate } from '../../servers/certificate.ts'
import { freePort } from '../../servers/free-port.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const MARK = '---------- MESSAGE FOLLOWS ----------'
const STARTS_WITHIN_MS = 60_000

/** Starts Debian's `aiosmtpd` until the test ends. It accepts mails only after STARTTLS. */
export async function startDebianMailServer() {
  const folder = temporaryFolder()
  const { certificate, key } = await makeCertificate()
  const [caFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  writeFileSync(caFile, certificate)
  writeFileSync(keyFile, key)
  const port = await freePort()
  const args = ['-n', '-l', `127.0.0.1:${port}`, '--tlscert', caFile, '--tlskey', keyFile]
  const handler = ['-c', 'aiosmtpd.handlers.Debugging', 'stdout']
  const child = spawn('/usr/bin/aiosmtpd', [...args, ...handler], {
    env: { PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await untilListening(port)
  return {
    port,
    caFile,
    /** Waits for this many mails, and returns all of them as the server printed them, with their lines joined. */
    async received(count: number) {
      await expect.poll(() => printed.split(MARK).length - 1, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
      // Long lines of a mail end with "=" and continue in the next line.
      return printed.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
    },
  }
}

async function untilListening(port: number): Promise<void> {
  const lastTryMs = performance.now() + STARTS_WITHIN_MS
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    if (performance.now() > lastTryMs) throw new Error('aiosmtpd does not start')
    await wait(50)
  }
}
