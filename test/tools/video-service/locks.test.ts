import { describe, expect, test } from 'vitest'
import { readLock, readXmlLock, setLock } from '../../../src/tools/video-service/locks.ts'
import type { RestRequest } from '../../../src/tools/video-service/rest-api.ts'
import { UnexpectedAnswer } from '../../../src/tools/video-service/service-errors.ts'

describe('a lock in XML', () => {
  test('an XML lock is read with empty elements as null, and with decoded entities', async () => {
    const body = `<?xml version="1.0" encoding="UTF-8"?>
      <hashlock><type>advanced</type><url>https://login.example/?a=1&amp;b=2</url><message/>
      <button_caption></button_caption><popup_width>0640</popup_width><popup_height>480</popup_height></hashlock>`
    expect(await readXmlLock({ body })).toEqual({
      type: 'advanced',
      url: 'https://login.example/?a=1&b=2',
      message: null,
      buttonCaption: null,
      popupWidth: '0640',
      popupHeight: '480',
    })
  })

  test('an XML lock has the characters of its numbers and of its unparsed sections', async () => {
    const body = `<hashlock><url><![CDATA[https://login.example/?a=1&b=2]]></url>
      <message>f&#252;r &#x1F600; &amp;lt; &lt;b&gt;</message><popup_width/></hashlock>`
    expect(await readXmlLock({ body })).toEqual({
      url: 'https://login.example/?a=1&b=2',
      message: 'für 😀 &lt; <b>',
      popupWidth: null,
    })
  })

  test.each([
    ['half of its text', '<hashlock><url>https://login.exam'],
    ['a document type', '<!DOCTYPE h [<!ENTITY a SYSTEM "file:///etc/passwd">]><hashlock><url>&a;</url></hashlock>'],
    ['an entity that it does not define', '<hashlock><url>https://login.example/&copy;</url></hashlock>'],
    ['two addresses', '<hashlock><url>https://a.example/</url><url>https://b.example/</url></hashlock>'],
    ['an element in its url', '<hashlock><url><b>https://a.example/</b></url></hashlock>'],
    ['another root', '<lock><url>https://login.example/</url></lock>'],
    ['no url', '<hashlock><type>advanced</type></hashlock>'],
    ['JSON', '{"hashlock":{"url":"https://login.example/"}}'],
  ])('an XML lock is refused when it has %s', async (_case, body) => {
    await expect(readXmlLock({ body })).rejects.toThrow(UnexpectedAnswer)
  })
})

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

test('a size without a value is null in JSON too', async () => {
  const body = JSON.stringify({ hashlock: { url: 'https://login.example/', popup_width: null, popup_height: 480 } })
  const api = () => Promise.resolve({ status: 200, contentType: '', body })
  expect(await readLock(api, { kind: 'channel', id: '1' })).toMatchObject({ popupWidth: null, popupHeight: '480' })
})

test('an undocumented status is not a success', async () => {
  const api = () => Promise.resolve({ status: 202, contentType: '', body: '' })
  const settings = { url: 'https://login.example/', secret: 'x' }
  await expect(setLock(api, { kind: 'channel', id: '1' }, settings)).rejects.toThrow(UnexpectedAnswer)
})
