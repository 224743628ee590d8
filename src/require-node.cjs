// Loaded before the program. Older versions of Node cannot load TypeScript: they would end with a stack trace.
const { readFileSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24) {
  const { devDependencies } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8'))
  process.stderr.write(
    `This is Node ${major}.${minor}, and the program needs Node 24. Run "npm ci" without --omit=dev, which installs ` +
      `Node ${devDependencies.node} beside the program, or install Node 24 on this machine.\n`,
  )
  process.exit(1)
}
// The programs do the same for a start without this file. Only here it is before the first TypeScript file: Node then
// does not load its TypeScript parser, which takes an eighth of a start.
enableCompileCache(join(__dirname, '../node_modules/.cache/compiled'))
