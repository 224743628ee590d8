import { randomBytes, randomInt } from 'node:crypto'
import type { Seed } from './seed.ts'

/** Generates a password that is easy to read out and to type: syllables from a CSPRNG, 49 bits. */
export function readablePassword(): string {
  const consonants = 'bdfgklmnprstvz'
  const vowels = 'aeiou'
  const syllable = () => consonants.charAt(randomInt(consonants.length)) + vowels.charAt(randomInt(vowels.length))
  return Array.from({ length: 4 }, () => syllable() + syllable()).join('-')
}

/** Generates an id or a secret: 40 hexadecimal characters from a CSPRNG. */
export function randomKey(): string {
  return randomBytes(20).toString('hex')
}

/** Returns the seed of an emulator without a seed file, with new ids, secrets and passwords. */
export function planDefaultSeed(): Seed {
  const studio = 'studio'
  const newsroom = 'newsroom'
  const client = (owner: string, prefix: string) => ({
    client_id: randomKey(),
    client_secret: randomKey(),
    name: `Demo client of ${owner}`,
    redirect_uri_prefix: prefix,
    redirect_uri_prefixes: [prefix],
    owner,
  })
  const lock = { url: 'http://localhost:3000/', secret: randomKey() }
  return {
    clients: [client(studio, 'http://127.0.0.1/callback'), client(newsroom, 'http://127.0.0.1/newsroom/callback')],
    users: [studio, newsroom].map((username) => ({ username, password: readablePassword() })),
    channels: [
      { id: '1001', title: 'Town hall', owner: studio, locked: true },
      { id: '1002', title: 'Open studio', owner: studio, locked: false },
      { id: '1003', title: 'Morning news', owner: newsroom, locked: false },
    ],
    videos: [
      { id: '2001', title: 'Product launch, the recording', channel_id: '1002', owner: studio, locked: true },
      { id: '2002', title: 'Town hall, last month', channel_id: '1001', owner: studio, locked: true },
      { id: '2003', title: 'Studio tour', channel_id: '1002', owner: studio, locked: false },
      { id: '2004', title: 'Headlines of the week', channel_id: '1003', owner: newsroom, locked: false },
    ],
    viewers: [],
    locks: [
      { content_type: 'live', content_id: '1001', ...lock },
      // Video 2002 has no lock of its own: it inherits the lock of its channel.
      { content_type: 'recorded', content_id: '2001', ...lock },
    ],
    viewer_auth: [],
    views: [],
    generated_views: 0,
  }
}
