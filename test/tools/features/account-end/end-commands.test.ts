import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../../cli/sqlite/run-here.ts'
import { addStoredViewers } from '../../cli/sqlite/stored-viewers.ts'

/** Makes a folder with viewers. Rows: `NAME,GROUP;GROUP`. */
async function folderWith(...rows: string[]): Promise<string> {
  const cwd = temporaryFolder()
  const viewers = rows.map((row) => {
    const [username = '', groups = ''] = row.split(',')
    return { username, groups: groups.split(';').filter(Boolean) }
  })
  await addStoredViewers(cwd, viewers)
  return cwd
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

test('viewers set-end sets, moves and removes an end, and says how it understood the time', async () => {
  const cwd = await folderWith('Ada,staff')
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
  await addStoredViewers(cwd, [{ username: 'ada', attributes: { accountendsat: '2020-01-01T00:00Z' } }])
  await runHere(['viewers', 'set-end', 'ada', '--until', 'never'], { cwd })
  expect(await viewersIn(cwd)).toMatchObject([{ attributes: {}, state: 'no-password' }])
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
  const cwd = await folderWith('ada,tonight')
  const before = await viewersIn(cwd)
  const ended = await runHere(['viewers', ...args], { cwd })
  expect(ended).toEqual({ status, stdout: '', stderr: expect.stringMatching(fault) })
  expect(await viewersIn(cwd)).toEqual(before)
})

test('viewers disable, enable, set-end and remove change all viewers of a group, and no other', async () => {
  const cwd = await folderWith('ada,tonight', 'bob,staff;tonight', 'eve,staff', 'fay,Tonight')
  const run = (command: string, ...more: string[]) =>
    runHere(['viewers', command, '--group', 'tonight', ...more], { cwd })
  const disabled = async () => (await viewersIn(cwd)).filter((one) => one.disabled).map(({ username }) => username)
  expect(await run('disable')).toMatchObject({ status: 0, stdout: 'Disabled 2 viewers of the group tonight.\n' })
  expect(await disabled()).toEqual(['ada', 'bob'])
  expect(await run('enable', '--json')).toMatchObject({ stdout: '{"group":"tonight","changed":2}\n' })
  expect(await disabled()).toEqual([])
  await run('set-end', '--until', '2020-01-01T00:00Z')
  expect((await endsIn(cwd)).filter((one) => (one as string[])[2] === 'ended')).toHaveLength(2)
  expect(await run('remove')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Removed 2 viewers of the group tonight\. .*until they end\./),
  })
  expect((await viewersIn(cwd)).map(({ username }) => username)).toEqual(['eve', 'fay'])
})

test.each([
  ['n', 1, 2],
  ['y', 0, 0],
])(
  'at a terminal, viewers remove --group tonight asks with the count, and the answer %s counts',
  async (key, status, left) => {
    const cwd = await folderWith('ada,tonight', 'bob,tonight')
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
  const rows = Array.from({ length: 50 }, (_, index) => `viewer${index},tonight`)
  const cwd = await folderWith(...rows)
  const interrupted = Promise.resolve()
  const ended = await runHere(['viewers', 'disable', '--group', 'tonight'], { cwd, interrupted })
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/Stopped\. Disabled \d+ of 50 viewers/) })
})
