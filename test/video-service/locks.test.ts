import { describe, expect, test } from 'vitest'
import { readXmlLock, setLock } from '../../src/video-service/locks.ts'
import { UnexpectedAnswer } from '../../src/video-service/service-errors.ts'

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

  test.each([
    ['half of its text', '<hashlock><url>https://login.exam'],
    ['a document type', '<!DOCTYPE h [<!ENTITY a SYSTEM "file:///etc/passwd">]><hashlock><url>&a;</url></hashlock>'],
    ['another root', '<lock><url>https://login.example/</url></lock>'],
    ['no url', '<hashlock><type>advanced</type></hashlock>'],
    ['JSON', '{"hashlock":{"url":"https://login.example/"}}'],
  ])('an XML lock is refused when it has %s', async (_case, body) => {
    await expect(readXmlLock({ body })).rejects.toThrow(UnexpectedAnswer)
  })
})

test('an undocumented status is not a success', async () => {
  const api = () => Promise.resolve({ status: 202, contentType: '', body: '' })
  const settings = { url: 'https://login.example/', secret: 'x' }
  await expect(setLock(api, { kind: 'channel', id: '1' }, settings)).rejects.toThrow(UnexpectedAnswer)
})
