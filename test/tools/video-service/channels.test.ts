import { expect, test } from 'vitest'
import { listChannels } from '../../../src/tools/video-service/channels.ts'
import type { RestApi } from '../../../src/tools/video-service/rest-api.ts'
import { UnexpectedAnswer } from '../../../src/tools/video-service/service-errors.ts'

/** A service that answers each path with this body. */
function serviceOf(bodies: Readonly<Record<string, object>>) {
  const asked: string[] = []
  const api: RestApi = ({ path }) => {
    asked.push(path)
    return Promise.resolve({ status: 200, contentType: 'application/json', body: JSON.stringify(bodies[path] ?? {}) })
  }
  return { api, asked }
}

const PATH = '/users/self/channels.json'
const linkTo = (page: number) => ({ href: `https://api.example/v2${PATH}?pagesize=2&p=${page}` })
const record = (id: string) => ({
  id,
  title: `Stage ${id}`,
  url: `https://video.example/channel/${id}`,
  status: 'offline',
})
const channel = (id: string) => ({
  id,
  title: `Stage ${id}`,
  url: `https://video.example/channel/${id}`,
  tinyUrl: null,
})

test('a list without tiny_url is read to its last page', async () => {
  const { api, asked } = serviceOf({
    [PATH]: { channels: [record('1'), record('2')], paging: { actual: linkTo(1), next: linkTo(2) } },
    [`${PATH}?p=2&pagesize=2`]: { channels: [record('3')], paging: { previous: linkTo(1), actual: linkTo(2) } },
  })
  expect(await listChannels(api)).toEqual(['1', '2', '3'].map(channel))
  expect(asked).toHaveLength(2)
})

test.each([
  ['under channel', { channel: [record('1')] }],
  ['by their ids', { channels: { 1: record('1') } }],
  ['with paging of another form', { channels: [record('1')], paging: [] }],
])('a list has its records %s', async (_where, body) => {
  expect(await listChannels(serviceOf({ [PATH]: body }).api)).toEqual([channel('1')])
})

test('a link to the same page ends the list with an error', async () => {
  const { api, asked } = serviceOf({ [PATH]: { channels: [], paging: { next: linkTo(1) } } })
  await expect(listChannels(api)).rejects.toThrow(UnexpectedAnswer)
  expect(asked).toEqual([PATH])
})

test('a list without channels is in an unknown format', async () => {
  await expect(listChannels(serviceOf({}).api)).rejects.toThrow(/the channels in an unknown format.*: channels/)
})
