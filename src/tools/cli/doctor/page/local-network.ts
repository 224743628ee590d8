import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { type Finding, failure, unknown, warning } from '../finding.ts'
import { assumedDocument, type FramedDocument, shown } from './framed-document.ts'

/** The networks of Local Network Access, from the least to the most public. */
const SPACES = ['loopback', 'local', 'public'] as const

type AddressSpace = (typeof SPACES)[number]

/** The ranges of ipaddr.js that Chromium or Firefox takes for local. */
const LOCAL_RANGES: readonly string[] = [
  'private',
  'linkLocal',
  'carrierGradeNat',
  'uniqueLocal',
  'deprecatedSiteLocal',
]

/** An address of a host, as this machine resolves it. */
interface HostAddress {
  /** An IP address, or a name below `local` or `localhost`. */
  readonly address: string
  readonly space: AddressSpace
}

const FEATURES: Readonly<Record<AddressSpace, string>> = {
  loopback: 'loopback-network',
  local: 'local-network',
  public: '',
}

/**
 * Checks Local Network Access: browsers ask the viewer before a public document shows a local address in a frame. They
 * do not even ask unless the frames around that document delegate the permission. The document is usually the player.
 * @param path the page, the documents between, and the sign-in screen.
 */
export async function checkLocalNetwork(path: readonly FramedDocument[]): Promise<Finding[]> {
  const frame = await localFrameOn(path)
  if (frame === null) return []
  const { ancestors, url, to } = frame
  const feature = FEATURES[to.space]
  const text = `${shown(ancestors.at(-1)?.url)} has a public address, but ${url.host} has the address ${to.address} here, which is ${to.space}.`
  const cures = `Give ${url.host} a public address, for example by a proxy. For other cures, see .github/deploy/intranet.md.`
  const page = shown(ancestors[0]?.url)
  if (ancestors.some(({ element }, index) => index > 0 && element === null)) {
    const prompt = `Chromium, Edge and Firefox show the sign-in screen only if the page has allow="${feature}" on the frame of the player, and the viewer agrees.`
    return [unknown('local-network-unseen', `${text} ${prompt} ${cures}`)]
  }
  return delegates(ancestors, feature)
    ? [
        warning(
          'local-network-prompt',
          `${page}: ${text} Chromium, Edge and Firefox ask viewers first if the page may use the local network, and block the sign-in screen if they refuse. ${cures}`,
        ),
      ]
    : [
        failure(
          'local-network-blocked',
          `${page}: ${text} Chromium, Edge and Firefox do not show the sign-in screen, because the frame of the player lacks allow="${feature}". Add it, and viewers are asked. Or, better: ${cures}`,
        ),
      ]
}

/** Checks the way from a player to a sign-in screen, without a page. */
export async function checkUnseenPlayer(player: URL, screen: URL): Promise<Finding[]> {
  const document = assumedDocument(player)
  return await checkLocalNetwork([document, document, assumedDocument(screen)])
}

/** Finds the first frame that leads from a public document to a less public address. */
async function localFrameOn(path: readonly FramedDocument[]) {
  for (const [index, document] of path.entries()) {
    const ancestors = path.slice(0, index)
    const parent = ancestors.at(-1)
    if (parent === undefined) continue
    const from = await hostAddresses(parent.url)
    for (const url of document.addresses) {
      const to = lessPublic(from, await hostAddresses(url))
      if (to !== undefined) return { ancestors, url, to }
    }
  }
  return null
}

/** True if each document passes the feature on to the frame of the next one. */
function delegates(path: readonly FramedDocument[], feature: string): boolean {
  return path.every((document, index) => {
    const parent = path[index - 1]
    return parent === undefined || document.url.origin === parent.url.origin || allows(document, feature)
  })
}

/** True if the attribute `allow` of its frame names the feature. */
function allows({ element }: FramedDocument, feature: string): boolean {
  const directives = (element?.allow ?? '').toLowerCase().split(';')
  return directives.some((directive) => directive.trim().split(/\s+/)[0] === feature)
}

/** Resolves the host of an address. Empty if DNS does not know the host. */
async function hostAddresses({ hostname }: URL): Promise<readonly HostAddress[]> {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (/(^|\.)localhost$/.test(name)) return [{ address: name, space: 'loopback' }]
  // Names of multicast DNS (RFC 6762). Chromium takes them for local, also without an address.
  if (name.endsWith('.local')) return [{ address: name, space: 'local' }]
  const found = await lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => ({ address, space: spaceOf(address) }))
}

/** Returns the first address of `to` that is less public than an address of `from`. Undefined if there is none. */
function lessPublic(from: readonly HostAddress[], to: readonly HostAddress[]): HostAddress | undefined {
  const rank = ({ space }: HostAddress) => SPACES.indexOf(space)
  const most = Math.max(...from.map(rank))
  return to.find((one) => rank(one) < most)
}

function spaceOf(address: string): AddressSpace {
  const range = ipaddr.process(address).range()
  if (range === 'loopback') return 'loopback'
  return LOCAL_RANGES.includes(range) ? 'local' : 'public'
}
