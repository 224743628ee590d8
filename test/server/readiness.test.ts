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

test('a setting with several stores that are away is named once', async () => {
  const store = (setting: string, isAvailable: boolean) => ({ setting, isAvailable: () => isAvailable })
  const app = express().get(
    '/health/ready',
    createReadiness({
      requiredStores: {},
      optionalStores: [
        store('SESSION_STORE_URL', false),
        store('LIMITS_STORE_URL', true),
        store('SESSION_STORE_URL', false),
      ],
      isAccepting: () => true,
      ofFeatures: () => ({}),
      onAway: () => {},
    }),
  )
  const { status, body } = await request(app).get('/health/ready')
  expect({ status, body }).toEqual({ status: 200, body: { status: 'degraded', away: ['SESSION_STORE_URL'] } })
})
