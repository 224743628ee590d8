import { describe, expect, test } from 'vitest'
import { mistakesIn, SETTINGS } from '../settings.ts'

describe('plain http', () => {
  const local = { ...SETTINGS, PUBLIC_URL: 'http://localhost:3000' }
  test.each(['http://localhost:3000', 'http://127.0.0.1', 'http://127.9.8.7:1', 'http://[::1]:3000', 'http://0x7f.1'])(
    'PUBLIC_URL may be plain http on %s',
    (PUBLIC_URL) => {
      expect(mistakesIn({ ...SETTINGS, PUBLIC_URL })).toEqual([])
    },
  )
  test.each([
    'http://login.example.com',
    'http://login.localhost',
    'http://10.0.0.1',
    'http://128.0.0.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
  ])('PUBLIC_URL must be https on %s', (PUBLIC_URL) => {
    expect(mistakesIn({ ...SETTINGS, PUBLIC_URL })).toEqual([expect.stringContaining('PUBLIC_URL must be https')])
  })
  const addresses = {
    PLAYER_RETURN_URL: (host: string) => `http://${host}/pass`,
    PLAYER_ORIGINS: (host: string) => `http://${host}`,
    HASH_CONSUMERS: (host: string) => `http://${host}/chat/`,
  }
  const each = Object.entries(addresses)
  test.each(each)('%s may be plain http if it and PUBLIC_URL are loopback', (name, address) => {
    for (const PUBLIC_URL of ['http://localhost:3000', 'http://[::1]:3000', 'https://localhost']) {
      for (const host of ['localhost:4000', '127.0.0.1:4000', '[::1]:4000']) {
        expect(mistakesIn({ ...SETTINGS, PUBLIC_URL, [name]: address(host) })).toEqual([])
      }
    }
  })
  test.each(each)('%s must be https if PUBLIC_URL is not loopback', (name, address) => {
    const mistakes = mistakesIn({ ...SETTINGS, [name]: address('127.0.0.1:4000') })
    expect(mistakes).toEqual([expect.stringMatching(`^${name}:? (item 1 )?must be https`)])
  })
  test.each(each)('%s must be https outside loopback', (name, address) => {
    for (const host of ['player.example', '10.0.0.1', 'localhost.example', '127.0.0.1.example']) {
      const mistakes = mistakesIn({ ...local, [name]: address(host) })
      expect(mistakes).toEqual([expect.stringMatching(`^${name}:? (item 1 )?must be https`)])
    }
  })
  test('a name below .localhost may be plain http in PLAYER_ORIGINS only', () => {
    expect(mistakesIn({ ...local, PLAYER_ORIGINS: 'http://page.localhost:4000' })).toEqual([])
    expect(mistakesIn({ ...local, PLAYER_RETURN_URL: 'http://page.localhost:4000/' })).toHaveLength(1)
    expect(mistakesIn({ ...local, HASH_CONSUMERS: 'http://page.localhost:4000/chat/' })).toHaveLength(1)
    expect(mistakesIn({ ...SETTINGS, PLAYER_ORIGINS: 'http://page.localhost:4000' })).toHaveLength(1)
  })
})
