import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { checkViewerToken } from '../../../src/features/token/viewer-token/token-check.ts'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { CLIENT, startProvider } from '../../features/sso/start-provider.ts'
import { cookiesOf, fieldOf, refreshOf, visitProvider } from '../../features/sso/start-sso.ts'
import { CONTENT_KEY } from '../../features/token/viewer-token/jwcrypto-vectors.ts'
import { BUILD_KEYS, CHECK_KEYS } from '../../features/token/viewer-token/token-keys.ts'
import { freePort } from '../../servers/free-port.ts'
import { SETTINGS } from '../../settings.ts'
import { startExampleService } from '../../users/http/example-service.ts'
import { type Copy, copyOf, ROOT } from './copy.ts'

/** The kit of this commit, as a fork makes it. */
let copy: Copy
beforeAll(async () => {
  copy = await copyOf('HEAD')
})
afterAll(() => copy.remove())

const NODE = join(ROOT, 'node_modules/.bin/node')

beforeEach(() => copy.reset())

/** Starts the login app of the copy. @returns its address. */
async function startApp(settings: Readonly<Record<string, string>>, port?: number): Promise<string> {
  port ??= await freePort()
  const url = `http://localhost:${port}`
  const env = {
    PATH: process.env.PATH,
    ...SETTINGS,
    ...settings,
    PUBLIC_URL: url,
    PORT: String(port),
    HOST: '127.0.0.1',
  }
  const child = spawn(NODE, ['--require=./src/require-node.cjs', 'src/main.ts'], {
    cwd: copy.folder,
    env,
    stdio: 'ignore',
  })
  onTestFinished(async () => {
    child.kill()
    await once(child, 'exit')
  })
  await expect
    .poll(
      () =>
        fetch(`${url}/health/ready`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(200)
  return url
}

/** Sends a form as the browser of a viewer does. */
async function post(address: string, form: Readonly<Record<string, string>>): Promise<Page> {
  const { origin } = new URL(address)
  const headers = { origin, 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' }
  return await pageOf(
    await fetch(address, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) }),
  )
}

interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly setCookies: readonly string[]
  readonly text: string
}

async function pageOf(response: Response): Promise<Page> {
  const { status, headers } = response
  const text = await response.text()
  return { status, headers: Object.fromEntries(headers), setCookies: headers.getSetCookie(), text }
}

function hashOf({ headers }: Page): string {
  return new URL(headers.location ?? '').searchParams.get('hash') ?? ''
}

describe('a fork with passwords in SQLite and the hash', () => {
  test('viewers add and npm start sign a viewer in over HTTP', async () => {
    write(copy.folder, slimmed(copy.folder, ['sqlite', 'hash']))
    const store = { USER_STORE_URL: `sqlite:${join(copy.folder, 'viewers.db')}` }
    const added = await copy.run(
      `printf 'a long pass phrase 7' | USER_STORE_URL='${store.USER_STORE_URL}' node src/tools/cli/main.ts viewers add ada@example.com`,
    )
    expect(added).toMatchObject({ ok: true })
    const url = await startApp({ ...store, SESSION_STORE_URL: `sqlite:${join(copy.folder, 'sessions.db')}` })
    const answer = await post(`${url}/sign-in`, { username: 'ada@example.com', password: 'a long pass phrase 7' })
    expect(answer.status).toBe(303)
    expect(hashOf(answer)).toContain('"user":"ada@example.com"')
    expect(JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8')).slim).toEqual({
      keep: ['sqlite', 'hash'],
    })
  })
})

test('a fork with single sign-on only signs a viewer in over HTTP', async () => {
  write(copy.folder, slimmed(copy.folder, ['sso', 'sqlite']))
  const port = await freePort()
  const { issuer } = await startProvider({ redirectUri: `http://localhost:${port}/sso/callback`, signsIn: 'ada' })
  const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.clientId, OIDC_CLIENT_SECRET: CLIENT.secret }
  const data = { SESSION_STORE_URL: `sqlite:${join(copy.folder, 'sessions.db')}` }
  const url = await startApp({ ...data, ...oidc, SSO_ONLY: 'on' }, port)
  const screen = await pageOf(await fetch(url))
  const started = await post(`${url}/sso/start`, { flow: fieldOf(screen, 'flow') })
  const path = await visitProvider(refreshOf(started))
  const done = await fetch(`${url}${path}`, { headers: { cookie: cookiesOf(started) } })
  expect(done.status).toBe(200)
  const answer = await post(`${url}/sso/continue`, { wait: fieldOf(screen, 'wait') })
  expect(hashOf(answer)).toContain('"user":"ada@example.com"')
})

test('a fork with an HTTP store and tokens signs a viewer in over HTTP', async () => {
  write(copy.folder, slimmed(copy.folder, ['http', 'token']))
  const { kid, publicKey } = BUILD_KEYS.serviceKey
  const keys = [{ ...publicKey.export({ format: 'jwk' }), use: 'enc', kid }]
  const service = createServer((_req, res) => void res.end(JSON.stringify({ keys })))
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void service.close())
  const store = await startExampleService()
  const ref = 'https://player.example/embed/1002'
  const url = await startApp({
    SESSION_STORE_URL: `sqlite:${join(copy.folder, 'sessions.db')}`,
    USER_STORE_URL: store.url,
    HTTP_STORE_TOKEN: store.token,
    VIEWER_AUTH: 'token',
    CONTENT_KEY: CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' }).toString(),
    SERVICE_VIEWER_KEY_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/keys.json`,
    REF_ADDRESSES: ref,
  })
  const answer = await post(`${url}/sign-in`, { username: 'ada@example.com', password: 'seven quiet herons', ref })
  const token = new URL(answer.headers.location ?? '').searchParams.get('vt') ?? ''
  const check = await checkViewerToken(token, CHECK_KEYS, Date.now() / 1000)
  expect(check).toMatchObject({ ok: true, subject: 'Ada@example.com' })
})

test('a fork takes in the last 50 commits by merges, with conflicts only in files that it edited', async () => {
  const must = async (command: string) => {
    const { ok, output } = await copy.run(command)
    if (!ok) throw new Error(`${command}\n${output}`)
    return output.trim()
  }
  // The history starts where this could be removed first.
  const since = await must('git log --format=%H --diff-filter=A -- src/tools/slim/merge.ts')
  const history = (await must(`git rev-list --reverse --first-parent ${since}..HEAD`)).split('\n')
  const releases = history.slice(-50)
  const commit = (message: string) => must(`git add --all && git commit --quiet --allow-empty -m '${message}'`)
  const slim = `node '${ROOT}/src/tools/slim/main.ts'`
  await must(`git checkout --quiet -B fork ${releases[0]}^`)
  await copy.run(`${slim} --keep sqlite,hash`)
  appendFileSync(join(copy.folder, 'public/style.css'), '\n.own {\n  color: teal;\n}\n')
  await commit('a fork')
  const conflicts: string[] = []
  for (const release of releases) {
    await copy.run(`git merge --quiet --no-edit ${release}`)
    await copy.run(slim)
    const unmerged = await must('git diff --name-only --diff-filter=U')
    if (unmerged !== '') conflicts.push(`${release}: ${unmerged}`)
    await commit(`take in ${release}`)
  }
  expect(conflicts).toEqual([])
  expect(await must('git ls-files src/features src/users/ldap')).toBe('')
  expect(await copy.run('tsc')).toMatchObject({ ok: true })
}, 3_600_000)
