import { FORM_TYPE } from './fuzz-request.ts'

/** Values as they stand in a query or a form. */
export const NASTY: readonly string[] = [
  ...[
    '',
    '%',
    '%zz',
    '%00',
    'a%00b',
    '%FF',
    '%C0%AF',
    '%ED%A0%80',
    '%ED%BF%BF',
    '%u0041',
    '%F0%9F%98%80',
    '\xe9',
    '\xff\xfe',
  ],
  ...[
    '%0d%0aX-Injected:%20yes',
    '%0aX-Injected:%20yes',
    '%E5%98%8A%E5%98%8DX-Injected:%20yes',
    'a%7Cb',
    '|',
    '%7C1900000000',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '%7B%22a%22:1%7D',
    '%5B%5D',
    '[object%20Object]',
    'null',
  ],
  ...['0', '-1', '1e999', 'NaN', 'true', 'undefined', '+', '%20', '%E2%80%AE', 'e%CC%81', '%EF%BC%A1', '%EF%BF%BD'],
  ...[
    "'%20or%201=1--",
    '%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
    '$%7B7*7%7D',
    '%3C%25=7*7%25%3E',
    '%2e%2e%2f%2e%2e%2fetc/passwd',
  ],
  ...['https://evil.example/', '//evil.example', 'javascript:alert(1)', 'https://player.example.evil.example/embed/'],
  ...[
    'https://chat.example/customer/../x',
    'https://chat.example%5C@evil.example/',
    'https://user@chat.example/customer/1',
  ],
  ...[
    'https://chat.example/customer/1%23x',
    'https://chat.example/customer/%2568ash=1',
    'https%3A%2F%2Fchat.example%2Fcustomer%2F1%3Fhash%3D1',
  ],
  ...[
    'https://player.example/embed/../../x',
    'https://player.example/embed/1?vt=x',
    'data:text/html,x',
    'blob:https://chat.example/x',
  ],
]
export const NAMES = [
  ...[
    'username',
    'password',
    'shared',
    'hashConsumer',
    'ref',
    'ustreamContentType',
    'ustreamContentId',
    'lang',
    'prompt',
  ],
  ...[
    'flow',
    'wait',
    'way',
    'account',
    'code',
    'state',
    'iss',
    'error',
    'token',
    'newPassword',
    'repeatPassword',
    'currentPassword',
  ],
  ...[
    'challenge',
    'id',
    'clientData',
    'attestation',
    'signature',
    'authenticatorData',
    'userHandle',
    'transports',
    'create',
  ],
  ...['logout_token', 'viewer', 'hash', 'vt', '__proto__', 'constructor', 'toString', '__proto__[a]', 'a[b][c]', 'x'],
]
export const TYPES = [
  ...[
    `${FORM_TYPE}; charset=utf-8`,
    `${FORM_TYPE}; charset=iso-8859-1`,
    `${FORM_TYPE}; charset=utf-7`,
    `${FORM_TYPE}; charset="`,
  ],
  ...[
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain;',
    '',
    '/',
    'application/x-www-form-urlencoded\t',
  ],
]
export const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY M-SEARCH'.split(' ')
export const HOSTS = [
  'evil.example',
  'localhost:3000.evil.example',
  '127.0.0.1',
  '[::1]',
  'localhost:99999',
  'a@b',
  'x'.repeat(300),
  '_',
]
export const SITES = ['same-origin', 'same-site', 'cross-site', 'none', '', 'same-origin, cross-site', 'SAME-ORIGIN']
export const DESTINATIONS = ['iframe', 'document', 'empty', 'image', 'script', 'worker', '', 'IFRAME']
export const ORIGINS = [
  'null',
  'https://evil.example',
  'http://localhost:3000.evil.example',
  'http://localhost',
  'https://localhost:3000',
  '',
]
export const ACCEPTS = ['application/json', 'text/html', '*/*', 'a/b;q=x', '', 'application/json, text/html']
export const LANGUAGES = [
  'de',
  'xx',
  '*',
  'en;q=0',
  'de-DE-1996,ar;q=0.9',
  '__proto__',
  ',;=,;q=',
  'a'.repeat(500),
  'ja;q=1e99',
]
export const COOKIES = [
  'viewer=',
  'viewer=s%3A.',
  'viewer=s%3Aabc.def',
  'viewer=%',
  'viewer=j%3A%7B%7D',
  'viewer',
  '=',
  ';;;',
  'sso-=',
  '__proto__=x',
  'visit=x',
]
export const ADDRESSES = [
  'unknown',
  '',
  '1.2.3',
  '::1',
  '::ffff:10.0.0.1',
  '10.0.0.1, evil',
  '"10.0.0.1:80"',
  'a'.repeat(300),
  '[2001:db8::1]:80',
  ',',
]
