import { expect, test } from 'vitest'
import { endOfUnit } from '../../../../src/tools/cli/report/page/amounts.ts'

test.each([
  ['Australia/Lord_Howe', '2026-04-05T01:30:00+10:30', '2026-04-05T02:00:00+10:30'],
  ['Australia/Lord_Howe', '2026-10-04T02:30:00+11:00', '2026-10-04T03:00:00+11:00'],
  ['Australia/Lord_Howe', '2026-10-04T03:00:00+11:00', '2026-10-04T04:00:00+11:00'],
  ['Asia/Kathmandu', '2026-10-04T23:45:00+05:45', '2026-10-05T00:45:00+05:45'],
  ['Pacific/Chatham', '2026-09-27T01:45:00+12:45', '2026-09-27T03:45:00+13:45'],
])('in %s, the hour of a peak at %s ends at %s', (zone, from, to) => {
  expect(endOfUnit(zone, 'hour', Date.parse(from))).toBe(Date.parse(to))
})
