import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { APP_SETTINGS, SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../../cli/run-here.ts'

const { HASH_SECRET, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS } = SETTINGS
const PLAYER = { playerReturnUrl, playerOrigins: [PLAYER_ORIGINS] }
const GOLD = { name: 'gold', secret: HASH_SECRET, ...PLAYER }
const OPEN = { name: 'open', secret: `${HASH_SECRET}ff`, ...PLAYER }
const EVENING = { opensAt: '2099-11-27T20:00+01:00', closesAt: '2099-11-27T22:00+01:00' }

/** Writes a file of entry points, and returns the command for it. */
function withFile(entries: readonly object[], text = JSON.stringify(entries, null, 2)) {
  const cwd = temporaryFolder()
  const file = join(cwd, 'entry-points.json')
  writeFileSync(file, text, { mode: 0o640 })
  const env = { ...APP_SETTINGS, ENTRY_POINTS_FILE: file }
  const run = (...args: string[]) => runHere(['doors', ...args], { cwd, env })
  return { cwd, file, run, entries: () => JSON.parse(readFileSync(file, 'utf8')) as unknown[] }
}

test('doors moves the start of one entry point, reads it back, and leaves the rest of the file as it is', async () => {
  const { cwd, file, run } = withFile([{ ...GOLD, ...EVENING }, OPEN])
  const before = readFileSync(file, 'utf8')
  const moved = await run('--entry-point', 'gold', '--opens', '20:15')
  expect(moved).toMatchObject({ status: 0, stderr: '' })
  expect(moved.stdout).toContain('Friday, November 27, 2099 at 8:15 PM GMT+1 to Friday, November 27, 2099 at 10:00 PM')
  expect(moved.stdout).toContain('within two seconds')
  expect(readFileSync(file, 'utf8')).toBe(before.replace('2099-11-27T20:00+01:00', '2099-11-27T20:15:00+01:00'))
  expect(statSync(file).mode & 0o777).toBe(0o640)
  expect(readdirSync(cwd)).toEqual(['entry-points.json'])
})

test('doors moves a start twice, and the end with a full time', async () => {
  const { run, entries } = withFile([{ ...GOLD, ...EVENING }])
  await run('--opens', '20:15')
  const moved = await run('--opens', '2099-11-27T21:30', '--closes', '2099-11-27T23:45-01:00', '--json')
  expect(JSON.parse(moved.stdout)).toEqual({
    entryPoint: 'gold',
    state: 'not-open-yet',
    windows: [{ opensAt: '2099-11-27T20:30:00.000Z', closesAt: '2099-11-28T00:45:00.000Z' }],
    needsRestart: false,
  })
  expect(entries()).toMatchObject([{ opensAt: '2099-11-27T21:30:00+01:00', closesAt: '2099-11-28T01:45:00+01:00' }])
})

test('doors changes only the entry point that is meant, also if another one has the same times', async () => {
  const { run, entries } = withFile([
    { ...GOLD, ...EVENING },
    { ...OPEN, ...EVENING },
  ])
  expect((await run('--entry-point', 'open', '--opens', '20:15')).status).toBe(0)
  expect(entries()).toEqual([
    { ...GOLD, ...EVENING },
    { ...OPEN, ...EVENING, opensAt: '2099-11-27T20:15:00+01:00' },
  ])
})

test('doors moves the next of several windows', async () => {
  const past = '2020-11-27T20:00Z/2020-11-27T22:00Z'
  const doorsWindows = [past, '2099-11-28T20:00Z/2099-11-28T22:00Z', '2099-11-27T20:00Z/2099-11-27T22:00Z']
  const { run, entries } = withFile([{ ...GOLD, doorsWindows }])
  expect((await run('--opens', '20:15')).status).toBe(0)
  const moved = '2099-11-27T20:15:00+00:00/2099-11-27T22:00:00+00:00'
  expect(entries()).toMatchObject([{ doorsWindows: [past, doorsWindows[1], moved] }])
})

test('doors gives an entry point its first times, and says that the app must restart', async () => {
  const { run, entries } = withFile([OPEN])
  expect((await run()).stdout).toBe('Entry point open is always open.\n')
  const moved = await run('--opens', '2099-11-27T20:15+01:00', '--yes')
  expect(moved.stdout).toContain('Restart the app once')
  expect(entries()).toEqual([{ ...OPEN, opensAt: '2099-11-27T20:15:00+00:00'.replace('20:15', '19:15') }])
})

test('doors names the event', async () => {
  const { run } = withFile([{ ...GOLD, ...EVENING, eventName: { en: 'Annual meeting' } }, OPEN])
  expect((await run()).stdout).toContain('Entry point gold (Annual meeting): not open yet.')
  expect((await run('--entry-point', 'gold', '--opens', '20:15')).stdout).toContain('Entry point gold (Annual meeting)')
})

test('doors sets a message, in one or several languages, shows it, and ends it', async () => {
  const { run, entries } = withFile([{ ...GOLD, ...EVENING }, OPEN])
  const both = { en: 'We start at 20:15', de: 'Wir beginnen um 20:15' }
  const set = await run('--entry-point', 'gold', '--message', both.en)
  expect(set.stdout).toContain('Message: We start at 20:15')
  expect(entries()).toEqual([{ ...GOLD, ...EVENING, doorsMessage: both.en }, OPEN])
  expect((await run('--entry-point', 'gold')).stdout).toContain('Message: We start at 20:15')
  const json = await run('--entry-point', 'gold', '--message', JSON.stringify(both), '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ message: both })
  expect(entries()).toEqual([{ ...GOLD, ...EVENING, doorsMessage: both }, OPEN])
  expect((await run('--entry-point', 'gold', '--no-message')).stdout).not.toContain('Message')
  expect(entries()).toEqual([{ ...GOLD, ...EVENING }, OPEN])
})

test('doors moves the start and sets a message at once', async () => {
  const { run, entries } = withFile([{ ...GOLD, ...EVENING }])
  await run('--opens', '20:15', '--message', 'We start at 20:15')
  expect(entries()).toMatchObject([{ opensAt: '2099-11-27T20:15:00+01:00', doorsMessage: 'We start at 20:15' }])
})

test.each([
  ['an empty line', ''],
  ['two lines', 'a\nb'],
  ['101 characters', 'x'.repeat(101)],
  ['a mark of direction', 'a\u202eb'],
  ['an unknown language', '{"tlh": "qep"}'],
])('doors refuses a message of %s, and moves nothing', async (_what, message) => {
  const { run, entries } = withFile([{ ...GOLD, ...EVENING }])
  expect((await run('--opens', '20:15', '--message', message)).status).toBe(1)
  expect(entries()).toEqual([{ ...GOLD, ...EVENING }])
})

test('an entry point without doors takes no message', async () => {
  const { run, entries } = withFile([OPEN])
  expect((await run('--message', 'We start at 20:15')).stderr).toContain('Entry point open is always open.')
  expect(entries()).toEqual([OPEN])
})

test('doors without times shows the state', async () => {
  const { run, file } = withFile([{ ...GOLD, opensAt: '2020-11-27T20:00Z' }])
  const before = readFileSync(file, 'utf8')
  expect((await run()).stdout).toBe('Entry point gold: open.\nFriday, November 27, 2020 at 8:00 PM UTC to no end\n')
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('doors without options shows every entry point', async () => {
  const { run } = withFile([{ ...GOLD, opensAt: '2020-11-27T20:00Z' }, OPEN])
  expect((await run()).stdout).toMatch(/^Entry point gold: open\.\n.* to no end\nEntry point open is always open\.\n$/)
  const { entryPoints } = JSON.parse((await run('--json')).stdout)
  expect(entryPoints).toEqual([
    { entryPoint: 'gold', state: 'open', windows: [{ opensAt: '2020-11-27T20:00:00.000Z', closesAt: null }] },
    { entryPoint: 'open', state: 'open', windows: [] },
  ])
  expect((await run('--entry-point', 'open')).stdout).toBe('Entry point open is always open.\n')
})

const RUNNING = { opensAt: '2020-11-27T20:00Z', closesAt: '2099-11-27T22:00Z' }
test.each([
  [RUNNING, ['--opens', '2099-11-27T20:15Z'], 'until Friday, November 27, 2099 at 8:15'],
  [RUNNING, ['--closes', '2020-11-27T22:00Z'], 'for good: the end is in the past.'],
  [{}, ['--opens', '2099-11-27T20:15Z'], 'until Friday, November 27, 2099 at 8:15'],
])('doors of %j ask before %j closes them', async (times, args, words) => {
  const { file, run } = withFile([{ ...GOLD, ...times }])
  const before = readFileSync(file, 'utf8')
  const refused = await run(...args)
  expect([refused.status, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain(`Entry point gold is open now. This closes it ${words}`)
  expect(refused.stderr).toContain('Use --yes to proceed.')
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await run(...args, '--yes')).status).toBe(0)
  expect(readFileSync(file, 'utf8')).not.toBe(before)
})

test('doors that stay open need no confirmation', async () => {
  const { run } = withFile([{ ...GOLD, ...RUNNING }])
  expect(await run('--closes', '2099-11-27T23:00Z')).toMatchObject({ status: 0, stderr: '' })
})

test('doors follows a link to the file', async () => {
  const { cwd, file } = withFile([{ ...GOLD, ...EVENING }])
  const link = join(cwd, 'link.json')
  symlinkSync(file, link)
  const env = { ...APP_SETTINGS, ENTRY_POINTS_FILE: link }
  expect((await runHere(['doors', '--opens', '20:15'], { cwd, env })).status).toBe(0)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(file, 'utf8')).toContain('20:15')
})

test.each([
  [['--opens', '22:00'], /would close .* before they open at .*\. Use --closes too/],
  [['--closes', '19:00'], /would close .* before they open at .*\. Use a later end, with its date\./],
  [['--opens', 'soon'], /--opens is not a time/],
  [['--entry-point', 'silver', '--opens', '20:15'], /Unknown entry point "silver"/],
])('doors refuses %j, and changes nothing', async (args, fault) => {
  const { run, file } = withFile([{ ...GOLD, ...EVENING }, OPEN])
  const before = readFileSync(file, 'utf8')
  const entryPoint = args[0] === '--entry-point' ? [] : ['--entry-point', 'gold']
  const ended = await run(...entryPoint, ...args)
  expect([ended.status, ended.stdout]).toEqual([1, ''])
  expect(ended.stderr).toMatch(fault)
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('doors refuses times of the environment, and says what to do', async () => {
  const env = { ...SETTINGS, OPENS_AT: '2099-11-27T20:00Z' }
  const ended = await runHere(['doors', '--opens', '20:15'], { cwd: temporaryFolder(), env })
  expect(ended.status).toBe(1)
  expect(ended.stderr).toMatch(/come from the environment.*restart the app\..*README\.md says how/s)
})

test('doors refuses while another change is under way, and in a folder that it may not write', async () => {
  const { cwd, run, file } = withFile([{ ...GOLD, ...EVENING }])
  writeFileSync(`${file}.next`, '')
  const ended = await run('--opens', '20:15')
  expect(ended.stderr).toMatch(/cannot be replaced \(EEXIST\).*another change is under way/s)
  expect(readdirSync(cwd)).toEqual(['entry-points.json', 'entry-points.json.next'])
  chmodSync(cwd, 0o700)
})
