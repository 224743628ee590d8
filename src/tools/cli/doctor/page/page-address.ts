import { InvalidArgumentError } from 'commander'

/** Reads a repeatable option with the address of a page. */
export function pageAddress(text: string, previous: readonly URL[] = []): URL[] {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('Use an address with https://.')
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Leave out the user name and the password. The page is loaded without them.')
  }
  return [...previous, url]
}
