import { beforeEach, expect, test } from 'vitest'
import { KEY, openCodes } from '../../../../features/access-codes/codes-app.ts'
import { ADA } from '../../../../login/start-login-app.ts'
import { runHere } from '../../../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { emulatorOfTest } from '../../../video-service/client.ts'
import { startLoginAppBehindProxy } from '../../login-app-behind-proxy.ts'
import { runDoctor } from '../findings.ts'

let codes: ReturnType<typeof openCodes>
beforeEach(() => {
  codes = openCodes(() => Date.now() / 1000)
})

/** Starts the app with access codes. */
async function startApp(settings: Record<string, string> = {}) {
  const emulator = await emulatorOfTest()
  return await startLoginAppBehindProxy(emulator, {
    settings: {
      PLAYER_RETURN_URL: `${emulator.url}/embed/hashlock/pass`,
      PLAYER_ORIGINS: emulator.url,
      HASH_CONSUMERS: `${emulator.url}/chat/authorize/`,
      ACCESS_CODES: 'on',
      ACCESS_CODE_KEY: KEY,
      GUESTS_STORE_URL: `sqlite:${codes.file}`,
      ...settings,
    },
    app: { featureSettings: { guests: { store: { kind: 'sqlite', file: codes.file } } } },
  })
}
const doctor = (env: Record<string, string>, ...args: string[]) => runDoctor(args, { cwd: temporaryFolder(), env })
const WITHOUT_PAGES = { failure: [], warning: [] }
const UNKNOWN = ['no-lock', 'no-page']

test.each([
  ['beside the password form', {}, [...UNKNOWN, 'no-sign-in']],
  ['alone on the screen', { PASSWORD_FORM: 'off' }, UNKNOWN],
  ['with a name', { ACCESS_CODE_NAME: 'required', PASSWORD_FORM: 'off' }, UNKNOWN],
])('the doctor signs in with a code %s, and shows no code', async (_case, settings, unknown) => {
  const env = await startApp(settings)
  const [VIEWER_CODE = ''] = await codes.create()
  const { status, textOf, ...found } = await doctor({ ...env, VIEWER_CODE }, '--code')
  expect({ status, ...found }).toMatchObject({ status: 0, ...WITHOUT_PAGES, unknown })
  expect(found.ok).toEqual(expect.arrayContaining(['signed-in', 'viewer-returns']))
  expect(JSON.stringify(found.findings)).not.toContain(VIEWER_CODE)
})

test('the doctor reads a code from standard input, and never as an argument', async () => {
  const { VIEWER_PASSWORD: _none, ...env } = await startApp()
  const [code = ''] = await codes.create()
  const cwd = temporaryFolder()
  const { stdout } = await runHere(['doctor', '--json', '--code'], { cwd, env, stdin: `${code}\n` })
  expect(stdout).toContain('"signed-in"')
  expect((await runHere(['doctor', '--code', code], { cwd, env })).status).toBe(2)
  expect((await runHere(['doctor', '--code'], { cwd, env, stdin: '' })).stderr).toContain('No access code. Give it')
})

test('without a code, the sign-in at an entry point that has no other form is unknown', async () => {
  const env = await startApp({ PASSWORD_FORM: 'off' })
  const found = await doctor(env)
  expect(found).toMatchObject({ failure: [], warning: [], unknown: ['no-lock', 'no-page', 'no-sign-in'] })
  expect(found.textOf('no-sign-in')).toContain('with an access code (use --code)')
  expect((await doctor(env, '--viewer', 'ada')).warning).toEqual(['viewer-not-used'])
})

test.each<[string, string, () => Promise<string | undefined>]>([
  ['unknown', 'code-wrong', async () => 'CDF2-GHJ-KM3'],
  ['revoked', 'code-ended', async () => (await codes.create({ revokedAtSeconds: 1 }))[0]],
])('the doctor says that a code is %s', async (_case, finding, make) => {
  const env = await startApp()
  const VIEWER_CODE = (await make()) ?? ''
  expect(await doctor({ ...env, VIEWER_CODE }, '--code')).toMatchObject({ status: 1, failure: [finding] })
})

test('an entry point without access codes ignores a code', async () => {
  const env = { ...(await startApp({ ACCESS_CODES: 'off' })), VIEWER_CODE: 'CDF2-GHJ-KM3' }
  expect((await doctor(env, '--code')).warning).toEqual(['code-not-used'])
})

test('the doctor tries a password and a code in one run, and then no way in is unknown', async () => {
  const env = await startApp()
  const [VIEWER_CODE = ''] = await codes.create()
  const found = await doctor({ ...env, VIEWER_CODE }, '--code', '--viewer', ADA.username)
  expect(found.unknown).toEqual(UNKNOWN)
  expect(found.ok.filter((code) => code === 'signed-in')).toHaveLength(2)
})
