import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../run-here.ts'
import { textOf } from '../make-page.ts'
import { changeKept } from '../resume/kept-rows.ts'
import { type RawSegment, startViewsService } from './views-service.ts'

const START = Date.parse('2026-11-20T18:00:00Z') / 1000
const EVENING = ['--from', '2026-11-20T18:00:00Z', '--to', '2026-11-20T20:00:00Z']
const BASE = { client: 'phone', type: 'live', content: '1001' } as const

/** Returns a segment of the evening, in minutes from its start. */
function watched(name: string | null, from: number, to: number | null, given: Partial<RawSegment> = {}): RawSegment {
  return { ...BASE, name, startSeconds: START + from * 60, endSeconds: to === null ? null : START + to * 60, ...given }
}

const SEGMENTS = [
  watched('ada@example.com', 0, 40),
  watched('ada@example.com', 20, 60, { client: 'laptop' }),
  watched('grace@example.com', 90, 120),
  watched('sso-4711', 0, 45),
  watched(null, 5, 60, { client: 'television' }),
]
const INVITED =
  'username,groups,city\nada@example.com,staff,Paris\ngrace@example.com,"staff,press",Rome\nkurt@example.com,press,\n'

let cwd: string
let service: Awaited<ReturnType<typeof startViewsService>>
beforeEach(async () => {
  cwd = temporaryFolder()
  service = await startViewsService(SEGMENTS)
  writeFileSync(join(cwd, 'invited.csv'), INVITED)
})

const LIST = () => ['--invited', join(cwd, 'invited.csv')]
const attendance = (...options: string[]) =>
  runHere(['report', 'attendance', '--channel', '1001', ...EVENING, ...options], { cwd, env: service.env })
const rowsOf = async (...options: string[]) => JSON.parse((await attendance('--json', ...options)).stdout)

describe('report attendance', () => {
  test('the table lists people, other names and guests apart, and standard error sums them up', async () => {
    const { status, stdout, stderr } = await attendance(...LIST())
    expect(status).toBe(0)
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ...[
        ['Viewer', 'Status'],
        ['ada@example.com', 'came'],
        ['grace@example.com', 'came'],
      ],
      ...[['kurt@example.com', 'missing'], ['sso-4711', 'came'], ['(guest)', 'came'], ['']],
    ])
    expect(stdout).toMatch(/sso-4711 .*45 min .*not in the list/)
    expect(stderr).toContain(
      'Of 3 invited, 2 came, 1 missing.\nAlso came: 1 name not in the list, such as viewers of another system; 1 device of guests.\n5 rows',
    )
  })

  test('without a list, a report has only those who came', async () => {
    const rows = await rowsOf()
    expect(rows.map(({ viewer, kind }: { viewer: string; kind: string }) => `${kind} ${viewer}`)).toEqual([
      ...['signed-in ada@example.com', 'signed-in grace@example.com', 'signed-in sso-4711', 'guest null'],
    ])
  })

  test('a period without any view is a warning, since an unknown channel looks the same', async () => {
    const warning = 'Warning: The service has no views in this period.'
    expect((await attendance(...LIST())).stderr).not.toContain(warning)
    service.state.segments = [watched('ada@example.com', -90, -60)]
    expect((await attendance(...LIST())).stderr).toContain(warning)
  })

  test('parallel devices count once', async () => {
    expect((await rowsOf(...LIST()))[0]).toMatchObject({ viewer: 'ada@example.com', minutes: 60, live_minutes: 60 })
  })

  test('segments in any order count once', async () => {
    const times = [
      [90, 100],
      [10, 20],
      [0, 5],
      [15, 30],
      [95, 99],
    ] as const
    service.state.segments = times.map(([from, to]) => watched('ada@example.com', from, to))
    const rows = await rowsOf()
    expect(rows).toMatchObject([{ minutes: 35 }])
    expect(Date.parse(rows[0].first_in)).toBe(START * 1000)
  })

  test('a view that begins before the period counts in the period, also if it ends after it or has no end', async () => {
    service.state.segments = [watched('ada@example.com', -600, 600), watched('grace@example.com', -600, null)]
    expect(await rowsOf(...LIST())).toMatchObject([
      { minutes: 120, is_running: false, status: 'came' },
      { minutes: 120, is_running: true, status: 'came' },
      { minutes: 0, status: 'missing' },
    ])
  })

  test('--at-least lists only who watched that long, and no guest', async () => {
    const rows = await rowsOf(...LIST(), '--at-least', '45m')
    expect(rows.map(({ viewer }: { viewer: string }) => viewer)).toEqual(['ada@example.com', 'sso-4711'])
    expect(await rowsOf('--at-least', '1h1m')).toEqual([])
  })

  test.each([
    [
      'group',
      [
        ['press', 2, 1, 1],
        ['staff', 2, 2, 0],
        [null, 1, 1, 0],
        [null, 1, 1, 0],
      ],
    ],
    [
      'city',
      [
        ['Paris', 1, 1, 0],
        ['Rome', 1, 1, 0],
        [null, 1, 0, 1],
        [null, 1, 1, 0],
        [null, 1, 1, 0],
      ],
    ],
  ])('--by %s counts who came of each', async (by, expected) => {
    const rows: Record<string, unknown>[] = await rowsOf(...LIST(), '--by', by)
    expect(rows.map(({ value, people, came, missing }) => [value, people, came, missing])).toEqual(expected)
  })

  test('--group invites only its members, and names the others who came', async () => {
    const rows: Record<string, unknown>[] = await rowsOf(...LIST(), '--group', 'press')
    expect(rows.slice(0, 3).map(({ kind, viewer }) => `${kind} ${viewer}`)).toEqual([
      ...['not-invited ada@example.com', 'invited grace@example.com', 'invited kurt@example.com'],
    ])
  })

  test('names in another case are matched and marked, and names that fit nobody are not lost', async () => {
    const people = ['ada@example.com', 'Zoë Müller', 'kim@example.com', 'KIM@example.com']
    writeFileSync(join(cwd, 'invited.csv'), `username\n${people.join('\n')}\n`)
    service.state.segments = ['Ada@Example.com', 'Zo? M?ller', 'Kim@example.com'].map((name) => watched(name, 0, 30))
    const rows: Record<string, unknown>[] = await rowsOf(...LIST())
    const cells = rows.map(({ viewer, status, match, possible_names }) => [viewer, status, match, possible_names])
    expect(cells).toEqual([
      ['KIM@example.com', 'unclear', null, []],
      ['Zoë Müller', 'missing', null, []],
      ['ada@example.com', 'came', 'changed', []],
      ['kim@example.com', 'unclear', null, []],
      ['Kim@example.com', 'came', 'ambiguous', ['KIM@example.com', 'kim@example.com']],
      ['Zo? M?ller', 'came', null, []],
    ])
    const { stdout, stderr } = await attendance(...LIST())
    expect(stdout).toMatch(/ada@example\.com .*spelled otherwise: Ada@Example\.com/)
    expect(stderr).toContain('Warning: 1 name of the list in other upper or lower case at the service.\n')
    expect(stderr).toContain('Of 4 invited, 1 came, 1 missing, 2 unclear.')
  })

  test('the period of another time zone of the machine is in its times', async () => {
    const before = process.env.TZ
    process.env.TZ = 'Asia/Kolkata'
    try {
      expect((await rowsOf())[0]).toMatchObject({ first_in: '2026-11-20T23:30:00+05:30' })
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  test('a list whose names did not come says so', async () => {
    writeFileSync(join(cwd, 'invited.csv'), 'id,email\n1,one@example.com\n')
    expect((await attendance(...LIST())).stderr).toContain('No name of the list came, but others did.')
    writeFileSync(join(cwd, 'invited.csv'), 'id,email\nsso-4711,one@example.com\n')
    expect((await rowsOf(...LIST(), '--identifier', 'id'))[0]).toMatchObject({ kind: 'invited', status: 'came' })
  })

  test('live broadcasts and videos are two questions, and --video all takes every video', async () => {
    service.state.segments = [
      watched('ada@example.com', 0, 30),
      watched('ada@example.com', 20, 50, { type: 'recorded', content: '2001' }),
      watched('ada@example.com', 60, 70, { type: 'recorded', content: '2002' }),
    ]
    expect(await rowsOf()).toMatchObject([{ live_minutes: 30, recorded_minutes: 0, minutes: 30 }])
    expect(await rowsOf('--video', '2001')).toMatchObject([{ live_minutes: 30, recorded_minutes: 30, minutes: 50 }])
    expect(await rowsOf('--video', 'all')).toMatchObject([{ live_minutes: 30, recorded_minutes: 40, minutes: 60 }])
  })
})

describe('the formats of attendance', () => {
  test('CSV has the fields of JSON, a mark for Excel, and no formula', async () => {
    writeFileSync(join(cwd, 'invited.csv'), "username,groups\n=cmd|'/c calc'!A1,@SUM(A1)\n")
    service.state.segments = [watched('+1-555', 0, 30)]
    const { stdout } = await attendance(...LIST(), '--csv', '--excel')
    const [header = '', first, second] = stdout.split('\r\n')
    expect(header.replace('\ufeff', '').split(',')).toEqual(Object.keys((await rowsOf())[0]))
    expect(header.startsWith('\ufeff')).toBe(true)
    expect(first).toMatch(/^'=cmd\|'\/c calc'!A1,invited,missing,,,0,0,0,false,'@SUM\(A1\),/)
    expect(second).toMatch(/^'\+1-555,unknown,came,2026-11-2/)
  })

  test('a file is private, and the page names who came and who was missing without markup of theirs', async () => {
    writeFileSync(join(cwd, 'invited.csv'), `${INVITED}<b>kim</b>,,\n\u202emoc.elpmaxe,,\n`)
    const page = join(cwd, 'page.html')
    expect(await attendance(...LIST(), '--by', 'group', '--at-least', '45m', '--html', page)).toMatchObject({
      status: 0,
      stdout: '',
    })
    expect(statSync(page).mode & 0o777).toBe(0o600)
    const html = readFileSync(page, 'utf8')
    expect(html).not.toMatch(/<b>kim|\u202e/)
    const text = textOf(html)
    for (const words of ['5 invited', '3 missing', 'Channel 1001', 'Who came', 'Missing', 'press'])
      expect(text).toContain(words)
    expect(text).toContain('kurt@example.com')
  })

  test.each([['--csv'], ['--json']])('a report with %s that was cut goes on with the missing pages', async (format) => {
    service.state.segments = Array.from({ length: 40 }, (_, at) => watched(`viewer-${at % 9}`, at, at + 30))
    const args = [format, '--output', join(cwd, 'attendance')]
    service.state.statusAt = (count) => (count > 3 ? 400 : 200)
    const cut = await attendance(...LIST(), ...args)
    expect([cut.status, cut.stderr]).toEqual([1, expect.stringContaining('run the same command with --resume.')])
    expect(existsSync(join(cwd, 'attendance'))).toBe(false)
    service.state.statusAt = () => 200
    service.state.asked = []
    const other = await attendance(...args, '--resume', '--video', '2001')
    expect(other.stderr).toContain('has another question (--video)')
    const resumed = await attendance(...LIST(), ...args, '--resume')
    expect([resumed.status, resumed.stderr]).toEqual([0, expect.stringContaining('Continues with 21 views so far.')])
    expect(service.state.asked.map((address) => new URL(address, 'http://a').searchParams.get('_page'))).toEqual([
      ...['4', '5', '6'],
    ])
    expect(readdirSync(cwd).sort()).toEqual(['attendance', 'invited.csv'])
    const whole = await attendance(...LIST(), format)
    expect(readFileSync(join(cwd, 'attendance'), 'utf8')).toBe(whole.stdout)
    expect((await attendance(...LIST(), ...args, '--resume')).stderr).toContain('Nothing to continue')
  })

  test('a report that was stopped after its last page is written without a question', async () => {
    service.state.segments = Array.from({ length: 14 }, (_, at) => watched(`viewer-${at}`, 0, 30))
    const args = ['--csv', '--output', join(cwd, 'attendance')]
    service.state.statusAt = (count) => (count > 1 ? 400 : 200)
    await attendance(...args)
    changeKept(cwd, (kept) => ({ ...kept, next: null }))
    service.state.asked = []
    expect(await attendance(...args, '--resume')).toMatchObject({ status: 0 })
    expect(service.state.asked).toEqual([])
    expect(readFileSync(join(cwd, 'attendance'), 'utf8').split('\r\n')).toHaveLength(7 + 2)
    expect(readdirSync(cwd).sort()).toEqual(['attendance', 'invited.csv'])
  })
})

describe('wrong usage of report attendance', () => {
  test.each([
    [['--last', '1d'], 'use --channel or --video'],
    [['--channel', 'x'], 'Ids must be numbers'],
    [['--channel', '1', '--group', 'staff'], '--group needs --invited'],
    [['--channel', '1', '--by', 'group'], '--by needs --invited'],
    [['--channel', '1', '--at-least', '45'], 'such as 90s'],
    [['--channel', '1', '--excel'], '--excel needs --csv'],
    [['--channel', '1', '--resume'], '--resume needs --output'],
    [['--channel', '1', '--from', 'noon'], '--from is not a valid time'],
  ])('%j exits with 2', async (args, words) => {
    const { status, stderr } = await runHere(['report', 'attendance', ...args], { cwd, env: service.env })
    expect([status, stderr]).toEqual([2, expect.stringContaining(words)])
  })

  test.each([
    ['without a column of names', 'name\nada\n', 'has no column "username". It has: "name".'],
    ['with a short row', 'username,groups\nada\n', 'Line 2 of'],
    ['without a row', 'username\n', 'has no row with a name'],
    ['of JSON Lines', '{"username":"ada"}\n', 'must be a CSV file'],
  ])('a list %s is refused before the service is asked', async (_what, text, words) => {
    writeFileSync(join(cwd, 'invited.csv'), text)
    const { status, stderr } = await attendance(...LIST())
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)])
    expect(service.state.asked).toEqual([])
  })

  test.each([
    [[], '--invited: '],
    [['--identifier', 'mail'], '--identifier: '],
    [['--identifier', 'name', '--by', 'group'], '--by: '],
    [['--identifier', 'name', '--by', 'group', '--group', 'staff'], '--group: '],
  ])('with %j, a missing column is a fault of the option that needs it', async (options, start) => {
    writeFileSync(join(cwd, 'invited.csv'), 'name\nada\n')
    const { stderr } = await attendance(...LIST(), ...options)
    expect(stderr).toContain(`Failed: ${start}${cwd}/invited.csv has no column`)
  })
})
