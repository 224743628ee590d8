import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { mistakesIn, SETTINGS } from '../settings.ts'

test.each([
  ['METRICS_PORT', 'tcp://10.96.0.17:9090'],
  ['PORT', 'udp://10.96.0.18:3000'],
  ['PORT', 'tcp://[fd00::17]:3000'],
])('%s=%s is refused with a sentence about Kubernetes', (name, value) => {
  expect(mistakesIn({ ...SETTINGS, [name]: value })).toEqual([
    `${name} contains an address, which Kubernetes injects for a Service of that name. Set a port number, rename the Service, or set enableServiceLinks: false in the pod`,
  ])
})

test('other variables that Kubernetes injects for a Service called metrics are ignored', () => {
  const injected = {
    METRICS_SERVICE_HOST: '10.96.0.17',
    METRICS_SERVICE_PORT: '9090',
    METRICS_PORT_9090_TCP: 'tcp://10.96.0.17:9090',
    METRICS_PORT_9090_TCP_PROTO: 'tcp',
  }
  expect(readConfig({ ...SETTINGS, ...injected, METRICS_PORT: '9091' })).toMatchObject({
    features: { metrics: 9091 },
    warnings: [],
  })
})
