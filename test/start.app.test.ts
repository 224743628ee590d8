import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { features } from '../src/features.ts'
import { programSettings } from './login/login-program.ts'
import { startLoginProgram } from './login/start-program.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

/** Files and modules that nothing needs yet make each start slower. */

/** Lists the files that a program loads, when it ends. */
const LIST_FILES = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  process.on('exit', () => process.stderr.write(JSON.stringify(urls)))`

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../src/${file}`, import.meta.url))
}

test('the help of the command line loads no command and no library for settings', () => {
  const hooks = `data:text/javascript,${encodeURIComponent(LIST_FILES)}`
  const args = ['--import', hooks, pathOf('tools/cli/main.ts'), '--help']
  const script = `"$0" "$@" 2>&1 >/dev/null`
  const output = execFileSync('sh', ['-c', script, process.execPath, ...args], { encoding: 'utf8' })
  const files = z.array(z.string()).parse(JSON.parse(output))
  expect(files.filter((file) => file.includes('/cli/program.ts'))).toHaveLength(1)
  expect(files.filter((file) => /-command\.ts$|\/zod\/|\/video-service\//.test(file))).toEqual([])
})

test('the login app starts without the code and the libraries of its features', () => {
  const hooks = `data:text/javascript,${encodeURIComponent(LIST_FILES)}`
  const script = `"$0" "$@" 2>&1 >/dev/null`
  const args = ['-c', script, process.execPath, '--import', hooks, '--input-type=module', '-e']
  const output = execFileSync('sh', [...args, `await import(${JSON.stringify(pathOf('login-app.ts'))})`], {
    encoding: 'utf8',
  })
  const files = z.array(z.string()).parse(JSON.parse(output))
  expect(files.filter((file) => /\/src\/features\/[\w-]+\/feature\.ts/.test(file))).toHaveLength(features.length)
  expect(files.filter((file) => /\/(openid-client|oauth4webapi|jose|nodemailer|@simplewebauthn)\//.test(file))).toEqual(
    [],
  )
})

test('the second start of the login app takes the compiled code of the first', async () => {
  const cache = { NODE_COMPILE_CACHE: temporaryFolder(), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  const start = async () => {
    const { child, ended, output } = await startLoginProgram({ ...programSettings(), ...cache })
    child.kill('SIGTERM')
    await ended
    return { accepted: output().split('accepted').length - 1, rejected: output().split('rejected').length - 1 }
  }
  await start()
  const { accepted, rejected } = await start()
  expect(accepted).toBeGreaterThan(300)
  expect(rejected).toBe(0)
})
