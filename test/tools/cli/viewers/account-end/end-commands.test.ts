import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../sqlite/run-here.ts'

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

test('viewers set-end sets, moves and removes an end, and says how it understood the time', async () => {
  const cwd = await folderWith('Ada,staff,')
  const setEnd = (until: string) => runHere(['viewers', 'set-end', 'ada', '--until', until], { cwd })
  expect(await setEnd('2099-11-30T20:00+01:00')).toEqual({
    status: 0,
    stdout: 'Set the end of Ada. End: Monday, November 30, 2099 at 8:00 PM GMT+1 (2099-11-30T20:00:00+01:00).\n',
    stderr: '',
  })
  expect((await setEnd('2020-01-01T00:00Z')).stdout).toContain('in the past')
  expect(await endsIn(cwd)).toEqual([['Ada', '2020-01-01T00:00:00Z', 'ended']])
  expect(await setEnd('never')).toMatchObject({ status: 0, stdout: 'Set the end of Ada. No end: never.\n' })
  expect(await viewersIn(cwd)).toMatchObject([{ username: 'Ada', groups: ['staff'], attributes: {} }])
})

test('viewers set-end replaces an end under a name in lower case', async () => {
  const cwd = temporaryFolder()
  await importRows(cwd, ['ada,2020-01-01T00:00Z'], 'username,accountendsat')
  await runHere(['viewers', 'set-end', 'ada', '--until', 'never'], { cwd })
  expect(await viewersIn(cwd)).toMatchObject([{ attributes: {}, state: 'active' }])
})

test.each([
  [['set-end', 'nobody', '--until', 'never'], 1, /There is no viewer "nobody"/],
  [['set-end', 'ada'], 2, /--until/],
  [['set-end', 'ada', '--until', 'soon'], 2, /is not a time/],
  [['add', 'bob', '--until', 'soon'], 2, /is not a time/],
  [['add', 'bob', '--attribute', 'accountEndsAt=soon'], 2, /must be a time with a zone/],
  [['add', 'bob', '--until', 'never', '--attribute', 'accountEndsAt=2099-11-30T00:00Z'], 2, /either --until or/],
  [['disable'], 2, /either a USERNAME or --group/],
  [['remove', 'ada', '--group', 'tonight'], 2, /either a USERNAME or --group/],
  [['remove', '--group', 'nowhere'], 1, /no viewer in the group "nowhere"/],
])('viewers %j ends with %i and changes nothing', async (args, status, fault) => {
  const cwd = await folderWith('ada,tonight,')
  const before = await viewersIn(cwd)
  const ended = await runHere(['viewers', ...args], { cwd })
  expect(ended).toEqual({ status, stdout: '', stderr: expect.stringMatching(fault) })
  expect(await viewersIn(cwd)).toEqual(before)
})

test('viewers disable, enable, set-end and remove change all viewers of a group, and no other', async () => {
  const cwd = await folderWith('ada,tonight,', 'bob,"staff, tonight",', 'eve,staff,', 'fay,Tonight,')
  const run = (command: string, ...more: string[]) =>
    runHere(['viewers', command, '--group', 'tonight', ...more], { cwd })
  const disabled = async () => (await viewersIn(cwd)).filter((one) => one.disabled).map(({ username }) => username)
  expect(await run('disable')).toMatchObject({ status: 0, stdout: 'Disabled 2 viewers of the group tonight.\n' })
  expect(await disabled()).toEqual(['ada', 'bob'])
  expect(await run('enable', '--json')).toMatchObject({ stdout: '{"group":"tonight","changed":2}\n' })
  expect(await disabled()).toEqual([])
  await run('set-end', '--until', '2020-01-01T00:00Z')
  expect((await endsIn(cwd)).filter((one) => (one as string[])[2] === 'ended')).toHaveLength(2)
  expect(await run('remove')).toMatchObject({ status: 0, stdout: 'Removed 2 viewers of the group tonight.\n' })
  expect((await viewersIn(cwd)).map(({ username }) => username)).toEqual(['eve', 'fay'])
})

test.each([
  ['n', 1, 2],
  ['y', 0, 0],
])(
  'at a terminal, viewers remove --group tonight asks with the count, and the answer %s counts',
  async (key, status, left) => {
    const cwd = await folderWith('ada,tonight,', 'bob,tonight,')
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
    onTestFinished(() => void stdin.destroy())
    setTimeout(() => stdin.write(key), 200)
    const ended = await runHere(['viewers', 'remove', '--group', 'tonight'], { cwd, stdin })
    expect(ended.status).toBe(status)
    expect(ended.stderr).toContain('Remove 2 viewers of the group tonight? This cannot be undone.')
    expect(await viewersIn(cwd)).toHaveLength(left)
  },
)

test('Ctrl-C stops a change of a group after a viewer, and says how many are changed', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => `viewer${index},tonight,`)
  const cwd = await folderWith(...rows)
  const interrupted = Promise.resolve()
  const ended = await runHere(['viewers', 'disable', '--group', 'tonight'], { cwd, interrupted })
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/Stopped\. Disabled \d+ of 50 viewers/) })
})
