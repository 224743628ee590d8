import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import {
  goodResponse,
  LOCKED_CHANNEL,
  LOCKED_VIDEO,
  OPEN_CHANNEL,
  SECRET,
  serviceForFile,
  validate,
} from './service.ts'
import { makeResponse } from './tiny-login-app.ts'

const { service, clock } = serviceForFile()

/** Reads the messages of a stream as they arrive. */
async function* messagesOf(answer: Response): AsyncGenerator<{ id: number; author: string; text: string }> {
  let buffered = ''
  if (answer.body === null) throw new Error('No stream')
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    buffered += chunk
    const events = buffered.split('\n\n')
    buffered = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}

describe('the chat', () => {
  test('the chat shows a message to other viewers, with the name of its author', async () => {
    const ada = await validate(service, LOCKED_CHANNEL, goodResponse())
    const bob = await validate(service, LOCKED_CHANNEL, makeResponse([['user', 'bob']], clock.seconds + 60, SECRET))
    const before = await service.post('/chat/1001/messages', { playback: ada.playback, text: ' Good\u00a0morning 👋 ' })
    expect(before.status).toBe(201)
    const stream = await service.request(`/chat/1001/messages?playback=${bob.playback}`)
    expect(stream.headers.get('content-type')).toMatch('text/event-stream')
    const messages = messagesOf(stream)
    expect((await messages.next()).value).toMatchObject({ author: 'ada@example.com', text: 'Good\u00a0morning 👋' })
    await service.post('/chat/1001/messages', { playback: bob.playback, text: '<b>"hi"</b>' })
    expect((await messages.next()).value).toMatchObject({ author: 'bob', text: '<b>"hi"</b>' })
    await messages.return(undefined)
  })

  test('the chat answers HEAD without a stream, so that the connection can be used again', async () => {
    const { playback } = await validate(service, LOCKED_CHANNEL, goodResponse())
    const socket = connect(service.emulator.port, '127.0.0.1').setEncoding('utf8')
    const ask = (method: string, path: string) => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    socket.write(ask('HEAD', `/chat/1001/messages?playback=${playback}`) + ask('HEAD', '/emulator/seed'))
    let received = ''
    for await (const text of socket) {
      received += String(text)
      if (received.split('\r\n\r\n').length > 2) break
    }
    expect(received.match(/^(HTTP|Content-Type).*$/gm)).toEqual([
      'HTTP/1.1 200 OK',
      'Content-Type: text/event-stream; charset=utf-8',
      'HTTP/1.1 200 OK',
      'Content-Type: application/json; charset=utf-8',
    ])
  })

  test('a new chat stream continues after the last message received', async () => {
    const { playback } = await validate(service, LOCKED_CHANNEL, goodResponse())
    for (const text of ['one', 'two', 'three']) await service.post('/chat/1001/messages', { playback, text })
    const asked = [
      service.request(`/chat/1001/messages?playback=${playback}&after=2`),
      service.request(`/chat/1001/messages?playback=${playback}`, { headers: { 'Last-Event-ID': '2' } }),
    ]
    for (const stream of asked) {
      const messages = messagesOf(await stream)
      expect((await messages.next()).value).toMatchObject({ id: 3, text: 'three' })
      await messages.return(undefined)
    }
  })

  test('each channel or video has its own chat messages in the database', async () => {
    const channel = await validate(service, LOCKED_CHANNEL, goodResponse())
    const video = await validate(service, LOCKED_VIDEO, goodResponse())
    await service.post('/chat/1001/messages', { playback: channel.playback, text: 'to the channel' })
    await service.post('/chat/recorded/2001/messages', { playback: video.playback, text: 'to the video' })
    const rows = service.database.prepare('SELECT content_type, text FROM messages ORDER BY id').all()
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { content_type: 'live', text: 'to the channel' },
      { content_type: 'recorded', text: 'to the video' },
    ])
    const messages = messagesOf(await service.request(`/chat/recorded/2001/messages?playback=${video.playback}`))
    expect((await messages.next()).value).toMatchObject({ text: 'to the video' })
    await messages.return(undefined)
  })

  test('the Q&A of a channel or video has messages of its own', async () => {
    const { playback } = await validate(service, LOCKED_CHANNEL, goodResponse())
    await service.post('/chat/1001/messages', { playback, text: 'Good morning' })
    const asked = await service.post('/qna/1001/messages', { playback, text: 'When do we begin?' })
    expect(asked.status).toBe(201)
    const messages = messagesOf(await service.request(`/qna/1001/messages?playback=${playback}`))
    expect((await messages.next()).value).toMatchObject({ author: 'ada@example.com', text: 'When do we begin?' })
    await messages.return(undefined)
  })

  test.each([
    ['no token', ''],
    ['an invented token', 'f'.repeat(40)],
  ])('the chat refuses to read and to write with %s', async (_case, playback) => {
    expect((await service.post('/chat/1001/messages', { playback, text: 'hello' })).status).toBe(403)
    expect((await service.request(`/chat/1001/messages?playback=${playback}`)).status).toBe(403)
    expect(service.database.prepare('SELECT count(*) AS n FROM messages').get()?.n).toBe(0)
  })

  test('the chat refuses the playback of another channel or video and an expired playback', async () => {
    const { playback } = await validate(service, OPEN_CHANNEL, null)
    expect((await service.post('/chat/1001/messages', { playback, text: 'hello' })).status).toBe(403)
    const short = await validate(service, LOCKED_CHANNEL, makeResponse([['user', 'ada']], clock.seconds + 5, SECRET))
    clock.seconds += 5
    expect((await service.post('/chat/1001/messages', { playback: short.playback, text: 'hello' })).status).toBe(403)
  })

  test('the chat closes the stream of an expired playback', async () => {
    const short = await validate(service, LOCKED_CHANNEL, makeResponse([['user', 'ada']], clock.seconds + 5, SECRET))
    const stream = await service.request(`/chat/1001/messages?playback=${short.playback}`)
    clock.seconds += 5
    const { playback } = await validate(service, LOCKED_CHANNEL, goodResponse())
    await service.post('/chat/1001/messages', { playback, text: 'too late for some' })
    expect((await messagesOf(stream).next()).done).toBe(true)
  })

  test('guests of a chat without a lock have different names', async () => {
    const one = await validate(service, OPEN_CHANNEL, null)
    const two = await validate(service, OPEN_CHANNEL, null)
    const first = await service.post('/chat/1002/messages', { playback: one.playback, text: 'hello' })
    const second = await service.post('/chat/1002/messages', { playback: two.playback, text: 'hello' })
    const authors = [
      ((await first.json()) as { author: string }).author,
      ((await second.json()) as { author: string }).author,
    ]
    expect(authors).toEqual([expect.stringMatching(/^Guest [0-9a-f]{4}$/), expect.stringMatching(/^Guest /)])
    expect(authors[0]).not.toBe(authors[1])
  })

  test.each([
    ['nothing', ''],
    ['white space', ' \n '],
    ['501 characters', 'x'.repeat(501)],
    ['a control character', 'a\u0007b'],
    ['half a character', 'a\ud83d'],
    ['a list', ['a']],
  ])('the chat refuses %s as a message', async (_case, text) => {
    const { playback } = await validate(service, OPEN_CHANNEL, null)
    expect((await service.post('/chat/1002/messages', { playback, text })).status).toBe(400)
  })
})
