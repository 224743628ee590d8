import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const RULES = fileURLToPath(new URL('../../../src/features/metrics/prometheus-rules.yml', import.meta.url))
const SERIES = fileURLToPath(new URL('alerts.yml', import.meta.url))

test.each([
  ['accepts the rules', ['check', 'rules', RULES]],
  ['fires each alert for its cause, and none when nothing is wrong', ['test', 'rules', SERIES]],
])('promtool %s', (_what, args) => {
  const { status, stdout, stderr } = spawnSync('/usr/bin/promtool', args, { encoding: 'utf8' })
  expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' })
})
