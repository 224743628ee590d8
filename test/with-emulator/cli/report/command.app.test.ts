import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { runHere } from '../../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { addFault, emulatorOfTest, environmentFor } from '../../video-service/client.ts'

let emulator: RunningEmulator
let env: Record<string, string>
let cwd: string
beforeEach(async () => {
  emulator = await emulatorOfTest(400)
  env = environmentFor(emulator)
  cwd = temporaryFolder()
})

const report = (...args: string[]) => runHere(['report', ...args], { cwd, env })
const PERIOD = ['--last', '90d']

describe('a report', () => {
  test.each([
    ['viewers', [], /^Viewer +Last activity +Videos watched +Views$/],
    ['views', PERIOD, /^Started +Finished +Viewer +Content +Place +Device$/],
    ['total-views', [...PERIOD, '--by', 'day'], /^Day +Views$/],
    ['unique-devices', [...PERIOD, '--by', 'device', '--content', 'live'], /^Device +Devices$/],
    ['authenticated-viewers', PERIOD, /^Period +Signed-in viewers$/],
    ['peak-viewer-numbers', [...PERIOD, '--content', 'recorded', '--id', '2001,2002'], /^Time +Content +Viewers$/],
    ['peak-viewer-numbers', [...PERIOD, '--granularity', 'minute'], /^Time +Content +Viewers$/],
    ['total-views', [...PERIOD, '--by', 'location'], /^Place +Views$/],
  ])('report %s prints a table, and its count and period on standard error', async (name, args, head) => {
    const { status, stdout, stderr } = await report(name, ...args)
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^(The first )?[\d,]+ rows?.*\((all time|2.*)\)\n$/)])
    expect(stdout.split('\n')[0]).toMatch(head)
    expect(stdout.split('\n').length).toBeGreaterThan(2)
  })

  test('a report has the same rows in CSV and in JSON', async () => {
    const csv = await report('views', ...PERIOD, '--csv')
    const json = await report('views', ...PERIOD, '--json')
    const rows: { view_id: string }[] = JSON.parse(json.stdout)
    expect(rows.length).toBeGreaterThan(100)
    const records = csv.stdout.split('\r\n')
    expect(records.slice(1, -1).map((line) => line.split(',')[0])).toEqual(rows.map(({ view_id: id }) => id))
    expect(csv.stderr).toContain(`${rows.length} rows (`)
  })

  test('a report without rows is empty in each format', async () => {
    const args = ['views', '--from', '2001-01-01', '--to', '2001-01-02']
    expect(await report(...args)).toMatchObject({ status: 0, stdout: '' })
    expect((await report(...args, '--json')).stdout).toBe('[]\n')
    expect((await report(...args, '--csv')).stdout).toMatch(/^view_id,.*\r\n$/)
  })

  test('report viewers with --viewer has only matching viewers', async () => {
    const all: { viewer_identifier: string }[] = JSON.parse((await report('viewers', '--json')).stdout)
    const name = all[0]?.viewer_identifier ?? ''
    const found = JSON.parse((await report('viewers', '--viewer', name, '--json')).stdout)
    expect(found.map((row: { viewer_identifier: string }) => row.viewer_identifier)).toContain(name)
    expect(found.length).toBeLessThan(all.length)
  })
})

describe('a report in a file', () => {
  test('a report in a file replaces the old file, is private, and leaves no temporary file', async () => {
    const output = join(cwd, 'views.csv')
    writeFileSync(output, 'older')
    const { status, stdout } = await report('views', ...PERIOD, '--csv', '--output', output)
    expect([status, stdout]).toEqual([0, ''])
    expect(readFileSync(output, 'utf8')).toMatch(/^view_id,/)
    expect(statSync(output).mode & 0o777).toBe(0o600)
    expect(readdirSync(cwd)).toEqual(['views.csv'])
  })
})

describe('a failing report', () => {
  test.each([
    [503, 'server_error', 'Try again'],
    [401, 'unauthorized', 'SERVICE_'],
    [400, 'bad_request', 'It says: '],
  ])('status %i of the analytics API becomes one error message', async (status, error, said) => {
    await addFault(emulator, { path: '/v1/*', status, count: 6 })
    const ended = await report('total-views')
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(said) })
    expect(ended.stderr).toContain(`(${error}, status ${status})`)
  })

  test.each([
    [['views', '--id', '1001'], 2],
    [['views', '--content', 'tape'], 2],
    [['views', '--csv', '--json'], 2],
    [['total-views', '--by', 'week'], 2],
    [['clicks'], 2],
    [['views', '--from', 'yesterday'], 2],
    [['views', '--last', '1x'], 2],
  ])('report %j exits with %i', async (args, status) => {
    expect(await report(...args)).toMatchObject({ status, stdout: '' })
  })
})
