import { FORM_TYPE } from './fuzz-request.ts'

const lines = (text: string) => text.split('\n').map((line) => line.trim())
const words = (text: string) => text.trim().split(/\s+/)

/** Values as they stand in a query or a form. */
export const NASTY: readonly string[] = [
  '',
  '\xe9',
  '\xff\xfe',
  ...words(`
    % %zz %00 a%00b %FF %C0%AF %ED%A0%80 %ED%BF%BF %u0041 %F0%9F%98%80 a%7Cb | %7C1900000000
    %0d%0aX-Injected:%20yes %0aX-Injected:%20yes %E5%98%8A%E5%98%8DX-Injected:%20yes
    __proto__ constructor toString hasOwnProperty %7B%22a%22:1%7D %5B%5D [object%20Object] null
    0 -1 1e999 NaN true undefined + %20 %E2%80%AE e%CC%81 %EF%BC%A1 %EF%BF%BD
    '%20or%201=1-- %22%3E%3Cscript%3Ealert(1)%3C/script%3E $%7B7*7%7D %3C%25=7*7%25%3E %2e%2e%2f%2e%2e%2fetc/passwd
    https://evil.example/ //evil.example javascript:alert(1) data:text/html,x blob:https://chat.example/x
    https://player.example.evil.example/embed/ https://player.example/embed/../../x https://player.example/embed/1?vt=x
    https://chat.example/customer/../x https://chat.example%5C@evil.example/ https://user@chat.example/customer/1
    https://chat.example/customer/1%23x https://chat.example/customer/%2568ash=1
    https%3A%2F%2Fchat.example%2Fcustomer%2F1%3Fhash%3D1`),
]
export const NAMES = words(`
  username password shared hashConsumer ref ustreamContentType ustreamContentId lang prompt
  flow wait way account code state iss error token newPassword repeatPassword currentPassword
  challenge id clientData attestation signature authenticatorData userHandle transports create
  logout_token viewer hash vt __proto__ constructor toString __proto__[a] a[b][c] x`)
export const TYPES = [
  ...['utf-8', 'iso-8859-1', 'utf-7', '"'].map((charset) => `${FORM_TYPE}; charset=${charset}`),
  ...['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'text/plain;', '', '/', `${FORM_TYPE}\t`],
]
export const METHODS = words('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY M-SEARCH')
export const HOSTS = [
  ...words('evil.example localhost:3000.evil.example 127.0.0.1 [::1] localhost:99999 a@b _'),
  'x'.repeat(300),
]
export const SITES = ['same-origin, cross-site', '', ...words('same-origin same-site cross-site none SAME-ORIGIN')]
export const DESTINATIONS = ['', ...words('iframe document empty image script worker IFRAME')]
export const ORIGINS = [
  '',
  ...words('null https://evil.example http://localhost:3000.evil.example http://localhost https://localhost:3000'),
]
export const ACCEPTS = ['', 'application/json, text/html', ...words('application/json text/html */* a/b;q=x')]
export const LANGUAGES = ['a'.repeat(500), ...words('de xx * en;q=0 de-DE-1996,ar;q=0.9 __proto__ ,;=,;q= ja;q=1e99')]
export const COOKIES = words(
  'viewer= viewer=s%3A. viewer=s%3Aabc.def viewer=% viewer=j%3A%7B%7D viewer = ;;; sso-= __proto__=x visit=x',
)
export const ADDRESSES = lines(`unknown

  1.2.3
  ::1
  ::ffff:10.0.0.1
  10.0.0.1, evil
  "10.0.0.1:80"
  ${'a'.repeat(300)}
  [2001:db8::1]:80
  ,`)
