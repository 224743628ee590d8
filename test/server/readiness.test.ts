import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import { createReadiness } from '../../src/server/monitoring/readiness.ts'

test('a store that holds the question is away, and the answer comes all the same', async () => {
  const away: string[] = []
  const app = express().get(
    '/health/ready',
    createReadiness({
      requiredStores: {
        USER_STORE_URL: { checkHealth: () => Promise.withResolvers<void>().promise },
        SESSION_STORE_URL: { checkHealth: async () => {} },
        LDAP_URL: {
          checkHealth() {
            throw new Error('closed')
          },
        },
      },
      optionalStores: [],
      isAccepting: () => true,
      ofFeatures: () => ({}),
      onAway: (setting) => away.push(setting),
    }),
  )
  const { status, body } = await request(app).get('/health/ready')
  expect({ status, body, away }).toEqual({
    status: 503,
    body: { status: 'unavailable', away: ['USER_STORE_URL', 'LDAP_URL'] },
    away: ['LDAP_URL', 'USER_STORE_URL'],
  })
})
