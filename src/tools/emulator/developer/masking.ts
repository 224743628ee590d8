/** The start of a value: after `=` in an address, a form or a header, after `:` in JSON, after a tag in XML. */
const START = String.raw`(?:="?|"\s*:\s*"|>)`
/** The start of a token that its look tells, also in an address within another one. A client id is not a token. */
const ALONE = String.raw`(?<!client_id${START})(?:\b(?<!%)|(?<=%[0-9A-Fa-f]{2}))`

const MASKS: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [new RegExp(String.raw`((?<![\w/])\w*(?:secret|password|passwd|mac_key)${START})(?:\\.|[^&"<\\])+`, 'gi'), '$1•••'],
  [/\b(Basic) .+/gi, '$1 •••'],
  [new RegExp(String.raw`(\b(?:\w*token|vt|code|playback|nonce|mac|signature)${START}.{4})[^&"<]{12,}`, 'gi'), '$1…'],
  [new RegExp(`${ALONE}([0-9a-f]{4})[0-9a-f]{28,}\\b`, 'gi'), '$1…'],
  [new RegExp(String.raw`${ALONE}(eyJ[\w-])[\w-]*(?:\.[\w-]*){2,4}`, 'g'), '$1…'],
]

/**
 * Masks a text for the request log. Secrets and passwords disappear; tokens and hashes keep four characters, so that a
 * reader can tell two of them apart.
 */
export function masked(text: string): string {
  return MASKS.reduce((left, [pattern, shown]) => left.replace(pattern, shown), text)
}
