import type { RequestListener } from 'node:http'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { messageClassesOf } from '../../src/server/express-messages.ts'
import { createHttpServer, listen, stopServer } from '../../src/server/http-server.ts'

function prototypesOf(...objects: object[]): unknown[] {
  return objects.map((object) => Object.getPrototypeOf(object))
}

test('requests and responses have the prototypes of the app before the app gets them', async () => {
  const app = express()
  Object.defineProperty(app.request, 'secure', { get: () => true })
  app.get('/page', (req, res) => void res.json([req.path, req.secure, ...prototypesOf(req, res).map(isOfApp)]))
  function isOfApp(prototype: unknown): boolean {
    return prototype === app.request || prototype === app.response
  }
  const before: unknown[] = []
  const listener: RequestListener = (req, res) => {
    before.push(...prototypesOf(req, res))
    app(req, res)
  }
  const server = createHttpServer(listener, {}, messageClassesOf(app))
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => stopServer(server, 0))

  const response = await fetch(`http://127.0.0.1:${port}/page`)
  expect([response.status, await response.json()]).toEqual([200, ['/page', true, true, true]])
  expect(before).toHaveLength(2)
  expect(before[0]).toBe(app.request)
  expect(before[1]).toBe(app.response)
})
