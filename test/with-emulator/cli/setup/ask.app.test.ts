import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newSecret } from '../../../../src/tools/cli/settings/secret-command.ts'
import { type Answers, askAtTerminal, Cancelled } from '../../../../src/tools/cli/setup/ask.ts'
import { setLock } from '../../../../src/tools/cli/setup/finish.ts'
import { questionsOfStore } from '../../../../src/tools/cli/setup/questions.ts'
import { STEPS } from '../../../../src/tools/cli/setup/steps.ts'
import type { Trial } from '../../../../src/tools/cli/setup/trial.ts'
import { startTrial, tryOut } from '../../../../src/tools/cli/setup/try-out.ts'
import { programSettings } from '../../../../src/tools/emulator/developer/program-settings.ts'
import { features } from '../../../../src/tools/features.ts'
import { readLock } from '../../../../src/tools/video-service/locks.ts'
import { userStores } from '../../../../src/users/open-user-store.ts'
import { viewersUrl } from '../../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { apiOf, emulatorOfTest } from '../../video-service/client.ts'

vi.setConfig({ testTimeout: 180_000 })

const enter = '\r'
const ctrlC = '\u0003'
const clearLine = '\u0015'

/** Asks at a terminal. At each text that appears, types the answer of that step. */
async function atTerminal(
  steps: readonly (readonly [sees: string, types: string])[],
  env: Record<string, string> = {},
  work: (trial: Trial, answers: Answers) => Promise<unknown> = tryOut,
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 200, rows: 30 })
  const io = { env, stdin, stdout: new PassThrough(), stderr, onInterrupt: () => () => {} }
  let seen = ''
  let from = 0
  stderr.setEncoding('utf8').on('data', (text: string) => {
    seen += stripVTControlCharacters(text)
  })
  const context = { io, features, status: 0 as const }
  const trial = startTrial(context, '', {}, new AbortController().signal)
  const ended = work(trial, askAtTerminal(io)).catch((error: unknown) => error)
  for (const [sees, types] of steps) {
    await expect.poll(() => seen.indexOf(sees, from), { interval: 5, timeout: 20_000 }).toBeGreaterThanOrEqual(0)
    from = seen.length
    // The prompt listens one tick after it has drawn itself.
    await pause(0)
    stdin.write(types)
  }
  return { result: await ended, seen, trial }
}

test('setup asks at most ten questions with the password, and again after a wrong answer', async () => {
  const { url, seed } = await emulatorOfTest()
  const [client] = seed.clients
  const steps = [
    ['Address of this app', `${clearLine}http://login.example.com${enter}`],
    ['PUBLIC_URL must be https', `${clearLine}http://localhost:1${enter}`],
    ['Where the viewers are', `${clearLine}${viewersUrl(temporaryFolder())}${enter}`],
    ['Return address of the player', `${url}/embed/hashlock/pass${enter}`],
    ['Pages that embed', `${url}/channel/1002${enter}`],
    ['Addresses of the video service', `${url}${enter}`],
    ['Client id and client secret', `${client?.client_id} ${client?.client_secret}${enter}`],
    ['Id of the channel', `1002${enter}`],
    ['User name of a viewer', `ada@example.com${enter}`],
  ] as const
  // One wrong answer, and the password of the viewer, which is asked for at the end.
  expect(steps.length - 1 + 1).toBeLessThanOrEqual(10)
  const { result, seen, trial } = await atTerminal(steps)
  expect(result).toBeNull()
  expect(trial.changes).toMatchObject({ PUBLIC_URL: 'http://localhost:1', PORT: '1', SERVICE_BASE_URL: url })
  expect(trial.answers).toMatchObject({ CHANNEL: '1002', VIEWER: 'ada@example.com' })
  expect(seen).not.toContain(client?.client_secret)
})

test('setup asks for the channel again if the service does not have it', async () => {
  const emulator = await emulatorOfTest()
  const url = 'http://localhost:3000'
  const secrets = { HASH_SECRET: newSecret(), SESSION_SECRET: newSecret() }
  const env = { PUBLIC_URL: url, ...secrets, ...programSettings(emulator.url, emulator.seed) }
  const folder = process.cwd()
  process.chdir(temporaryFolder())
  onTestFinished(() => process.chdir(folder))
  const steps = [['Id of the channel', `${clearLine}1002${enter}`]] as const
  const { result, seen } = await atTerminal(steps, env, async (trial, answers) => {
    trial.answers = { CHANNEL: '9999' }
    await setLock(trial, answers)
    return trial.answers.CHANNEL
  })
  expect([result, seen]).toEqual(['1002', expect.stringContaining('No channel has this id')])
  expect(await readLock(apiOf(emulator), { kind: 'channel', id: '1002' })).toMatchObject({ url: `${url}/` })
})

test('the settings that a directory needs are questions, and Ctrl-C ends them', async () => {
  const steps = [
    ['Address of this app', enter],
    ['Where the viewers are', `${clearLine}ldaps://directory.example${enter}`],
    ['LDAP_BIND_DN', `cn=reader,dc=example${enter}`],
    ['LDAP_BIND_PASSWORD', ctrlC],
  ] as const
  const { result } = await atTerminal(steps)
  expect(result).toBeInstanceOf(Cancelled)
})

test('after a fault of a certificate, the file of its authority is a question', () => {
  for (const name of Object.keys(userStores.settings).filter((one) => one.endsWith('_CA_FILE'))) {
    const asked = (fault: string) => questionsOfStore({ env: {}, fault }).map((question) => question.name)
    expect([asked(''), asked(`Check ${name}, ${name} and the address.`)]).toEqual([[], [name]])
  }
})

test('after nine questions, setup leaves out the viewer, whose password would be the eleventh', () => {
  const asked = (count: number) => {
    const answers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`QUESTION_${index}`, '']))
    return [...(STEPS.at(-1)?.questions({ answers } as Trial) ?? [])].map(({ name }) => name)
  }
  expect([asked(8), asked(9)]).toEqual([['VIEWER'], []])
})
