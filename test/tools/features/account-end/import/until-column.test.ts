import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../../cli/sqlite/run-here.ts'

/** The hash of "U*U", with low costs. In quotes, because it contains commas. */
const uHash = '"$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$QxB8Tx0ONZDfSHPcb5PABwFzSnQHFblwwKunoe4Dj/A"'

/** Makes a folder with viewers. Rows: `NAME,GROUPS,UNTIL`. */
async function folderWith(...rows: string[]): Promise<string> {
  const cwd = temporaryFolder()
  expect(await importRows(cwd, rows)).toMatchObject({ status: 0, stderr: '' })
  return cwd
}

function importRows(cwd: string, rows: readonly string[], header = 'username,groups,until', ...options: string[]) {
  const file = join(cwd, 'viewers.csv')
  writeFileSync(file, [`${header},password_hash`, ...rows.map((row) => `${row},${uHash}`)].join('\n'))
  return runHere(['viewers', 'import', file, ...options], { cwd })
}

async function viewersIn(cwd: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await runHere(['viewers', 'list', '--json'], { cwd })
  return JSON.parse(stdout) as Record<string, unknown>[]
}

async function endsIn(cwd: string): Promise<unknown[]> {
  const viewers = await viewersIn(cwd)
  return viewers.map(({ username, attributes, state }) => [
    username,
    (attributes as Record<string, string>).accountEndsAt ?? null,
    state,
  ])
}

test('the column until gives accounts an end, which viewers list and viewers show name', async () => {
  const cwd = await folderWith('ada,,2099-11-30T20:00+01:00', 'bob,,2020-01-01T00:00Z', 'eve,,', 'fay,,never')
  expect(await endsIn(cwd)).toEqual([
    ['ada', '2099-11-30T20:00:00+01:00', 'active'],
    ['bob', '2020-01-01T00:00:00Z', 'ended'],
    ['eve', null, 'active'],
    ['fay', null, 'active'],
  ])
  const { stdout } = await runHere(['viewers', 'show', 'bob'], { cwd })
  expect(stdout).toMatch(/^State +ended$/m)
  expect(stdout).toContain('accountEndsAt=2020-01-01T00:00:00Z')
})

test('a later import with --update moves an end, and an empty cell removes it', async () => {
  const cwd = await folderWith('ada,,2099-11-30T20:00Z', 'bob,,2099-11-30T20:00Z', 'eve,,2099-11-30T20:00Z')
  const rows = ['ada,2099-12-01T10:00Z', 'bob,', 'eve,never']
  await importRows(cwd, rows, 'username,until', '--update')
  expect(await endsIn(cwd)).toEqual([
    ['ada', '2099-12-01T10:00:00Z', 'active'],
    ['bob', null, 'active'],
    ['eve', null, 'active'],
  ])
})

test.each([
  ['username,until', 'ada,soon', /"until" is not a time/],
  ['username,accountEndsAt', 'ada,2099-11-30', /accountEndsAt that is not a time with a zone/],
  ['username,until,accountEndsAt', 'ada,2099-11-30,2099-11-30T00:00Z', /both an until and an accountEndsAt/],
])('an import refuses the row of the columns %s with %s', async (header, row, fault) => {
  const cwd = temporaryFolder()
  const { status, stderr } = await importRows(cwd, [row], header)
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(fault) })
  expect(await viewersIn(cwd)).toEqual([])
})

test('an end from a column of another name is read with --column', async () => {
  const cwd = temporaryFolder()
  await importRows(cwd, ['ada,2099-11-30T20:00Z'], 'username,valid_to', '--column', 'until=valid_to')
  expect(await endsIn(cwd)).toEqual([['ada', '2099-11-30T20:00:00Z', 'active']])
})
