import { parseAuthenticationResponse } from '../../hash-lock/authentication-response.ts'

/**
 * Makes what was asked and answered fit to be shown: a secret or password disappears, a token keeps four characters to
 * be told from another. Names decide; besides, nothing that looks like a token passes under any name but `client_id`.
 */
const SECRET_NAMES = /secret|password|passwd|mac_key|^shown$/i
const TOKEN_NAMES = /token$|^code$|^playback$|^nonce$|^mac$|^signature$/i
const RESPONSE_NAMES = /^(hash|response)$/i
const TOKEN_LOOKS = /\b[0-9a-f]{32,}\b|\beyJ[\w-]+\.[\w-]+\.[\w-]+/gi
const HIDDEN = '•••'
const SHORTEST_TOKEN = 16

/** An address or path with its query. */
export function maskAddress(address: string): string {
  const at = address.indexOf('?')
  if (at === -1) return maskTokens(address)
  return `${maskTokens(address.slice(0, at))}?${maskForm(address.slice(at + 1))}`
}

/** A query or a form, percent-encoded. */
export function maskForm(form: string): string {
  const masked = form.split('&').map((pair) => {
    const at = pair.indexOf('=')
    if (at === -1) return maskTokens(pair)
    const value = decode(pair.slice(at + 1))
    const shown = maskValue(decode(pair.slice(0, at)), value)
    // What is not changed stays as it was sent.
    return shown === value ? pair : `${pair.slice(0, at)}=${shown}`
  })
  return masked.join('&')
}

/** JSON or XML, whole or cut off anywhere. */
export function maskDocument(text: string): string {
  return text
    .replace(/"([\w.-]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)("?)/gs, (_all, name: string, colon, value: string, end) => {
      const inner = parseString(value)
      return `"${name}"${colon}"${JSON.stringify(maskValue(name, inner)).slice(1, -1)}${end}`
    })
    .replace(/<([\w.-]+)>([^<]+)/g, (_all, name: string, value: string) => `<${name}>${maskValue(name, value)}`)
}

/** The value of an Authorization header: its scheme stays. */
export function maskAuthorization(header: string): string {
  const [, scheme = '', rest = ''] = /^([A-Za-z]+) (.*)$/s.exec(header) ?? ['', '', header]
  if (/^basic$/i.test(scheme)) return `${scheme} ${HIDDEN}`
  if (/^mac$/i.test(scheme)) {
    const masked = rest.replace(/(\w+)="([^"]*)"/g, (_all, name: string, value: string) => {
      return `${name}="${name === 'id' ? shortened(value) : maskValue(name, value)}"`
    })
    return `${scheme} ${masked}`
  }
  return `${scheme} ${shortened(rest)}`.trim()
}

function maskValue(name: string, value: string): string {
  if (value === '') return ''
  if (RESPONSE_NAMES.test(name)) return maskResponse(value)
  if (SECRET_NAMES.test(name)) return HIDDEN
  if (/^client_id$/i.test(name)) return value
  if (TOKEN_NAMES.test(name) && value.length >= SHORTEST_TOKEN) return shortened(value)
  return maskAddressWithin(value)
}

/** A value can be an address itself, as a `redirect_uri` or a `Location` is. */
function maskAddressWithin(value: string): string {
  return /^(https?:\/)?\/[^\s]*\?/.test(value) ? maskAddress(value) : maskTokens(value)
}

/** An authentication response lets its holder watch: without its hash it does not. */
function maskResponse(value: string): string {
  const parts = parseAuthenticationResponse(value)
  if (parts === null) return maskTokens(value.slice(0, 300))
  return value.replace(parts.hash, shortened(parts.hash))
}

function maskTokens(text: string): string {
  return text.replace(TOKEN_LOOKS, (token) => shortened(token))
}

function shortened(token: string): string {
  return token.length < SHORTEST_TOKEN ? HIDDEN : `${token.slice(0, 4)}…`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function parseString(inner: string): string {
  try {
    return String(JSON.parse(`"${inner}"`))
  } catch {
    return inner
  }
}
