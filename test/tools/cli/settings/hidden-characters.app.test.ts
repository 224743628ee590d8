import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const HIDDEN = ['ada\u200b@example.com', '\u202abob@example.com', 'mailto:eve@example.com', 'joe\u2060', "o'hara\u00ad"]
const PLAIN = ['zoe@example.com', 'Zo\u00eb', 'fay smith', '\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645']

/** Creates a file with these viewers, as imports of earlier releases stored them. */
async function folderWith(names: readonly string[]) {
  const cwd = temporaryFolder()
  const store = openEditableSqliteStore(join(cwd, 'viewers.db'))
  for (const username of names) await store.add({ username, groups: [], attributes: {} }, 'correct horse battery')
  await store.close()
  const run = (...args: string[]) =>
    runHere(args, { cwd, env: { USER_STORE_URL: `sqlite:${join(cwd, 'viewers.db')}` } })
  const check = async () => {
    const { stdout } = await run('store', 'check', '--json')
    const { findings } = JSON.parse(stdout) as { findings: { code: string; state: string; text: string }[] }
    return findings.find(({ code }) => code === 'hidden-characters')
  }
  return { run, check, cwd }
}

test('store check names the user names that viewers cannot type, as a shell reads them', async () => {
  const { check } = await folderWith([...HIDDEN, ...PLAIN])
  const found = await check()
  expect(found).toMatchObject({ state: 'warning', text: expect.stringContaining('5 user names') })
  const quoted = [...(found?.text ?? '').matchAll(/\$'[^']*'/g)].map(([text]) => text)
  const read = execFileSync('bash', ['-c', `printf '%s\\n' ${quoted.join(' ')}`], {
    encoding: 'utf8',
    env: { LC_ALL: 'C' },
  })
  expect(read.trim().split('\n').toSorted()).toEqual(HIDDEN.toSorted())
  for (const name of PLAIN) expect(found?.text).not.toContain(name)
})

test('what store check advises adds the clean names with their passwords, and removes the others', async () => {
  const { run, check, cwd } = await folderWith(HIDDEN.slice(0, 2))
  await run('viewers', 'export', '--output', 'viewers.jsonl')
  expect(await run('viewers', 'import', 'viewers.jsonl')).toMatchObject({ status: 0 })
  for (const name of HIDDEN.slice(0, 2)) {
    expect(await run('viewers', 'remove', name, '--yes')).toMatchObject({ status: 0 })
  }
  expect(await check()).toBeUndefined()
  const store = openEditableSqliteStore(join(cwd, 'viewers.db'))
  expect(await store.authenticate('ada@example.com', 'correct horse battery')).toMatchObject({ ok: true })
  await store.close()
})
