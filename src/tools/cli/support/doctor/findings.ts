import { type BundleSection, dataOf } from '../section.ts'

interface Options {
  readonly channel?: string
  readonly page?: readonly string[]
}

/** The findings of `doctor`, without a sign-in. */
export const findings: BundleSection = {
  field: 'doctor',
  addOptions: (command) =>
    command
      .option('--channel <ID>', 'doctor checks the lock of this channel')
      .option('--page <URL>', 'doctor checks this page; repeatable', (url, urls: string[] = []) => [...urls, url]),
  async collect(source) {
    const { channel, page = [] }: Options = source.options
    const content = channel === undefined ? [] : ['--channel', channel]
    return await dataOf(source, ['doctor', ...content, ...page.flatMap((url) => ['--page', url])])
  },
}
