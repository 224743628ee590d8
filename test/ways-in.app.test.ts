import { expect, test } from 'vitest'
import { startWayIn } from './way-in.ts'
import { WAYS_IN } from './ways-in.ts'

const PLAYER = 'https://player.example'

/** Returns the addresses of this app that a page or style sheet names. */
function addressesIn(text: string, page: string): string[] {
  const found = text.matchAll(/(?:href|src)="([^"#]+)"|url\(['"]?([^'")]+)['"]?\)/g)
  return [...found]
    .map(([, address = '', file = '']) => new URL((address || file).replaceAll('&amp;', '&'), page).href)
    .filter((address) => address.startsWith(new URL(page).origin))
}

/** Opens pages with all that they load and lead to. @returns the addresses that do not answer 200. */
async function missing(pages: readonly string[]): Promise<string[]> {
  const open = [...pages]
  const seen = new Set<string>()
  const faults: string[] = []
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    if (seen.has(address)) continue
    seen.add(address)
    const answer = await fetch(address)
    if (answer.status !== 200) faults.push(`${answer.status} ${address}`)
    open.push(...addressesIn(await answer.text(), address))
  }
  return faults
}

test.each(WAYS_IN)('$name: its screens are whole, and a viewer signs in', async (way) => {
  const { app, origin, output, screen, signIn } = await startWayIn(way)
  expect(await missing([screen])).toEqual([])
  if (signIn) {
    const answer = await signIn(app)
    expect(answer.status).toBeLessThan(400)
    const location = answer.headers.get('location') ?? ''
    const next = location.startsWith('/') ? [new URL(location, origin).href] : addressesIn(await answer.text(), origin)
    if (!location.startsWith(PLAYER)) expect(next).not.toEqual([])
    expect(await missing(next)).toEqual([])
  }
  const lines = output().trim().split('\n')
  const faults = lines.filter((line) => /"level":[56]0|"outcome":"failed"/.test(line))
  expect(faults).toEqual([])
})
