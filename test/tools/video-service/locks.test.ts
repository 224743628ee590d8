import { expect, test } from 'vitest'
import { readLock, setLock } from '../../../src/tools/video-service/locks.ts'
import type { RestRequest } from '../../../src/tools/video-service/rest-api.ts'
import { UnexpectedAnswer } from '../../../src/tools/video-service/service-errors.ts'

test('a lock is set with its documented parameters, and with each other field under its own name', async () => {
  const forms: unknown[] = []
  const api = ({ form }: RestRequest) => {
    forms.push(form)
    return Promise.resolve({ status: 204, contentType: '', body: '' })
  }
  const place = { kind: 'video', id: '1' } as const
  const required = { url: 'https://login.example/', secret: 'x' }
  await setLock(api, place, required)
  await setLock(api, place, { ...required, message: 'M', buttonCaption: '', popupWidth: null, popupHeight: '480' })
  expect(forms).toEqual([required, { ...required, message: 'M', button_caption: '', popup_height: '480' }])
})

test('a size without a value is null', async () => {
  const body = JSON.stringify({ hashlock: { url: 'https://login.example/', popup_width: null, popup_height: 480 } })
  const api = () => Promise.resolve({ status: 200, contentType: '', body })
  expect(await readLock(api, { kind: 'channel', id: '1' })).toMatchObject({ popupWidth: null, popupHeight: '480' })
})

test('an undocumented status is not a success', async () => {
  const api = () => Promise.resolve({ status: 202, contentType: '', body: '' })
  const settings = { url: 'https://login.example/', secret: 'x' }
  await expect(setLock(api, { kind: 'channel', id: '1' }, settings)).rejects.toThrow(UnexpectedAnswer)
})
