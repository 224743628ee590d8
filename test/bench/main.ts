import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { analyticsRows } from './analytics.bench.ts'
import { isMet } from './bench-row.ts'
import { cpuRows } from './cpu-per-request.bench.ts'
import { createInstallation } from './installation.ts'
import { reportRows } from './reports.bench.ts'
import { signInRows } from './sign-ins.bench.ts'
import { storeRows } from './stores.bench.ts'
import { tableOf } from './table.ts'
import { tokenRows } from './tokens.bench.ts'

const PARTS = {
  requests: cpuRows,
  'sign-ins': signInRows,
  stores: storeRows,
  tokens: tokenRows,
  analytics: analyticsRows,
  reports: reportRows,
}

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, only: { type: 'string' } } })
const installation = await createInstallation()
try {
  const chosen = Object.entries(PARTS).filter(([name]) => values.only === undefined || values.only === name)
  const rows = []
  for (const [, measure] of chosen) rows.push(...(await measure(installation)))
  if (values.json) {
    console.log(JSON.stringify(rows.map((row) => ({ ...row, met: isMet(row) }))))
  } else {
    console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}\n${tableOf(rows)}`)
  }
} finally {
  await installation.remove()
}
