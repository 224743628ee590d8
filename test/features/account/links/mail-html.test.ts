import { readdirSync } from 'node:fs'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { describe, expect, test } from 'vitest'
import { UNBRANDED } from '../../../../src/brand/brand.ts'
import {
  greetingNameOf,
  invitationMail,
  type MailContext,
  noticeMail,
  resetMail,
} from '../../../../src/features/account/links/account-mails.ts'
import type { Mail } from '../../../../src/services/mail/smtp.ts'

const LINK = `https://login.example/account/new-password?token=${'x'.repeat(43)}`
const HELP = 'https://help.example/?a=1&b=2'
const LANGUAGES = readdirSync(new URL('../../../../views/languages', import.meta.url)).map((file) => file.slice(0, -5))
const AGENT_AND_TIME = { atMs: Date.UTC(2026, 10, 23, 22, 5), device: ['Firefox', 'Windows'] }

function contextOf(changed: Partial<MailContext> = {}): MailContext {
  const brand = { ...UNBRANDED, helpUrl: HELP }
  const viewer = { to: 'ada@example.com', name: 'Ada', username: 'ada@example.com' }
  return { ...viewer, service: 'Lakeside', language: 'en', brand, watchUrl: null, request: AGENT_AND_TIME, ...changed }
}

const KINDS: Readonly<Record<string, (context: MailContext) => Mail>> = {
  reset: (context) => resetMail(context, LINK, 30),
  invitation: (context) => invitationMail(context, LINK, 7),
  notice: (context) =>
    noticeMail(
      context,
      ({ account: { mail } }) => ({ subject: mail.changedSubject, paragraphs: [mail.changed, mail.changedNotYou] }),
      LINK,
    ),
}

function elementsOf(node: DefaultTreeAdapterTypes.Node): DefaultTreeAdapterTypes.Element[] {
  const children = 'childNodes' in node ? node.childNodes : []
  return children.flatMap((child) => ('tagName' in child ? [child, ...elementsOf(child)] : []))
}

function wordsOf(node: DefaultTreeAdapterTypes.Node): string {
  if ('value' in node) return node.value
  if ('tagName' in node && node.tagName === 'style') return ''
  return 'childNodes' in node ? node.childNodes.map(wordsOf).join(' ') : ''
}

/** Returns the texts of the HTML, its elements, and the values of its attributes that can name an address. */
function read({ html }: Mail) {
  const document = parse(html)
  const elements = elementsOf(document)
  const attributes = elements.flatMap(({ attrs }) => attrs)
  const addresses = attributes.filter(({ value }) => /:\/\/|^\/\/|mailto:|url\(/i.test(value)).map(({ value }) => value)
  return {
    words: wordsOf(document).replace(/\s+/g, ' '),
    tags: elements.map(({ tagName }) => tagName),
    attributes,
    addresses,
  }
}

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(Object.keys(KINDS))('the parts of a mail (%s) say the same, and load nothing', (kind) => {
    const mail = KINDS[kind]?.(contextOf({ language })) ?? expect.unreachable()
    const { words, tags, addresses } = read(mail)
    expect(mail.text.split('\n')).toContain(LINK)
    for (const line of mail.text.split('\n').filter((found) => !found.includes(HELP))) {
      expect(words).toContain(line.replace(/\s+/g, ' '))
    }
    expect(mail.text).toContain(HELP)
    expect(`${mail.subject}${mail.text}${words}`).not.toMatch(/[{}]|undefined/)
    expect(addresses).toEqual([LINK, LINK, HELP])
    expect(tags.filter((tag) => /^(img|script|link|iframe|object|embed|svg|video|form|base)$/.test(tag))).toEqual([])
    expect(mail.html).toContain(`<html lang="${language}" dir="${['ar', 'he'].includes(language) ? 'rtl' : 'ltr'}">`)
    expect(mail.html).not.toMatch(/@import|url\(|javascript:/i)
  })
})

test.each([
  '<img src=https://evil.example/x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '</title></style><a href="https://evil.example">x</a>',
  "' style='x:url(https://evil.example)",
  '{service}{username}{time}',
])('the hostile text %j stays text, whatever it is the name of', (hostile) => {
  const request = { ...AGENT_AND_TIME, device: [hostile] }
  const mail = resetMail(contextOf({ name: hostile, username: hostile, service: hostile, request }), LINK, 30)
  const { words, attributes, tags, addresses } = read(mail)
  expect(addresses).toEqual([LINK, LINK, HELP])
  expect(tags.filter((tag) => tag === 'img' || tag === 'script')).toEqual([])
  expect(attributes.filter(({ name }) => name.startsWith('on'))).toEqual([])
  expect(words.split(hostile).length).toBeGreaterThan(3)
})

test('a mail names the time and the device of its request, as far as known', () => {
  const known = resetMail(contextOf(), LINK, 30).text
  expect(known).toMatch(/^Time: Monday, November 23, 2026 at 10:05\sPM UTC\nDevice: Firefox, Windows$/m)
  const unknown = resetMail(contextOf({ request: { ...AGENT_AND_TIME, device: [] } }), LINK, 30)
  expect(unknown.text + unknown.html).not.toContain('Device')
  const uncaused = invitationMail(contextOf({ request: null }), LINK, 7)
  expect(uncaused.text + uncaused.html).not.toMatch(/Device|Time:/)
})

test('the button has the colors of the brand, and letters that can be read in the dark', () => {
  const brand = { colors: { light: '#123456', dark: '#ffee00' }, helpUrl: null }
  const { html } = resetMail(contextOf({ brand }), LINK, 30)
  expect(html).toMatch(/<td class="button"[^>]*background:#123456/)
  expect(html).toMatch(/prefers-color-scheme: dark[^@]*\.button { background: #ffee00 !important; }/)
  expect(html).toMatch(/\.button a { color: #000 !important; }/)
  expect(html).not.toContain('Help')
})

test.each([
  ['Ada', 'Ada'],
  [' Ada Lovelace ', 'Ada Lovelace'],
  ['J. R. R. O’Brien-Núñez', 'J. R. R. O’Brien-Núñez'],
  ['山田 太郎', '山田 太郎'],
  ['מרים', 'מרים'],
  ['', 'ada@example.com'],
  ['win at evil.example', 'ada@example.com'],
  ['https://evil.example', 'ada@example.com'],
  ['Ada\nBcc: x', 'ada@example.com'],
  ['\u202eadA', 'ada@example.com'],
  ['<b>Ada</b>', 'ada@example.com'],
  ['A'.repeat(65), 'ada@example.com'],
])('a mail to a viewer whose name is %j greets %j', (firstName, greeted) => {
  const viewer = { username: 'ada@example.com', groups: [], attributes: { firstName } }
  expect(greetingNameOf(viewer, 'firstName')).toBe(greeted)
})

test('without the setting or the attribute, a mail greets the user name', () => {
  const viewer = { username: 'ada', groups: [], attributes: { firstName: 'Ada' } }
  expect(greetingNameOf(viewer, null)).toBe('ada')
  expect(greetingNameOf(viewer, 'lastName')).toBe('ada')
  expect(greetingNameOf(viewer, 'username')).toBe('ada')
})

test.each(LANGUAGES)('an invitation says what it is for, and where the video is, in %s', (language) => {
  const occasion = 'Annual meeting {username} <b>, 27 November 20:00'
  const watchUrl = 'https://www.example.com/live?a={service}&b=2'
  const plain = invitationMail(contextOf({ language }), LINK, 7)
  const mail = invitationMail(contextOf({ language, watchUrl }), LINK, 7, { occasion })
  expect(mail.subject).toBe(`${plain.subject} – ${occasion}`)
  expect(mail.text).toContain(`\n\n${occasion}\n\n`)
  expect(mail.text).toContain(`: ${watchUrl}\n\n`)
  expect(read(mail).words).toContain(occasion)
  expect(read(mail).addresses).toContain(watchUrl)
  expect(read(mail).tags).not.toContain('b')
  expect(plain.text).not.toContain('null')
})
