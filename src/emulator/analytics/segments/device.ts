import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from 'js-yaml'
import makeParser from 'uap-ref-impl'
import { z } from 'zod'

const Text = z.string().nullable()
const Parsed = z.object({
  ua: z.object({ family: z.string(), major: Text, minor: Text, patch: Text }),
  os: z.object({ family: z.string(), major: Text, minor: Text, patch: Text, patchMinor: Text }),
  device: z.object({ family: z.string(), brand: Text, model: Text }),
})

/** As the analytics document shapes it: families are always present, everything else may be null. */
export interface DeviceInfo {
  readonly browser: { family: string; major: string | null; minor: string | null; patch: string | null }
  readonly os: {
    family: string
    major: string | null
    minor: string | null
    patch: string | null
    patch_minor: string | null
  }
  readonly device: { family: string; brand: string | null; model: string | null }
}

export interface Device {
  readonly info: DeviceInfo
  /** A phone or a tablet, by its operating system. */
  readonly isMobile: boolean
}

/** A user agent costs a fifth of a millisecond to parse, and some patterns are slow on very long texts. */
const LONGEST_USER_AGENT = 512
const REMEMBERED_DEVICES = 1_000

const MOBILE_SYSTEMS = new Set([
  'Android',
  'BlackBerry OS',
  'BlackBerry Tablet OS',
  'Firefox OS',
  'HarmonyOS',
  'iOS',
  'KaiOS',
  'Symbian OS',
  'Tizen',
  'Windows Mobile',
  'Windows Phone',
])
/** Televisions and boxes run the systems of phones. */
const TELEVISIONS = /\bTV\b|SmartTV|AppleTV|BRAVIA|CrKey|\bAFT[A-Z]/i

const remembered = new Map<string, Device>()
let parser: ReturnType<typeof makeParser> | undefined

/**
 * What a user agent says, by the patterns of uap-core. An unknown or empty one has the family "Other" throughout.
 * Only its first 512 characters are read.
 */
export function describeDevice(userAgent: string): Device {
  const text = userAgent.slice(0, LONGEST_USER_AGENT)
  const known = remembered.get(text)
  if (known !== undefined) return known
  const device = parseDevice(text)
  // The oldest entry goes: a map keeps the order in which keys were added.
  if (remembered.size >= REMEMBERED_DEVICES) remembered.delete(remembered.keys().next().value ?? '')
  remembered.set(text, device)
  return device
}

function parseDevice(userAgent: string): Device {
  parser ??= loadParser()
  const { ua, os, device } = Parsed.parse(parser.parse(userAgent))
  return {
    info: {
      browser: { family: ua.family, major: ua.major, minor: ua.minor, patch: ua.patch },
      os: { family: os.family, major: os.major, minor: os.minor, patch: os.patch, patch_minor: os.patchMinor },
      device: { family: device.family, brand: device.brand, model: device.model },
    },
    isMobile: MOBILE_SYSTEMS.has(os.family) && !TELEVISIONS.test(userAgent),
  }
}

function loadParser() {
  const patterns = load(readFileSync(fileURLToPath(import.meta.resolve('uap-core/regexes.yaml')), 'utf8'))
  return makeParser(z.looseObject({}).parse(patterns))
}
