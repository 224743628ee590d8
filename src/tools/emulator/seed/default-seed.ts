import { readablePassword } from './secrets.ts'
import { completeSeed, type Seed } from './seed.ts'

/** Returns the seed of an emulator without a seed file, with new ids, secrets and passwords. */
export function planDefaultSeed(): Seed {
  const studio = 'studio'
  const newsroom = 'newsroom'
  const file = {
    clients: [
      { redirect_uri_prefixes: ['http://127.0.0.1/callback'], owner: studio },
      { redirect_uri_prefixes: ['http://127.0.0.1/newsroom/callback'], owner: newsroom },
    ],
    users: [studio, newsroom].map((username) => ({ username, password: readablePassword() })),
    channels: [
      { id: '1001', title: 'Town hall', owner: studio },
      { id: '1002', title: 'Open studio', owner: studio },
      { id: '1003', title: 'Morning news', owner: newsroom },
    ],
    videos: [
      { id: '2001', title: 'Product launch, the recording', channel_id: '1002' },
      { id: '2002', title: 'Town hall, last month', channel_id: '1001' },
      { id: '2003', title: 'Studio tour', channel_id: '1002' },
      { id: '2004', title: 'Headlines of the week', channel_id: '1003' },
    ],
    viewers: [],
    locks: [
      { content_type: 'live' as const, content_id: '1001' },
      // Video 2002 has no lock of its own: it inherits the lock of its channel.
      { content_type: 'recorded' as const, content_id: '2001' },
    ],
    views: [],
    generated_views: 0,
  }
  return completeSeed(file, {})
}
