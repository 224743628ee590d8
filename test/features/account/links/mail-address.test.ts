import { expect, test } from 'vitest'
import { mailAddressOf } from '../../../../src/features/account/links/account-mails.ts'

const addressOf = (mail: string) => mailAddressOf({ username: 'ada', groups: [], attributes: { mail } }, 'mail')

test.each(['ada@example.com', "o'brien+tv@mail.example.com", 'a@b', '_@xn--bcher-kva.example'])(
  'mails go to the address %s',
  (address) => {
    expect(addressOf(address)).toBe(address)
  },
)

// Programs for mail read these forms as an address with a name, several addresses, or an address of another domain.
test.each([
  'a@example.com, b@example.com',
  'a@example.com;b@example.com',
  'a@example.com\nBcc: b@example.com',
  'a@example.com\r\nRCPT TO:<b@evil.example>',
  '<a@example.com>',
  'Ada <a@example.com>',
  'a b@example.com',
  'a@evil.example@example.com',
  '"a@evil.example x"@example.com',
  '"a"@example.com',
  'a@example.com (b@evil.example)',
  'a(b@evil.example)@example.com',
  'group:a@evil.example;@example.com',
  '@evil.example:a@example.com',
  'a＠evil.example',
  'a＠evil.example@example.com',
  'a@example.com\u3002evil.example',
  'a@[192.0.2.1]',
  'a@example.com\0',
  '',
])('no mail goes to an attribute that is not one plain address: %j', (text) => {
  expect(addressOf(text)).toBeNull()
})
