// `npm run setup`: the command `setup` of the command line.
process.argv.splice(2, 0, 'setup')
await import('../main.ts')
