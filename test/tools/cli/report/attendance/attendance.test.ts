import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { joinAttendance } from '../../../../../src/tools/cli/report/attendance/attendance.ts'
import { openSegmentTable } from '../../../../../src/tools/cli/report/attendance/segment-table.ts'
import type { ViewRow } from '../../../../../src/tools/video-service/analytics/report-rows.ts'
import { viewOf } from '../report-service.ts'

const RANGE = { fromMs: Date.parse('2026-11-20T10:00:00Z'), toMs: Date.parse('2026-11-20T12:00:00Z') }

/** Returns who was there: each row as the name in the list, the state, the match and all names. */
function joined(served: readonly string[], known: readonly (string | null)[]): string[] {
  using database = new DatabaseSync('')
  const segments = openSegmentTable(database, RANGE, RANGE.toMs)
  for (const viewer_identifier of served) segments.add(viewOf({ viewer_identifier }) as ViewRow)
  const people = known.map((identifier, at) => ({
    username: identifier ?? `nobody-${at}`,
    identifier,
    groups: [],
    values: [],
    isInvited: true,
  }))
  const all = joinAttendance(database, people, { ...RANGE, nowMs: RANGE.toMs })
  const rows = [...all()]
  expect([...all()]).toEqual(rows)
  return rows.map(({ kind, name, status, match, serviceNames, possibleNames }) =>
    [kind, name, status, match, ...serviceNames, ...possibleNames.map((one) => `(${one})`)].join(' '),
  )
}

describe('a name of the service', () => {
  test('belongs to the person of the list with the same name', () => {
    expect(joined(['ada@example.com'], ['ada@example.com', 'kim@example.com'])).toEqual([
      'invited ada@example.com came exact ada@example.com',
      'invited kim@example.com missing ',
    ])
  })

  test('belongs to the person whose name differs in upper and lower case, or in the form of its accents', () => {
    expect(joined(['ADA@Example.com', 'Zoë'.normalize('NFD')], ['ada@example.com', 'ZOË'])).toEqual([
      `invited ZOË came changed ${'Zoë'.normalize('NFD')}`,
      'invited ada@example.com came changed ADA@Example.com',
    ])
  })

  test.each([
    ['without its accents', 'Zoe', 'Zoë'],
    ['percent-encoded', 'ada%40example.com', 'ada@example.com'],
    ['with entities', 'o&#39;neil', "o'neil"],
    ['as Latin-1', 'ZoÃ«', 'Zoë'],
    ['cut', 'maximiliana.muster', 'maximiliana.mustermann@example.com'],
  ])('%s is listed as unknown, and the person as missing', (_what, served, known) => {
    expect(joined([served], [known])).toEqual([`invited ${known} missing `, `unknown ${served} came  ${served}`])
  })

  test('that is in the list is not of a person with other capitals', () => {
    expect(joined(['Ada'], ['Ada', 'ada'])).toEqual(['invited Ada came exact Ada', 'invited ada missing '])
  })

  test('in two cases is one person, and the less certain match counts', () => {
    expect(joined(['ada', 'Ada', 'ADA'], ['ada'])).toEqual(['invited ada came changed ADA Ada ada'])
  })

  test('that several people have is of none of them, and they are unclear', () => {
    expect(joined(['7', 'ADA'], ['7', '7', 'Ada', 'ada'])).toEqual([
      'invited 7 unclear ',
      'invited 7 unclear ',
      'invited Ada unclear ',
      'invited ada unclear ',
      'unknown 7 came ambiguous 7 (7) (7)',
      'unknown ADA came ambiguous ADA (Ada) (ada)',
    ])
  })

  test('of a person without a name at the service is unclear', () => {
    expect(joined([], [null])).toEqual(['invited nobody-0 unclear '])
  })
})
