import { parseAuthenticationResponse } from '../../../hash-lock/check-response.ts'

/**
 * Masks requests and responses for the request log. Secrets and passwords disappear; tokens keep four characters, so
 * that a reader can tell two tokens apart. Parameter names decide. Values that look like a token are masked under every
 * name except `client_id`.
 */
const SECRET_NAMES = /secret|password|passwd|mac_key/i
const TOKEN_NAMES = /token$|^vt$|^code$|^playback$|^nonce$|^mac$|^signature$/i
const RESPONSE_NAMES = /^(hash|response)$/i
const TOKEN_LOOKS = /\b[0-9a-f]{32,}\b|\beyJ[\w-]+(?:\.[\w-]*){2,4}/gi
const HIDDEN = '•••'
const MIN_TOKEN_LENGTH = 16

/** Masks an address or a path with its query. */
export function maskAddress(address: string): string {
  const at = address.indexOf('?')
  if (at === -1) return maskTokens(address)
  return `${maskTokens(address.slice(0, at))}?${maskForm(address.slice(at + 1))}`
}

/** Masks a query or a form, percent-encoded. */
export function maskForm(form: string): string {
  const masked = form.split('&').map((pair) => {
    const at = pair.indexOf('=')
    if (at === -1) return maskTokens(pair)
    const value = decode(pair.slice(at + 1))
    const shown = maskValue(decode(pair.slice(0, at)), value)
    // Unmasked pairs stay exactly as sent.
    return shown === value ? pair : `${pair.slice(0, at)}=${shown}`
  })
  return masked.join('&')
}

/** Masks JSON or XML, also if the end is cut off. */
export function maskDocument(text: string): string {
  return text
    .replace(/"([\w.-]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)("?)/gs, (_all, name: string, colon, value: string, end) => {
      const inner = parseString(value)
      return `"${name}"${colon}"${JSON.stringify(maskValue(name, inner)).slice(1, -1)}${end}`
    })
    .replace(/<([\w.-]+)>([^<]+)/g, (_all, name: string, value: string) => `<${name}>${maskValue(name, value)}`)
}

/** Masks the value of an Authorization header, but not its scheme. */
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
  if (TOKEN_NAMES.test(name) && value.length >= MIN_TOKEN_LENGTH) return shortened(value)
  return maskAddressWithin(value)
}

/** A value can itself be an address, such as a `redirect_uri`. */
function maskAddressWithin(value: string): string {
  return /^(https?:\/)?\/[^\s]*\?/.test(value) ? maskAddress(value) : maskTokens(value)
}

/** An authentication response lets its holder watch. Without the hash it is useless. */
function maskResponse(value: string): string {
  const parts = parseAuthenticationResponse(value)
  if (parts === null) return maskTokens(value.slice(0, 300))
  return value.replace(parts.hash, shortened(parts.hash))
}

function maskTokens(text: string): string {
  return text.replace(TOKEN_LOOKS, (token) => shortened(token))
}

function shortened(token: string): string {
  return token.length < MIN_TOKEN_LENGTH ? HIDDEN : `${token.slice(0, 4)}…`
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
