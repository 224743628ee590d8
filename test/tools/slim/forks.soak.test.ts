import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { slimmed, write } from '../../../src/tools/slim/slim.ts'
import { freePort } from '../../servers/free-port.ts'
import { SETTINGS } from '../../settings.ts'
import { type Copy, copyOf, ROOT } from './copy.ts'

/** The kit of this commit, as a fork makes it. */
let copy: Copy
beforeAll(async () => {
  copy = await copyOf('HEAD')
})
afterAll(() => copy.remove())

const NODE = join(ROOT, 'node_modules/.bin/node')

/** Starts the login app of the copy. @returns its address. */
async function startApp(settings: Readonly<Record<string, string>>): Promise<string> {
  const port = await freePort()
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

describe('a fork with passwords in SQLite and the hash', () => {
  test('viewers add and npm start sign a viewer in over HTTP', async () => {
    write(copy.folder, slimmed(copy.folder, ['sqlite', 'hash']))
    const store = { USER_STORE_URL: `sqlite:${join(copy.folder, 'viewers.db')}` }
    const added = await copy.run(
      `printf 'a long pass phrase 7' | USER_STORE_URL='${store.USER_STORE_URL}' node src/tools/cli/main.ts viewers add ada@example.com`,
    )
    expect(added).toMatchObject({ ok: true })
    const url = await startApp({ ...store, SESSION_STORE_URL: `sqlite:${join(copy.folder, 'sessions.db')}` })
    const answer = await fetch(`${url}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: url },
      body: new URLSearchParams({ username: 'ada@example.com', password: 'a long pass phrase 7' }),
    })
    expect(answer.status).toBe(303)
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('hash')).toContain('"user":"ada@example.com"')
    expect(JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8')).slim).toEqual({
      keep: ['sqlite', 'hash'],
    })
  })
})
