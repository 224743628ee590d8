import { describe, expect, test } from 'vitest'
import { mistakesIn, SETTINGS } from '../settings.ts'

describe('a name that is almost a setting', () => {
  test.each([
    ['ALOWED_GROUPS', 'ALLOWED_GROUPS'],
    ['ALLOWED_GROUP', 'ALLOWED_GROUPS'],
    ['PLAYER_ORIGNS', 'PLAYER_ORIGINS'],
    ['HASH_CONSUMER', 'HASH_CONSUMERS'],
    ['SESSION_SECRETFILE', 'SESSION_SECRET_FILE'],
    ['LDAP_USER_FILER', 'LDAP_USER_FILTER'],
  ])('%s is not ignored without a word', (name, meant) => {
    expect(mistakesIn({ ...SETTINGS, [name]: 'staff' })).toEqual([
      `${name} is no setting: write ${meant}, or remove it`,
    ])
  })

  test.each([
    'HOSTS',
    'PORTS',
    'HOSTNAME',
    'POSTGRES_PORT',
    'REDIS_PORT',
    'HTTP_PROXY',
    'PUBLIC_IP',
    'VIEWER_PASSWORD',
  ])('%s, which others use, is let be', (name) => {
    expect(mistakesIn({ ...SETTINGS, [name]: 'anything' })).toEqual([])
  })
})
