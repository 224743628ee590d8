import { type Finding, failure, unknown, warning } from '../finding.ts'
import { type AddressSpace, type HostAddress, hostAddresses, lessPublic } from './address-space.ts'
import { shown } from './finding-of-obstacle.ts'
import { assumedDocument, type FramedDocument } from './framed-document.ts'

const FEATURES: Readonly<Record<AddressSpace, string>> = {
  loopback: 'loopback-network',
  local: 'local-network',
  public: '',
}

/** A frame that leads from a public document to a less public address. */
interface LocalFrame {
  /** The documents from the page to the one whose frame it is. */
  readonly ancestors: readonly FramedDocument[]
  readonly url: URL
  readonly to: HostAddress
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
  const forbidding = ancestors.find((document, index) => forbids(document, feature, ancestors[index + 1] ?? document))
  if (forbidding) {
    return [
      failure(
        'local-network-forbidden',
        `${page}: ${text} The header Permissions-Policy of ${shown(forbidding.url)} forbids ${feature}, so Chromium and Edge do not show the sign-in screen. Write ${feature}=* in it. Or, better: ${cures}`,
      ),
    ]
  }
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

async function localFrameOn(path: readonly FramedDocument[]): Promise<LocalFrame | null> {
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

/** True if the header Permissions-Policy takes the feature from the document or from the next one. */
function forbids({ url, permissionsPolicy }: FramedDocument, feature: string, next: FramedDocument): boolean {
  const lists = (permissionsPolicy ?? '').split(',').flatMap((directive) => {
    const [name, list = ''] = directive.split('=', 2).map((part) => part.trim())
    return name === feature ? [list.replace(/^\(|\)$/g, '').split(/\s+/)] : []
  })
  // The last one counts.
  const list = lists.at(-1)
  if (list === undefined || list.includes('*')) return false
  const has = ({ origin }: URL) => list.includes(`"${origin}"`) || (list.includes('self') && origin === url.origin)
  return !(has(url) && has(next.url))
}

/** Reads the attribute `allow`. A feature without a list is for the origin of the attribute `src`. */
function allows({ addresses, url, element }: FramedDocument, feature: string): boolean {
  return (element?.allow ?? '').split(';').some((directive) => {
    const [name, ...list] = directive.trim().split(/\s+/)
    if (name?.toLowerCase() !== feature) return false
    const isSource = addresses[0].origin === url.origin
    return list.length === 0
      ? isSource
      : list.some((one) => one === '*' || one === url.origin || (one === "'src'" && isSource))
  })
}
