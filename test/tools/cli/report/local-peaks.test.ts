import { expect, test } from 'vitest'
import { openTimeZone } from '../../../../src/tools/cli/output/time-zone.ts'
import { localPeaks, type PeakQuestion, peakPieces } from '../../../../src/tools/cli/report/local-peaks.ts'
import { endOfUnit } from '../../../../src/tools/cli/report/page/amounts.ts'

const peaks = (from: string, to: string, granularity: 'minute' | 'hour' = 'hour'): PeakQuestion => ({
  report: 'peak-viewer-numbers',
  granularity,
  period: { from, to },
})
const FORWARD = peaks('2026-10-04T00:00:00+10:30', '2026-10-04T23:59:59+11:00')
const BACK = peaks('2026-04-05T00:00:00+11:00', '2026-04-05T23:59:59+10:30')

test.each([
  ['Lord Howe, where the clocks are put forward by half an hour', FORWARD, 'Australia/Lord_Howe', '02:30:00+11:00'],
  ['Lord Howe, where the clocks are put back by half an hour', BACK, 'Australia/Lord_Howe', '01:30:00+10:30'],
])('hours of peaks are asked in two questions on %s', (_zone, question, zone, start) => {
  const [before, after, ...others] = peakPieces(question, openTimeZone(zone))
  expect(others).toEqual([])
  const day = question.period.from.slice(0, 10)
  expect(before?.period).toEqual({ from: question.period.from, to: `${day}T01:59:59${question.period.from.slice(-6)}` })
  expect(after?.period).toEqual({ from: `${day}T${start}`, to: question.period.to })
})

test.each([
  [
    'Chatham, whose clocks change by an hour',
    'Pacific/Chatham',
    '2026-09-27T00:00:00+12:45',
    '2026-09-27T23:59:59+13:45',
  ],
  ['Kathmandu, whose clocks do not change', 'Asia/Kathmandu', '2026-01-01T00:00:00+05:45', '2026-12-31T23:59:59+05:45'],
  ['Berlin, whose clocks change by an hour', 'Europe/Berlin', '2026-10-25T00:00:00+02:00', '2026-10-25T23:59:59+01:00'],
])('hours of peaks are one question in %s', (_place, zone, from, to) => {
  expect(peakPieces(peaks(from, to), openTimeZone(zone))).toEqual([peaks(from, to)])
})

test('minutes of peaks are one question', () => {
  const question = peaks(BACK.period.from, BACK.period.to, 'minute')
  expect(peakPieces(question, openTimeZone('Australia/Lord_Howe'))).toEqual([question])
})

test('each row has its hour, and the hour that the change cuts short begins at the change', async () => {
  const at = (time: string) => ({ content_type: 'live', content_id: '1001', time, value: 3 }) as const
  const sent = [at('2026-04-05T01:00:00+10:30'), at('2026-04-05T02:00:00+10:30')]
  async function* ask({ period }: PeakQuestion) {
    const rows = period.from === BACK.period.from ? [at('2026-04-05T01:00:00+11:00')] : sent
    yield await Promise.resolve({ rows, cursor: null, odd: new Map() })
  }
  const found: unknown[] = []
  for await (const { rows, pages, next } of localPeaks(BACK, openTimeZone('Australia/Lord_Howe'), ask)) {
    found.push([pages, next === null, ...rows.map(({ time }) => time)])
  }
  expect(found).toEqual([
    [1, false, '2026-04-05T01:00:00+11:00'],
    [2, true, '2026-04-05T01:30:00+10:30', '2026-04-05T02:00:00+10:30'],
  ])
})

test.each([
  ['Australia/Lord_Howe', '2026-04-05T01:30:00+10:30', '2026-04-05T02:00:00+10:30'],
  ['Australia/Lord_Howe', '2026-10-04T02:30:00+11:00', '2026-10-04T03:00:00+11:00'],
  ['Australia/Lord_Howe', '2026-10-04T03:00:00+11:00', '2026-10-04T04:00:00+11:00'],
  ['Asia/Kathmandu', '2026-10-04T23:45:00+05:45', '2026-10-05T00:45:00+05:45'],
  ['Pacific/Chatham', '2026-09-27T01:45:00+12:45', '2026-09-27T03:45:00+13:45'],
])('in %s, the hour of a peak at %s ends at %s', (zone, from, to) => {
  expect(endOfUnit(openTimeZone(zone), 'hour', Date.parse(from))).toBe(Date.parse(to))
})
