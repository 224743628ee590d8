import { usernameKey } from '../../../../../users/viewer-fields.ts'

/** Characters that a system puts in the place of others. */
const REPLACEMENTS = new Set('?_-.*#+ \ufffd□')
/** Every system keeps these characters. */
const STABLE = /[A-Za-z0-9@._-]/
const UNSTABLE = /[^A-Za-z0-9@._-]/
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
/** A key with fewer of the characters of a name says too little. */
const LEAST_SHARE = 0.5

/**
 * Returns the keys under which a name is found, if a system changed its characters: accents removed, characters removed,
 * and each character replaced. A key is missing if too little of the name is left in it.
 */
export function changedKeys(name: string): string[] {
  const composed = usernameKey(name)
  const folded = composed.normalize('NFKD').replace(/\p{M}/gu, '')
  const least = [...composed].length * LEAST_SHARE
  const keys = [folded, composed].map((text) => text.replace(/[^a-z0-9@.]/g, ''))
  return [
    ...keys.filter((key) => key !== '' && key.length >= least).map((key) => `removed ${key}`),
    `replaced ${[...composed].map((character) => (/[a-z0-9@.]/.test(character) ? character : '?')).join('')}`,
  ]
}

/** True for a name with characters that some systems do not keep. */
export function isChangeable(name: string): boolean {
  return UNSTABLE.test(name)
}

/** True if a changeable name could have become the other one, which has no character that comes from elsewhere. */
export function canBecome(known: string, other: string): boolean {
  const characters = new Set(usernameKey(known))
  return [...usernameKey(other)].every(
    (character) => STABLE.test(character) || REPLACEMENTS.has(character) || characters.has(character),
  )
}

/** Returns other readings of a name: percent-encoded, with HTML entities, or UTF-8 that was read as Latin-1. */
export function otherReadings(name: string): string[] {
  const readings = [percentDecoded(name), withoutEntities(name), fromLatin1(name)]
  return [...new Set(readings)].filter((reading) => reading !== name)
}

function percentDecoded(name: string): string {
  const whole = name.replaceAll('+', ' ').replace(/%[0-9a-f]?$/i, '')
  try {
    return /%[0-9a-f]{2}/i.test(whole) ? decodeURIComponent(whole) : name
  } catch {
    return name
  }
}

function withoutEntities(name: string): string {
  return name
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (whole, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .replace(/&(amp|lt|gt|quot|apos);/g, (whole, entity: string) => ENTITIES[entity] ?? whole)
}

function fromLatin1(name: string): string {
  if (!/[\u0080-\u00ff]/.test(name) || /[^\0-\u00ff]/.test(name)) return name
  const text = Buffer.from(name, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? name : text
}
