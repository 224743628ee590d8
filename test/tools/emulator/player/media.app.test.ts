import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import {
  goodResponse,
  INHERITING_VIDEO,
  LOCKED_CHANNEL,
  LOCKED_VIDEO,
  OPEN_CHANNEL,
  SECRET,
  serviceForFile,
  validate,
} from './service.ts'
import { makeResponse } from './tiny-login-app.ts'

const CLIP = new URL('../../../../src/tools/emulator/player/clip.webm', import.meta.url)

const { service, clock } = serviceForFile()

describe('the video file', () => {
  test.each([
    ['channel', '/media/1001/video.webm'],
    ['video', '/media/recorded/2001/video.webm'],
    ['video that inherits a lock', '/media/recorded/2002/video.webm'],
  ])('the video file of a locked %s is a 403 before a response is validated', async (_case, path) => {
    for (const query of ['', '?playback=', `?playback=${'0'.repeat(40)}`, '?playback=a&playback=b']) {
      const answer = await service.request(path + query)
      expect(answer.status).toBe(403)
      expect(await answer.json()).toEqual({ error: 'forbidden' })
    }
  })

  test('the video file is served whole and in ranges after validation, with no-store', async () => {
    const clip = await readFile(CLIP)
    const { media_url } = await validate(service, INHERITING_VIDEO, goodResponse())
    const whole = await service.request(media_url)
    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-type')).toBe('video/webm')
    expect(whole.headers.get('cache-control')).toBe('private, no-store')
    expect(Buffer.from(await whole.arrayBuffer()).equals(clip)).toBe(true)
    const part = await service.request(media_url, { headers: { Range: 'bytes=100-199' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 100-199/${clip.length}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(clip.subarray(100, 200))).toBe(true)
    const beyond = await service.request(media_url, { headers: { Range: `bytes=${clip.length}-` } })
    expect(beyond.status).toBe(416)
  })

  test('the video file refuses the playback of another channel or video', async () => {
    const { playback } = await validate(service, LOCKED_CHANNEL, goodResponse())
    const open = await validate(service, OPEN_CHANNEL, null)
    for (const token of [playback, open.playback]) {
      expect((await service.request(`/media/recorded/2001/video.webm?playback=${token}`)).status).toBe(403)
    }
    expect((await service.request(`/media/1001/video.webm?playback=${open.playback}`)).status).toBe(403)
  })

  test('the video file is refused from the second of the expiry', async () => {
    const response = makeResponse([['user', 'ada']], clock.seconds + 60, SECRET)
    const { media_url } = await validate(service, LOCKED_CHANNEL, response)
    clock.seconds += 59
    expect((await service.request(media_url)).status).toBe(200)
    clock.seconds += 1
    expect((await service.request(media_url)).status).toBe(403)
  })

  test('the video file is refused after a new secret, and served after a new entry point', async () => {
    const { media_url } = await validate(service, LOCKED_VIDEO, goodResponse())
    service.database.prepare(`UPDATE locks SET url = 'http://localhost:9/new'`).run()
    expect((await service.request(media_url)).status).toBe(200)
    service.database.prepare(`UPDATE locks SET secret = 'another'`).run()
    expect((await service.request(media_url)).status).toBe(403)
  })

  test('the database stores no playback token', async () => {
    const { playback } = await validate(service, LOCKED_VIDEO, goodResponse())
    const rows = service.database.prepare('SELECT * FROM playbacks').all()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(playback)
  })
})
