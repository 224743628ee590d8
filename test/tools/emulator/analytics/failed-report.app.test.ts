import { expect, onTestFinished, test } from 'vitest'
import { openAnalyticsDatabase, startAnalytics } from './analytics-server.ts'

test('a report that fails is a 500 without internals', async () => {
  const database = openAnalyticsDatabase()
  const server = await startAnalytics(database)
  onTestFinished(() => server.close())
  database.exec('DROP INDEX watched_by_start')
  const path = '/views?date_time_from=2026-03-10T00:00:00Z&date_time_to=2026-03-11T00:00:00Z'
  const { status, headers, body } = await server.get(path)
  expect(status).toBe(500)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(body).toMatchObject({ errors: [{ parameter: 'path', in: 'path', message: 'The report failed' }] })
  expect(String(server.faults[0])).toContain('watched_by_start')
})
