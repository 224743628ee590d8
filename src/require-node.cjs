// Loaded before the program. Older versions of Node cannot load TypeScript: they would end with a stack trace.
const { readFileSync } = require('node:fs')
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
