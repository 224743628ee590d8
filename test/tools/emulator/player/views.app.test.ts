import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { goodResponse, LOCKED_CHANNEL, LOCKED_VIDEO, SECRET, serviceForFile, validate } from './service.ts'
import { makeResponse } from './tiny-login-app.ts'

const { service, clock } = serviceForFile()

async function startView(content: { content_type: string; content_id: string }, playback: string, position: unknown) {
  const ids = { client_id: randomUUID(), view_session_id: randomUUID() }
  const report = { ...content, ...ids, playback, position, view_type: 'offsite' }
  const answer = await service.post('/embed/views/start', report)
  const { segment_id } = (await answer.json()) as { segment_id: string }
  return { ...ids, segment_id, status: answer.status }
}

function segment() {
  const rows = service.database.prepare('SELECT * FROM watched_segments').all()
  expect(rows).toHaveLength(1)
  return rows[0]
}

describe('reports of what is watched', () => {
  test('view reports make a segment that is unfinished until its end is reported', async () => {
    const { playback } = await validate(service, LOCKED_VIDEO, goodResponse())
    const started = clock.seconds
    const { segment_id, client_id, view_session_id } = await startView(LOCKED_VIDEO, playback, 3)
    expect(segment()).toMatchObject({
      segment_id,
      client_id,
      view_session_id,
      viewer_identifier: 'ada@example.com',
      content_type: 'recorded',
      content_id: 2001,
      started_at: started,
      finished_at: null,
      from_position: 3,
      view_type: 'offsite',
    })
    clock.seconds += 10
    const beat = { ...LOCKED_VIDEO, playback, segment_id, position: 13 }
    expect((await service.post('/embed/views/heartbeat', beat)).status).toBe(204)
    expect(segment()).toMatchObject({ finished_at: null, to_position: 13 })
    clock.seconds += 5
    expect((await service.post('/embed/views/end', { segment_id, position: 18 })).status).toBe(204)
    expect(segment()).toMatchObject({ finished_at: started + 15, to_position: 18 })
  })

  test('view reports take the viewer from the validated response, not from the player', async () => {
    const { playback } = await validate(
      service,
      LOCKED_CHANNEL,
      makeResponse([['user', 'bob']], clock.seconds + 60, SECRET),
    )
    const report = { ...LOCKED_CHANNEL, playback, position: null, view_type: 'onsite', viewer_identifier: 'eve' }
    await service.post('/embed/views/start', { ...report, client_id: randomUUID(), view_session_id: randomUUID() })
    expect(segment()).toMatchObject({ viewer_identifier: 'bob', content_type: 'live', from_position: null })
  })

  test('a segment without heartbeats for a minute ends at its last heartbeat', async () => {
    const { playback } = await validate(service, LOCKED_VIDEO, goodResponse())
    const started = clock.seconds
    const { segment_id } = await startView(LOCKED_VIDEO, playback, 0)
    clock.seconds += 10
    await service.post('/embed/views/heartbeat', { ...LOCKED_VIDEO, playback, segment_id, position: 10 })
    clock.seconds += 60
    await service.request('/v1/views')
    expect(segment()).toMatchObject({ finished_at: null })
    clock.seconds += 1
    await service.request('/v1/views')
    expect(segment()).toMatchObject({ finished_at: started + 10, to_position: 10 })
  })

  test('view reports are refused without a valid playback', async () => {
    const { playback } = await validate(service, LOCKED_VIDEO, makeResponse([['user', 'a']], clock.seconds + 5, SECRET))
    expect((await startView(LOCKED_VIDEO, 'f'.repeat(40), 0)).status).toBe(403)
    expect((await startView(LOCKED_CHANNEL, playback, null)).status).toBe(403)
    const { segment_id } = await startView(LOCKED_VIDEO, playback, 0)
    clock.seconds += 5
    const beat = { ...LOCKED_VIDEO, playback, segment_id, position: 5 }
    expect((await service.post('/embed/views/heartbeat', beat)).status).toBe(403)
    expect((await service.post('/embed/views/end', { segment_id, position: 5 })).status).toBe(204)
    expect(segment()).toMatchObject({ finished_at: clock.seconds, to_position: 5 })
  })

  test.each([
    ['start', { playback: 'x' }],
    ['start', null],
    ['heartbeat', { segment_id: 'x' }],
    ['end', { segment_id: randomUUID(), position: -1 }],
    ['end', { segment_id: randomUUID(), position: 1.5 }],
    ['end', { segment_id: 7, position: 0 }],
  ])('a malformed view report is refused (%s, %j)', async (kind, body) => {
    const answer = await service.post(`/embed/views/${kind}`, body)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toMatch('application/json')
  })
})
