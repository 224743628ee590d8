import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../browser/launch.ts'
import { press, typeText } from '../../browser/press-and-type.ts'
import { freePort } from '../../servers/free-port.ts'
import { temporaryFolder } from './demo/demo-program.ts'
import { waitUntilPlaying } from './player/viewer.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const ADA = { username: 'ada@example.com', password: 'seven quiet herons' }

let checkout: Awaited<ReturnType<typeof temporaryFolder>>
let ports: { service: number; login: number }
const running: ChildProcess[] = []

beforeAll(async () => {
  checkout = await temporaryFolder()
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const file of files.toString().split('\0').filter(Boolean)) {
    mkdirSync(join(checkout.path, dirname(file)), { recursive: true })
    cpSync(join(ROOT, file), join(checkout.path, file))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout.path, 'node_modules'))
  ports = { service: await freePort(), login: await freePort() }
})

afterAll(async () => {
  for (const child of running.toReversed()) await stop(child)
  rmSync(join(checkout.path, 'node_modules'))
  await checkout.remove()
})

/** Reads the commands of a section. Replaces the two ports, which may be in use. */
function blocksOf(section: string): string[] {
  const readme = readFileSync(join(ROOT, 'src/tools/emulator/README.md'), 'utf8')
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ''
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
    block.replaceAll(':4000', `:${ports.service}`).replaceAll(':3000', `:${ports.login}`),
  )
}

function shell(block: string): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  const settings = { EMULATOR_PORT: String(ports.service), PORT: String(ports.login) }
  return spawn('bash', ['-euo', 'pipefail', '-c', block], {
    cwd: checkout.path,
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // One process group, so that stop() also ends what npm starts.
    detached: true,
  })
}

/** Runs a block whose last command keeps running. Resolves when it has printed the text. */
async function keepRunning(block: string, text: string): Promise<void> {
  const child = shell(block)
  running.push(child)
  let output = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
        if (output.includes(text)) resolve()
      })
    }
    child.once('exit', () => reject(new Error(`The block ended:\n${output}`)))
  })
}

/** Runs a block, expects status 0 and returns its output. */
async function run(block: string): Promise<string> {
  const child = shell(block)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [status] = await once(child, 'close')
  expect(status, output).toBe(0)
  return output
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const exited = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await exited
}

async function watchAsAda(): Promise<void> {
  const browser = await launchBrowser('chromium')
  try {
    const { page, waitForFrame } = await browser.openPage()
    await page.goto(`http://page.localhost:${ports.service}/channel/1002`)
    const player = await waitForFrame(`http://127.0.0.1:${ports.service}/embed/`)
    await press(player, '[data-log-in]')
    const login = await waitForFrame(`http://localhost:${ports.login}/`)
    await typeText(login, '#username', ADA.username)
    await typeText(login, '#password', ADA.password)
    await press(login, '#sign-in .primary')
    await waitUntilPlaying(player)
  } finally {
    await browser.close()
  }
}

test('the commands of src/tools/emulator/README.md lead to a report that shows what a viewer watched', async () => {
  const [service, app, customer, check, reports, ...others] = blocksOf('The whole way, on one machine')
  expect(others).toEqual([])
  await keepRunning(service ?? '', 'The emulated video service is at')
  await keepRunning(app ?? '', '"event":"started"')

  const done = await run(customer ?? '')
  expect(done).toMatch(/^[0-9a-f]{40}$/m)
  expect(done).toMatch(/^Created channel \d+: /m)
  expect(done).toMatch(/lock of channel 1002/)
  expect(done).toMatch(/lock of video 2001/)
  expect(await run(check ?? '')).toContain(' 0 failures, 0 unknown')

  await watchAsAda()
  const [table = '', json = ''] = (await run(reports ?? '')).split(/^(?=\[)/m)
  expect(table).toContain(ADA.username)
  expect(table).toContain('Open studio')
  expect(json).toContain(`"viewer_identifier":"${ADA.username}"`)
  expect(readFileSync(join(checkout.path, 'data/views.html'), 'utf8')).toContain(ADA.username)
})
