import { expect, test } from 'vitest'
import { isLoopbackHost, isLoopbackName } from '../../src/settings/fields.ts'

test.each(['localhost', '127.0.0.1', '127.255.0.1', '::1', '[::1]'])('%s is a loopback host', (host) => {
  expect([isLoopbackHost(host), isLoopbackName(host)]).toEqual([true, true])
})

test.each(['page.localhost', 'a.b.localhost'])('%s is a loopback name, but no loopback host', (host) => {
  expect([isLoopbackHost(host), isLoopbackName(host)]).toEqual([false, true])
})

test.each(['', '0.0.0.0', '127.1', '::', 'localhost.', 'localhost.example', '127.0.0.1.example', 'evillocalhost'])(
  '%j is not a loopback name',
  (host) => {
    expect([isLoopbackHost(host), isLoopbackName(host)]).toEqual([false, false])
  },
)
